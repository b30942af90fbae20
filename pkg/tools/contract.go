package tools

import "context"

// Tool is what a model can call. Name is the key for the registry and the model.
// Parameters is a JSON Schema object; it is read once at registration.
// Execute may be called from many goroutines at once unless the registry says otherwise.
type Tool interface {
	Name() string
	Description() string
	Parameters() map[string]any
	Execute(ctx context.Context, args map[string]any) *ToolResult
}

// ContextualTool is an optional extension: SetContext is called before Execute
// when a channel or a chat ID is known. How a call gets its own value, so that
// what SetContext stores cannot reach another chat, is described at [ToolRegistry].
type ContextualTool interface {
	Tool
	SetContext(channel, chatID string)
}

// AsyncCallback tells the agent that background work has ended. The first call counts.
type AsyncCallback func(ctx context.Context, result *ToolResult)

// AsyncTool is an optional extension for background work: the tool returns
// [AsyncResult] at once and calls the callback when it is done. SetCallback is
// called before Execute; with nil when there is nobody to tell.
type AsyncTool interface {
	Tool
	SetCallback(cb AsyncCallback)
}

// Cloner is an optional extension: Clone gives the value that one call runs on.
type Cloner interface {
	Clone() Tool
}

// Annotated is an optional extension: what a tool says about itself.
type Annotated interface {
	Annotations() Annotations
}

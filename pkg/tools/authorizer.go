package tools

import "context"

// Authorizer has the last word on a call, after its arguments were checked.
// The registry asks it once per call; nil from NewToolRegistry's means all is allowed.
type Authorizer interface {
	// AuthorizeTool returns nil to let the call run. The error's text goes to the model.
	AuthorizeTool(ctx context.Context, req ToolRequest) error
}

// ToolRequest is what an [Authorizer] decides on. The invocation's Channel and
// Chat may be empty for a direct call.
type ToolRequest struct {
	Tool        string
	Annotations Annotations
	Arguments   map[string]any
	Invocation  Invocation
}

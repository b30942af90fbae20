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

// AsyncCallback tells the agent that background work has ended, from any goroutine,
// also before Execute has returned. The first call counts; a second one, and one that
// comes after the work's deadline or after it was cancelled, counts as none. Whoever
// gets a callback calls it once: work of which nothing is heard is given up at its
// deadline, and the chat is told. A nil result is an empty one, a nil ctx the work's own.
type AsyncCallback func(ctx context.Context, result *ToolResult)

// AsyncTool is an optional extension for background work: the tool returns
// [AsyncResult] at once and calls the callback when it is done. SetCallback is
// called before each Execute, on the value of that call alone, never with nil: where
// there is nobody to tell, the callback drops what it gets and logs that.
//
// Start the work with [Background]. It refuses where nobody would hear of the end, and
// a panic in it is a failed result:
//
//	func (t *Render) SetCallback(cb tools.AsyncCallback) { t.callback = cb }
//
//	func (t *Render) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
//		return tools.Background(ctx, t.callback, "It is being rendered.", func(ctx context.Context) *tools.ToolResult {
//			return t.render(ctx, args)
//		})
//	}
//
// A panic in a goroutine that the tool starts itself ends the process, and the next
// start tells the chat that the work was interrupted.
//
// The ctx of Execute is the work's: it outlasts the turn, keeps the [Invocation], and
// ends at the deadline ([Annotations].BackgroundLimit after the call began), when the
// work is cancelled, and when the gateway stops. [Annotations].Timeout bounds Execute
// alone. [Progress] with that ctx shows how far the work is.
//
// A result without Async ends the call there and then, and a callback after it counts as
// none. AsyncResult of a tool that is no AsyncTool, of a call whose [Examination] says
// Foreground, and of one that another tool makes becomes execution_failed: nobody would
// hear of its end.
type AsyncTool interface {
	Tool
	SetCallback(cb AsyncCallback)
}

// Cloner is an optional extension: Clone gives the value that one call runs on.
type Cloner interface {
	Clone() Tool
}

// Annotated is an optional extension: what a tool says about itself. One that says
// nothing counts as changing things: it needs the level write, and is not run again
// after a crash. A tool that only reads says so:
//
//	func (t *Weather) Annotations() tools.Annotations {
//		return tools.Annotations{ReadOnly: true, OpenWorld: true, Timeout: 10 * time.Second}
//	}
type Annotated interface {
	Annotations() Annotations
}

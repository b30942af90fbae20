// Package tools is the tool contract, its results, the registry and the loop
// between a model and its tools.
//
// It promises:
//
//   - Every call sees the facts of its own chat only, however a tool keeps them;
//     [ToolRegistry] says how. The callback of background work counts once.
//   - A call is checked in a fixed order: does the tool exist, is it enabled and
//     offered here, do the arguments fit its schema, does the chat have the
//     level, does the [Authorizer] agree. Only then does anything run.
//   - A call always ends: with the tool's result, or in time with an error of the one
//     shape that [ErrorText] describes. A panic is such an error. A tool that ignores
//     time and context is left behind, its late result is dropped, and after a few of
//     those its further calls are refused.
//   - A result is not empty, within its bound, valid UTF-8 and redacted.
//   - After [RunToolLoop] every call in the conversation has exactly one result.
//
// # To add a tool
//
// Make a package below this one that declares the interfaces it needs, and a
// function that returns the tool. Most tools are a struct of arguments and a function:
//
//	type arguments struct {
//		Path string `json:"path" jsonschema:"path of the file, relative to the workspace"`
//	}
//
//	func ReadFile(store Store) tools.Tool {
//		return tools.New("read_file", "Reads a file.", tools.Annotations{ReadOnly: true},
//			func(ctx context.Context, in arguments) (any, error) {
//				return store.Read(ctx, tools.InvocationFrom(ctx).Space, in.Path)
//			})
//	}
//
// Describe in [Annotations] the possible effects of a call: the zero value is the
// careful one. [InvocationFrom] tells where the call is made from; a tool made that way
// does without SetContext and SetCallback. Fail with [Fail] where the type of the
// failure helps the model. Register it in the program's wiring.
//
// A tool that works in the background implements [AsyncTool], returns
// [AsyncResult] and calls back once. Its context then ends with the task, not
// with the turn; it is over when the callback has been called. Keep the
// callback and the chat in plain fields, or implement [Cloner]; do not keep
// them behind a pointer that a copy would share.
package tools

package tools

import "context"

// Tool is an ability that a model can call. Name is the key for the registry and the
// model. Parameters is a JSON Schema object; it is read once at registration. Execute
// may be called from many goroutines at once unless the registry says otherwise.
type Tool interface {
	Name() string
	Description() string
	Parameters() map[string]any
	Execute(ctx context.Context, args map[string]any) *ToolResult
}

// ContextualTool is an optional extension: SetContext is called before Execute when a
// channel or a chat ID is known. [ToolRegistry] describes how a call gets its own
// value, so that SetContext cannot store facts for another chat.
type ContextualTool interface {
	Tool
	SetContext(channel, chatID string)
}

// AsyncCallback tells the agent that background work has ended, from any goroutine,
// also before Execute has returned. The first call counts; a second one, and one that
// comes after the work's deadline or after it was cancelled, is ignored. The receiver
// of a callback calls it once: silent work is given up at its deadline, and the chat is
// told. A nil result is an empty one, a nil ctx the work's own.
type AsyncCallback func(ctx context.Context, result *ToolResult)

// AsyncTool is an optional extension for background work: the tool returns
// [AsyncResult] at once and calls the callback when it is done. SetCallback is called
// before each Execute, on the value of that call alone, with a callback that is not
// nil: without a recipient it drops the result and logs that.
//
// Start the work with [Background]. It refuses where the end would have no recipient,
// and a panic in it is a failed result:
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
// A result without Async ends the call there and then, and a callback after it is
// ignored. AsyncResult of a tool that is no AsyncTool, of a call with an [Examination]
// that says Foreground, and of one that another tool makes becomes execution_failed:
// its end would have no recipient.
type AsyncTool interface {
	Tool
	SetCallback(cb AsyncCallback)
}

// Cloner is an optional extension: Clone gives the value that one call runs on.
type Cloner interface {
	Clone() Tool
}

// Annotated is an optional extension: a tool's description of itself. A tool without it
// counts as changing things: it needs the level write, and is not run again after a
// crash. A tool that only reads says so:
//
//	func (t *Weather) Annotations() tools.Annotations {
//		return tools.Annotations{ReadOnly: true, OpenWorld: true, Timeout: 10 * time.Second}
//	}
type Annotated interface {
	Annotations() Annotations
}

// ExactTool is an optional extension for tools that keep numbers which no float64
// gives back, such as the id 9007199254740993. In the arguments of Execute and Examine
// a number is a float64 where that keeps its value; any other number is a json.Number,
// which only an ExactTool gets. A call of another tool with such a number is refused.
//
// Tools made by [New], [NewExamined] and [NewAsync] are exact as far as their structs
// are: an int64, a json.Number and a json.RawMessage keep numbers that a float64 changes.
type ExactTool interface {
	Tool
	// TakesExact returns nil if the tool runs with exactly the numbers of args, else why
	// it would change one. It is asked before any person is asked for approval, on the
	// value as it was registered, and only about arguments that fit the schema and hold
	// a json.Number. The error is best an [*Error].
	TakesExact(args map[string]any) error
}

// Examiner is an optional extension for tools of which one call does more harm
// than another: overwriting a file, say, against making one.
type Examiner interface {
	// Examine finds out the effect of a call, without doing any of it. It is asked
	// after the arguments were checked and before anybody is asked for approval, on the
	// value as it was registered: where the call is made from is in [InvocationFrom].
	// An error refuses the call and is best an [*Error].
	Examine(ctx context.Context, args map[string]any) (Examination, error)
}

// Examination is the effect of one call. It replaces the tool's general [Annotations].
type Examination struct {
	// Destructive: this call overwrites, deletes or executes.
	Destructive bool
	// Always: a person is asked, whatever the operator has set.
	Always bool
	// Destination is the address that the call reaches outside, such as a URL, where
	// the model chose it; else empty.
	Destination string
	// Text is all of the effect that a person is asked to allow, in a canonical form:
	// paths, contents, every argument of a program. Empty stands for the arguments as
	// JSON.
	Text string
	// Action and Object say in the question what this call does, such as "overwrite" and
	// "a.md"; both are empty where Text alone can say it.
	Action, Object string
	// State is a fingerprint of the facts that the call relies on: the hash of the file
	// that it overwrites, the working directory. An approved call runs only while it is
	// the same.
	State string
	// Taints: the call itself brings in content from outside, and before it changes something.
	Taints bool
	// Brings: its result may hold content from outside. The effect of the call was told
	// before it could read any.
	Brings bool
	// Keeps: the call stores words that later turns read without their source, such as a fact.
	Keeps bool
	// Examined: the tool is an [Examiner], with calls of different effects. The
	// registry sets it.
	Examined bool
	// Foreground: this call of an [AsyncTool] is over when it returns. It costs no
	// task, gets a callback without a recipient and ends with its turn.
	Foreground bool
	// Steps are all calls that this one makes of other tools: Text and State speak
	// for them too, and they are not asked about again.
	Steps []ExaminedStep
}

// ExaminedStep is one of the calls that another one makes. Where it depends on
// the result of an earlier one, it is examined as the worst that it may be.
type ExaminedStep struct {
	Tool        string
	Annotations Annotations
	Examination Examination
}

package tools

import "time"

// Level is the level that a tool needs, or that a chat has: none < chat < read < write
// < exec.
type Level string

// The levels, lowest first.
const (
	LevelNone  Level = "none"
	LevelChat  Level = "chat"
	LevelRead  Level = "read"
	LevelWrite Level = "write"
	LevelExec  Level = "exec"
)

// Annotations tell, in MCP's words, the possible effects of a call. The zero value is
// the careful one: it may have side effects, must not run twice, and needs LevelWrite.
type Annotations struct {
	// ReadOnly calls have no effects; they may run beside others and run again.
	ReadOnly bool
	// Destructive calls overwrite, delete or execute; they run alone.
	Destructive bool
	// Ordered calls run alone too, because their order shows: messages, for instance.
	Ordered bool
	// Idempotent calls may run again with the same arguments.
	Idempotent bool
	// OpenWorld calls bring in content that others wrote.
	OpenWorld bool
	// Searches marks tools whose results name addresses as a person does: those of a search engine.
	Searches bool
	// Speaks says that calls affect only their own chat, by their words there.
	Speaks bool
	// Executes marks tools that run commands or code: a person is asked for each
	// call unless the operator has waived it for this tool by name, and once is once.
	Executes bool
	// Volatile results differ from call to call without a change, as a clock's do: they
	// are not answered from memory.
	Volatile bool
	// Composed marks tools that call others by [CallTool].
	Composed bool
	// Finds marks the tool by which a model finds the others, with [Callable]. A loop whose
	// registry offers it offers it alone, and each other one once it was found or called.
	Finds bool
	// Recalls marks the tool that finds what a request lacks of the chat's past. A summary names it,
	// and a request that lacks no part does without it.
	Recalls bool
	// Keeps marks tools that store words which later turns read without their source: all of
	// their calls are as [Examination].Keeps says.
	Keeps bool
	// Level is the level that the chat must have; empty: LevelRead for ReadOnly, else
	// LevelWrite.
	Level Level
	// Timeout bounds Execute; 0: the registry's default of 30 s.
	Timeout time.Duration
	// BackgroundLimit bounds the work that an [AsyncTool] goes on with in the
	// background, counted from the call; 0: an hour.
	BackgroundLimit time.Duration
	// MaxOutput cuts ForLLM and ForUser, in bytes; 0: the registry's default of 64 KiB.
	MaxOutput int
}

// Rerunnable says whether a call that was begun and not ended may run again.
func (a Annotations) Rerunnable() bool { return a.ReadOnly || a.Idempotent }

// alone says whether a call may not run beside the others of its answer.
func (a Annotations) alone() bool { return a.Destructive || a.Ordered }

// AnnotationsOf returns a tool's annotations, with the level filled in.
func AnnotationsOf(t Tool) Annotations {
	var a Annotations
	if at, ok := t.(Annotated); ok {
		a = at.Annotations()
	}
	if a.Level == "" {
		a.Level = LevelWrite
		if a.ReadOnly {
			a.Level = LevelRead
		}
	}
	return a
}

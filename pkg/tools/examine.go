package tools

import "context"

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

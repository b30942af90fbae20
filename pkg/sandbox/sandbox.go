package sandbox

import (
	"context"
	"errors"
	"io"
	"time"
)

// ErrUnavailable says, wrapped with the reason, that this system has no sandbox.
var ErrUnavailable = errors.New("no sandbox here")

// ErrBusy says, wrapped, that a command was not run because no place became free for it.
var ErrBusy = errors.New("other programs hold all places")

// Command is one run of one program.
type Command struct {
	// Owner is the chat for which it runs. Owners share the places of a [Runner]
	// fairly: one that runs many programs leaves places for the others.
	Owner string
	// Waits, when set, is called before the run waits for a place, and the function it
	// returns after that wait. Timeout begins with the program.
	Waits func() (over func())
	// Patience bounds that wait, which then ends with [ErrBusy]; 0 means 10 minutes.
	Patience time.Duration
	// Path is the program's absolute path, Args its arguments without the name.
	Path string
	Args []string
	// Dir is where it starts: Workspace or below.
	Dir string
	// Workspace is the absolute path of the one folder that it sees beside the
	// system's programs and libraries; it may write there if Writable. Readable are
	// further absolute paths that it may read.
	Workspace string
	Writable  bool
	Readable  []string
	// Env is its whole environment beyond PATH, HOME, LANG and TMPDIR.
	Env []string
	// Stdin is its input; nil is an empty input.
	Stdin io.Reader
	// Network gives it the network; without it there is no route at all.
	Network bool
	// Timeout ends it and all that it started; 0 means 30 s.
	Timeout time.Duration
	// MaxOutput is how many bytes are kept of each of its two outputs, half of them
	// from the beginning, half from the end; 0 means 64 KiB.
	MaxOutput int
	// Line, when set, is told each whole line of its standard error as it comes,
	// at most 4 KiB of it. It is called from one goroutine.
	Line func(line string)
	// Watch, when set, is told each whole line of both outputs in the same way, from
	// one goroutine for each.
	Watch func(line string)
}

// Result is how a run ended.
type Result struct {
	// ExitCode is the program's; 128 and the signal's number when a signal ended it.
	ExitCode       int
	Stdout, Stderr []byte
	Duration       time.Duration
	// Truncated: an output was longer than its kept part.
	Truncated bool
	// TimedOut: it did not end in time, and all of it is dead.
	TimedOut bool
	// Limit names the limit that ended the run: memory, processes, disk or files; else
	// empty.
	Limit string
}

// Runner runs programs. It may be used from many goroutines.
type Runner interface {
	// Available gives the reason why no program can be run, or nil: it wraps
	// [ErrUnavailable].
	Available() error
	// Run runs a command to its end. An error means that it was not run, or that ctx
	// ended and all of it is dead.
	Run(ctx context.Context, c Command) (Result, error)
}

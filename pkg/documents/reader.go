package documents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"parley/pkg/sandbox"
)

// Reader reads documents. It may be used from many goroutines.
type Reader struct {
	runner sandbox.Runner
}

// How many documents are parsed at a time. An owner gets half of the places at most.
const parallel = 4

// New makes a reader whose helper processes run in a sandbox of their own.
func New() *Reader {
	const (
		processes = 16 // the threads of the helper
		scratch   = 1 << 20
	)
	return NewWith(sandbox.New(sandbox.Options{
		Memory: processMemory, Processes: processes, Scratch: scratch, FileSize: scratch, Parallel: parallel,
	}))
}

// NewWith makes a reader whose helper processes run by a runner.
func NewWith(runner sandbox.Runner) *Reader { return &Reader{runner: runner} }

// File is a document to be read.
type File struct {
	// Owner is the chat for which it is read: owners share the places fairly.
	Owner string
	// Name is its name; no file is opened by it.
	Name string
	// Content are its bytes.
	Content io.Reader
	// Waits, when set, is called before the wait for a place, and what it returns behind it.
	Waits func() (over func())
}

// Available gives the reason why PDF, DOCX and HTML cannot be read here, or nil.
func (r *Reader) Available() error {
	err := r.runner.Available()
	if err == nil {
		return nil
	}
	return &Error{
		Reason:      "PDF, DOCX and HTML are not read here, because they are parsed in a sandbox only: " + err.Error() + ".",
		Unavailable: true, cause: err,
	}
}

// Read gives the text of a document. A document that has none for its reader is an [Error];
// another error is about Content or ctx.
func (r *Reader) Read(ctx context.Context, f File) (*Document, error) {
	head, err := io.ReadAll(io.LimitReader(f.Content, headSize))
	if err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	in := &input{from: io.MultiReader(bytes.NewReader(head), f.Content)}
	switch kind := Detect(f.Name, head); kind {
	case PDF, DOCX, HTML:
		return r.parse(ctx, f, kind, in)
	case "":
		return nil, &Error{Reason: "The file has no format that can be read as text."}
	default:
		data, _ := io.ReadAll(in)
		if err := in.failed(); err != nil {
			return nil, err
		}
		return plain(kind, data)
	}
}

// input is a document on the way to its reader. It says why the reader got less than the whole document.
type input struct {
	from io.Reader

	mu   sync.Mutex // the sandbox may still read when the helper has ended
	size int
	err  error
}

// Read implements [io.Reader].
func (in *input) Read(p []byte) (int, error) {
	n, err := in.from.Read(p)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.size += n
	switch {
	case in.size > MaxSize:
		in.err = &Error{Reason: fmt.Sprintf("The document is larger than the %d MB that are read.", MaxSize>>20)}
		return 0, in.err
	case err != nil && !errors.Is(err, io.EOF):
		in.err = fmt.Errorf("read a document: %w", err)
	}
	return n, err
}

// failed is the reason, or nil.
func (in *input) failed() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// role is the argument with which this program parses a document and ends.
const role = "parse-document"

// parse has a helper process parse a document. The document is read when the process has its place: those that wait for one
// lie in no memory.
func (r *Reader) parse(ctx context.Context, f File, kind Kind, in *input) (*Document, error) {
	if err := r.Available(); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	empty, err := os.MkdirTemp("", "parley-document-")
	if err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	defer os.Remove(empty)
	res, err := r.runner.Run(ctx, sandbox.Command{
		Owner: f.Owner, Waits: f.Waits, Path: self, Args: []string{role, string(kind)}, Workspace: empty,
		Env:   []string{"GOMAXPROCS=1", "GOTRACEBACK=none", fmt.Sprintf("GOMEMLIMIT=%d", MaxMemory/2)},
		Stdin: in, Timeout: MaxTime, MaxOutput: maxAnswer,
	})
	switch {
	case errors.Is(err, sandbox.ErrBusy):
		return nil, &Error{Reason: "Too many documents are being read at the moment; try again later.", Unavailable: true, cause: err}
	case err != nil:
		return nil, fmt.Errorf("read a document: %w", err)
	case in.failed() != nil:
		return nil, in.failed()
	case res.TimedOut:
		return nil, &Error{Reason: fmt.Sprintf("The %s takes longer to read than the %v that it may.", kind, MaxTime), Hurried: true}
	case res.Limit != "":
		return nil, &Error{Reason: fmt.Sprintf("The %s takes more %s to read than it may.", kind, res.Limit)}
	}
	return heard(kind, res)
}

// signalled is below the exit codes of processes that a signal has ended: the system is short of memory.
const signalled = 128

// heard gives the document that a helper answered.
func heard(kind Kind, res sandbox.Result) (*Document, error) {
	var (
		a   answer
		d   *Document
		err = json.Unmarshal(res.Stdout, &a)
	)
	if err == nil && res.ExitCode == 0 {
		d, err = a.checked(kind)
	}
	if _, refused := errors.AsType[*Error](err); refused {
		return nil, err
	}
	if err != nil || res.ExitCode != 0 {
		return nil, &Error{
			Reason:  fmt.Sprintf("The %s is damaged, or takes more than %d MB of memory to read.", kind, MaxMemory>>20),
			Hurried: res.ExitCode > signalled,
			cause:   fmt.Errorf("exit code %d: %w: %.200q", res.ExitCode, errors.Join(err), res.Stderr),
		}
	}
	return d, nil
}

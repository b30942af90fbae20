package files

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"parley/pkg/channels"
	"parley/pkg/durable"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// MaxUploads bounds the size of all files that wait to be sent, in bytes.
const MaxUploads = 1 << 30

// Uploads is the folder with the contents of the files that wait to be sent, as
// they were when a tool sent them. The name of a file is made of the id of its
// message, so that the folder alone tells which message each file belongs to.
type Uploads struct {
	dir string
	mu  sync.Mutex // held while a content is added
}

var _ channels.Files = (*Uploads)(nil)

// NewUploads keeps contents in dir, which the first one makes.
func NewUploads(dir string) *Uploads { return &Uploads{dir: dir} }

// Dir is the folder of the contents.
func (o *Uploads) Dir() string { return o.dir }

// named turns an outbound id into the name of a file, and back.
func named() *base64.Encoding { return base64.RawURLEncoding }

func (o *Uploads) path(outboundID string) string {
	return filepath.Join(o.dir, named().EncodeToString([]byte(outboundID)))
}

// Keep stores a content durably and whole, and returns its size. A [tools.Error] says
// that too much waits.
func (o *Uploads) Keep(outboundID string, content io.Reader, size int64) (int64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return 0, err
	}
	waiting, err := o.size()
	if err != nil {
		return 0, err
	}
	if waiting+size > MaxUploads {
		return 0, tools.Fail(tools.ErrBusy, "too much waits to be sent already; try again when it has left", nil)
	}
	var n int64
	err = durable.Replace(o.path(outboundID), func(w io.Writer) (err error) {
		n, err = io.Copy(w, content)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// size is how many bytes wait.
func (o *Uploads) size() (int64, error) {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return 0, err
	}
	var all int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else it has left meanwhile
			all += info.Size()
		}
	}
	return all, nil
}

// Open implements [channels.Files].
func (o *Uploads) Open(outboundID string) (fs.File, error) { return os.Open(o.path(outboundID)) }

// Drop implements [channels.Files].
func (o *Uploads) Drop(outboundID string) error {
	if err := os.Remove(o.path(outboundID)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sweep removes the contents that a dead process left behind: unfinished ones, those of
// calls without a stored end, and those of messages with an outcome. It is called
// before a content is sent or added. A content that may still be sent stays, also when
// the store cannot tell. A folder in which nothing can be removed or added is an error.
func (o *Uploads) Sweep(ctx context.Context, sent session.Receipts) error {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	const write, search = 2, 1
	if err := syscall.Access(o.dir, write|search); err != nil {
		return &fs.PathError{Op: "access", Path: o.dir, Err: err}
	}
	now, cancel := context.WithCancel(ctx)
	cancel() // a receipt that is still to come is not waited for
	for _, e := range entries {
		id, err := named().DecodeString(e.Name())
		if err == nil {
			_, err = sent.Receipt(now, string(id))
		}
		if err == nil || errors.Is(err, session.ErrNotFound) || strings.HasSuffix(e.Name(), durable.Unfinished) {
			if err := os.Remove(filepath.Join(o.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// maxOutgoing bounds what all files together have that wait to be sent, in bytes.
const maxOutgoing = 1 << 30

// outgoing is the folder with the contents of the files that wait to be sent, as
// they were when a tool sent them. A file's name is made of the id of its message,
// so that what is in the folder says by itself to what it belongs.
type outgoing struct {
	dir string
	mu  sync.Mutex // held while a content is added
}

var _ channels.Files = (*outgoing)(nil)

// named turns an outbound id into the name of a file, and back.
func named() *base64.Encoding { return base64.RawURLEncoding }

const unfinished = ".part"

func (o *outgoing) path(outboundID string) string {
	return filepath.Join(o.dir, named().EncodeToString([]byte(outboundID)))
}

// keep stores a content durably and whole, and returns its size.
func (o *outgoing) keep(outboundID string, content io.Reader, size int64) (int64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return 0, err
	}
	waiting, err := o.size()
	if err != nil {
		return 0, err
	}
	if waiting+size > maxOutgoing {
		return 0, tools.Fail(tools.ErrBusy, "too much waits to be sent already; try again when it has left", nil)
	}
	target := o.path(outboundID)
	n, err := writeSynced(target+unfinished, content)
	if err == nil {
		err = os.Rename(target+unfinished, target)
	}
	if err == nil {
		err = syncDir(o.dir)
	}
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(target+unfinished))
	}
	return n, nil
}

// size is how many bytes wait.
func (o *outgoing) size() (int64, error) {
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

func writeSynced(path string, content io.Reader) (int64, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // a name in our own folder
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(f, content)
	if err == nil {
		err = f.Sync()
	}
	return n, errors.Join(err, f.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // our own folder
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Open implements [channels.Files].
func (o *outgoing) Open(outboundID string) (fs.File, error) { return os.Open(o.path(outboundID)) }

// Drop implements [channels.Files].
func (o *outgoing) Drop(outboundID string) error {
	if err := os.Remove(o.path(outboundID)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sweep removes what a process left behind that died: contents that were not
// finished, of calls whose end was not stored, and of messages that have their
// outcome. It runs before anything is sent or added. What may still be sent stays,
// also when the store cannot say.
func (o *outgoing) sweep(ctx context.Context, sent session.Receipts) error {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	now, cancel := context.WithCancel(ctx)
	cancel() // what still waits is not waited for
	for _, e := range entries {
		id, err := named().DecodeString(e.Name())
		if err == nil {
			_, err = sent.Receipt(now, string(id))
		}
		if err == nil || errors.Is(err, session.ErrNotFound) || strings.HasSuffix(e.Name(), unfinished) {
			if err := os.Remove(filepath.Join(o.dir, e.Name())); err != nil { //nolint:gosec // a name that was just read from our own folder
				return err
			}
		}
	}
	return nil
}

// courier lets the tool send_file send through the agent.
type courier struct{ a *App }

var _ files.Sender = courier{}

// Terms implements [files.Sender].
func (c courier) Terms(ctx context.Context) files.Terms {
	inv := tools.InvocationFrom(ctx)
	ch := c.a.at(channels.Address{Channel: inv.Channel, Account: inv.Account})
	if _, ok := ch.(channels.FileSender); !ok {
		return files.Terms{MaxFile: maxOutgoing}
	}
	l := ch.Limits()
	return files.Terms{Files: true, MaxFile: cmp.Or(l.MaxFile, maxOutgoing), MaxPhoto: l.MaxPhoto}
}

// SendFile implements [files.Sender].
func (c courier) SendFile(ctx context.Context, p files.Parcel) error {
	return c.a.agent.QueueFile(ctx, p.Caption, func(outboundID string) (channels.File, error) {
		n, err := c.a.outgoing.keep(outboundID, p.Content, p.Size)
		if err != nil {
			return channels.File{}, fmt.Errorf("keep a file to send: %w", err)
		}
		return channels.File{Name: p.Name, Path: p.Path, Size: n, Photo: p.Photo}, nil
	})
}

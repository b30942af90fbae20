package shelf

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"parley/pkg/channels"
	"parley/pkg/durable"
	"parley/pkg/text"
)

// Upload is a file that a person brings.
type Upload struct {
	// ID is one of [NewID].
	ID string
	// Name is the name that the person gave it, of any form.
	Name string
	// Size is that of the content in bytes, -1 where it is not known.
	Size    int64
	Content io.Reader
}

// Add stores an upload of a chat. The same one again is the same file; [ErrTaken] says that the
// id was used for another one, [channels.ErrTooLarge] and [*FullError] that there is no room.
func (s *Shelf) Add(ctx context.Context, chat string, u Upload) (channels.KeptFile, error) {
	if u.Size > MaxUpload {
		return channels.KeptFile{}, channels.ErrTooLarge
	}
	in := incoming{chat: chat, id: u.ID, name: plainName(u.Name), size: u.Size, limit: MaxUpload, content: u.Content}
	if old, err := s.Open(chat, u.ID); err == nil {
		return again(old, &in)
	}
	return s.store(ctx, &in)
}

// Keep stores the file of a message that the assistant sends, once. Its content is that of the
// first time.
func (s *Shelf) Keep(ctx context.Context, chat, outboundID, name string, size int64, content io.Reader) (channels.KeptFile, error) {
	in := incoming{chat: chat, id: SentID(outboundID), name: plainName(name), size: size, limit: MaxSent, content: content}
	if old, ok := s.Find(chat, in.id); ok {
		return old, nil
	}
	return s.store(ctx, &in)
}

// Bring stores the files of one message, all or none, for the item that the message becomes: for
// requests that hold the bytes themselves. The same ones for the same item are stored once.
func (s *Shelf) Bring(ctx context.Context, chat, item string, all []Upload) ([]channels.Attachment, error) {
	ids := make([]string, len(all))
	for i := range all {
		u := all[i]
		u.ID = NewID(chat, item, strconv.Itoa(i))
		f, err := s.Add(ctx, chat, u)
		if err != nil {
			for _, id := range ids[:i] {
				_ = s.Remove(chat, id) // one that another request has taken stays
			}
			return nil, err
		}
		ids[i] = f.ID
	}
	return s.Attach(chat, ids, item)
}

// incoming is a file that comes in.
type incoming struct {
	chat, id, name string
	size, limit    int64
	content        io.Reader
}

// plainName is the name of a file on one line.
func plainName(name string) string {
	if name = text.FileName(name); name == "" {
		return "file"
	}
	return name
}

// again compares a file with one that comes in under its id.
func again(old *Opened, in *incoming) (channels.KeptFile, error) {
	defer func() { _ = old.Close() }() // nothing was written
	if old.Name != in.name {
		return channels.KeptFile{}, ErrTaken
	}
	const piece = 32 << 10
	have, got := make([]byte, piece), make([]byte, piece)
	for {
		n, err := io.ReadFull(in.content, got)
		m, _ := io.ReadFull(old, have) // a fault of it is a difference
		if !bytes.Equal(got[:n], have[:m]) {
			return channels.KeptFile{}, ErrTaken
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return old.KeptFile, nil
		case err != nil:
			return channels.KeptFile{}, err
		}
	}
}

// store writes a file, whole or not at all.
func (s *Shelf) store(ctx context.Context, in *incoming) (f channels.KeptFile, err error) {
	done, err := s.reserve(ctx, in)
	if err != nil {
		return f, err
	}
	defer done()
	part, err := s.begin(in.chat)
	if err != nil {
		return f, fmt.Errorf("keep a file: %w", err)
	}
	defer func() { err = errors.Join(err, ignoreMissing(os.Remove(part.Name()))) }()
	f = channels.KeptFile{ID: in.id, Name: in.name}
	err = durable.Fill(part, func(w io.Writer) error {
		f.Type, f.Size, err = write(w, in)
		return err
	})
	if err != nil {
		return f, fmt.Errorf("keep a file: %w", err)
	}
	return f, s.finish(part.Name(), in)
}

// write writes the label and the content.
func write(w io.Writer, in *incoming) (kind string, size int64, err error) {
	const head = 512 // tells the type
	content := bufio.NewReaderSize(io.LimitReader(in.content, in.limit+1), head)
	first, err := content.Peek(head)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, err
	}
	if kind, _, err = mime.ParseMediaType(http.DetectContentType(first)); err != nil {
		kind = "application/octet-stream"
	}
	line, err := json.Marshal(label{Chat: in.chat, Name: in.name, Type: kind})
	if err != nil {
		return "", 0, err
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return "", 0, err
	}
	size, err = io.Copy(w, content)
	switch {
	case err != nil:
		return "", 0, err
	case size > in.limit:
		return "", 0, channels.ErrTooLarge
	case in.size >= 0 && size != in.size:
		return "", 0, io.ErrUnexpectedEOF
	default:
		return kind, size, nil
	}
}

// partial begins the names of files that are not whole.
const partial = ".part-"

// begin makes a file that is not whole, in the folder of a chat.
func (s *Shelf) begin(chat string) (*os.File, error) {
	dir := s.path(chatFolder(chat))
	s.mu.Lock() // an empty folder may be removed beside it
	defer s.mu.Unlock()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		for _, above := range []string{filepath.Dir(dir), s.o.Dir, filepath.Dir(s.o.Dir)} {
			if err := durable.SyncDir(above); err != nil {
				return nil, err
			}
		}
	}
	return os.CreateTemp(dir, partial)
}

// finish gives a whole file its name, unless another request has stored the same one meanwhile.
func (s *Shelf) finish(part string, in *incoming) error {
	at := s.path(refOf(in.chat, in.id))
	s.mu.Lock()
	_, err := os.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(part, at)
		s.mu.Unlock()
		if err == nil {
			err = durable.SyncDir(filepath.Dir(at))
		}
		return err
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	twin, _, err := s.open(path.Join(chatFolder(in.chat), filepath.Base(part)))
	if err != nil {
		return err
	}
	defer func() { _ = twin.Close() }() // nothing was written
	old, err := s.Open(in.chat, in.id)
	if err == nil {
		_, err = again(old, &incoming{name: in.name, content: twin})
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

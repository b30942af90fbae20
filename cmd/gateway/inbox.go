package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/fair"
	"parley/pkg/openat"
	"parley/pkg/providers"
	"parley/workspace"
)

// What people send lies in the folder inbox of their chat's space.
const inboxDir = "inbox"

const (
	// How many files are fetched at once, over all chats, and how long one may take.
	maxFetches = 16
	fetchTime  = 10 * time.Second
	// The largest file, and the largest picture that a model is shown.
	maxFile    = 20 << 20
	maxPicture = 5 << 20
	// A file counts for that much at least, so that small ones are not without number.
	leastFile = 4 << 10
	// What a file is called until it is whole; one so old is none any more.
	partial    = ".part-"
	partialAge = time.Hour
	// How many files of one name there may be.
	maxNames = 1000
)

// inbox keeps the files that people send, each whole or not at all.
type inbox struct {
	// limit is what the files of one chat may take, in bytes.
	limit int64
	// places are shared by the chats whose files are fetched.
	places *fair.Places
	log    zerolog.Logger

	mu sync.Mutex
	// expected is what those take, by space, that are under way.
	expected map[string]int64
}

func newInbox(limit int64, log zerolog.Logger) *inbox {
	return &inbox{limit: limit, places: fair.New(maxFetches), log: log, expected: map[string]int64{}}
}

// fetch is the agent's way to the files of messages.
func (a *App) fetch(ctx context.Context, at channels.Address, space string, f channels.Attachment) agent.Fetched {
	from, ok := a.at(at).(channels.AttachmentOpener)
	if !ok {
		return agent.Fetched{Outcome: "could not be fetched"}
	}
	free, err := a.inbox.places.Take(ctx, fmt.Sprintf("%q %q %q", at.Channel, at.Account, at.Chat), nil)
	if err != nil {
		return agent.Fetched{Outcome: "not fetched: no time was left"}
	}
	defer free()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	kept, err := a.inbox.fetch(ctx, from, space, f)
	full, isFull := errors.AsType[*fullError](err)
	switch {
	case isFull:
		return agent.Fetched{Outcome: "not fetched: " + full.Error()}
	case errors.Is(err, channels.ErrTooLarge):
		return agent.Fetched{Outcome: channels.ErrTooLarge.Error()}
	case err != nil:
		a.log.Warn().Err(err).Str("channel", at.Channel).Str("chat", at.Chat).Str("file", f.About).Msg("a file cannot be fetched")
		return agent.Fetched{Outcome: "could not be fetched"}
	}
	got := agent.Fetched{Outcome: "saved as " + kept.path}
	if kept.mime != "" && kept.size <= maxPicture {
		got.Picture = &providers.Image{MIME: kept.mime, Path: kept.path, Size: kept.size}
	}
	return got
}

// fullError says that a chat has as many files as it may have.
type fullError struct{ limit int64 }

// Error implements error; a model reads it.
func (e *fullError) Error() string {
	return fmt.Sprintf("the files of this chat already take the %d MB that they may", e.limit/1e6)
}

// keptFile is a file in a space; mime is set for pictures only.
type keptFile struct {
	path, mime string
	size       int64
}

// fetch stores a file in a space.
func (b *inbox) fetch(ctx context.Context, from channels.AttachmentOpener, space string, f channels.Attachment) (keptFile, error) {
	if f.Size > maxFile {
		return keptFile{}, channels.ErrTooLarge
	}
	if err := workspace.EnsureSpace(space); err != nil {
		return keptFile{}, fmt.Errorf("the chat's space: %w", err)
	}
	root, err := os.OpenRoot(space)
	if err != nil {
		return keptFile{}, fmt.Errorf("the chat's space: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(inboxDir, 0o700); err != nil {
		return keptFile{}, fmt.Errorf("the folder for files: %w", err)
	}
	box, err := openat.Folder(root, inboxDir) // a program of the chat may have put something else there
	if err != nil {
		return keptFile{}, fmt.Errorf("the folder for files: %w", err)
	}
	defer box.Close()
	done, err := b.reserve(box, space, f.Size)
	if err != nil {
		return keptFile{}, err
	}
	defer done()
	content, err := from.OpenAttachment(ctx, f)
	if err != nil {
		return keptFile{}, err
	}
	defer content.Close()
	return keep(box, fileName(f.Name), content)
}

// reserve finds room for a file of size bytes, 0 for one of any size, until done
// is called. Two that ask at once may both be refused where one would fit.
func (b *inbox) reserve(box *os.Root, space string, size int64) (done func(), err error) {
	if size == 0 {
		size = maxFile
	}
	size = max(size, leastFile)
	b.mu.Lock()
	b.expected[space] += size
	expected := b.expected[space]
	b.mu.Unlock()
	done = func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.expected[space] -= size; b.expected[space] == 0 {
			delete(b.expected, space)
		}
	}
	there, err := taken(box)
	if err == nil && there+expected > b.limit {
		err = &fullError{b.limit}
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// taken is what the files in an inbox take; those under way do not count here. It
// removes what a process left unfinished that died.
func taken(box *os.Root) (int64, error) {
	dir, err := box.Open(".")
	if err != nil {
		return 0, fmt.Errorf("the folder for files: %w", err)
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return 0, fmt.Errorf("the folder for files: %w", err)
	}
	var sum int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // it has gone meanwhile
		}
		if !strings.HasPrefix(e.Name(), partial) {
			sum += max(info.Size(), leastFile)
			continue
		}
		if time.Since(info.ModTime()) > partialAge {
			if err := box.Remove(e.Name()); err != nil {
				return 0, fmt.Errorf("the folder for files: %w", err)
			}
		}
	}
	return sum, nil
}

// keep stores what r gives under a name of its own. What did not come whole is not
// kept; what is there already, byte for byte, is not kept twice.
func keep(box *os.Root, name string, r io.Reader) (kept keptFile, err error) {
	f, part, err := newPart(box)
	if err != nil {
		return kept, err
	}
	defer func() {
		if part != "" {
			err = errors.Join(err, box.Remove(part))
		}
	}()
	head := &head{}
	kept.size, err = io.Copy(f, io.TeeReader(io.LimitReader(r, maxFile+1), head))
	if err == nil && kept.size > maxFile {
		err = channels.ErrTooLarge
	}
	if err == nil {
		err = f.Sync() // what is said to be saved is
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return kept, fmt.Errorf("keep a file: %w", err)
	}
	kept.mime = head.picture()
	at, fresh, err := berth(box, name, part, kept.size)
	if kept.path = path.Join(inboxDir, at); err != nil || !fresh {
		return kept, err
	}
	if err := box.Rename(part, at); err != nil {
		return kept, fmt.Errorf("keep a file: %w", errors.Join(err, box.Remove(at)))
	}
	part = ""
	return kept, nil
}

// head keeps the first bytes of what is written, which tell its type.
type head struct{ b bytes.Buffer }

const headSize = 512

// Write implements [io.Writer].
func (h *head) Write(p []byte) (int, error) {
	h.b.Write(p[:min(len(p), headSize-h.b.Len())])
	return len(p), nil
}

// picture is the type of a picture that models can be shown, "" of anything else.
func (h *head) picture() string {
	switch mime := http.DetectContentType(h.b.Bytes()); mime {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return mime
	default:
		return ""
	}
}

// newPart creates a file that is not whole yet.
func newPart(box *os.Root) (*os.File, string, error) {
	for n := range maxNames {
		at := partial + strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.Itoa(n)
		f, err := create(box, at)
		if !errors.Is(err, os.ErrExist) {
			return f, at, err
		}
	}
	return nil, "", os.ErrExist
}

func create(box *os.Root, at string) (*os.File, error) {
	f, err := box.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep a file: %w", err)
	}
	return f, nil
}

// berth finds where the file part belongs, with a number where its name is taken:
// it is there already, or an empty file is that is fresh.
func berth(box *os.Root, name, part string, size int64) (at string, fresh bool, err error) {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n <= maxNames; n++ {
		f, err := create(box, name)
		switch {
		case err == nil:
			return name, true, f.Close()
		case !errors.Is(err, os.ErrExist):
			return "", false, err
		case same(box, name, part, size):
			return name, false, nil
		}
		name = stem + "-" + strconv.Itoa(n+1) + ext
	}
	return "", false, fmt.Errorf("keep a file: there are %d of the name %s", maxNames, name)
}

// same says whether two files have the same content; a is of any kind and size.
func same(box *os.Root, a, b string, size int64) bool {
	one, info, err := openat.File(box, a)
	if err != nil {
		return false
	}
	defer one.Close()
	if info.Size() != size {
		return false
	}
	other, _, err := openat.File(box, b)
	if err != nil {
		return false
	}
	defer other.Close()
	const piece = 32 << 10
	x, y := make([]byte, piece), make([]byte, piece)
	for {
		n, err := io.ReadFull(one, x)
		m, _ := io.ReadFull(other, y) // its size is known
		if !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}

// maxFileName bounds a kept file's name in bytes.
const maxFileName = 120

// fileName is what somebody called a file, as a plain name.
func fileName(name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case c == '.', c == '-', c == '_', c == ' ', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c > 0x7f && strconv.IsPrint(c):
			return c
		default:
			return '_'
		}
	}, strings.ToValidUTF8(path.Base(strings.ReplaceAll(name, `\`, "/")), "_"))
	name = strings.TrimLeft(strings.TrimSpace(name), ".")
	for len(name) > maxFileName {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:] // the end tells what kind of file it is
	}
	if name == "" {
		return "file-" + time.Now().UTC().Format("20060102-150405")
	}
	return name
}

package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/fair"
	"parley/pkg/openat"
	"parley/pkg/providers"
	"parley/workspace"
)

// Inbox is the folder of a chat's space that holds the files which people sent.
const Inbox = "inbox"

const (
	// The number of files that are fetched at once, over all chats, and the time for one.
	maxFetches = 16
	fetchTime  = 10 * time.Second
	// The largest file, and the largest picture that a model is shown.
	maxFile    = 20 << 20
	maxPicture = 5 << 20
	// A file counts for that much at least, which bounds the number of small ones.
	leastFile = 4 << 10
)

// AttachmentOptions are the parts of [Attachments].
type AttachmentOptions struct {
	// Limit is the size of all files of one chat, in bytes.
	Limit int64
	// Opener is the way to the files of a message at an address; false without files.
	Opener func(channels.Address) (channels.AttachmentOpener, bool)
	Log    zerolog.Logger
}

// Attachments keeps the files that people send, each whole or not at all.
type Attachments struct {
	o AttachmentOptions
	// places are shared by the chats that fetch files.
	places *fair.Places

	mu sync.Mutex
	// expected is the size of the files under way, by space.
	expected map[string]int64
}

// NewAttachments keeps files under the limits of o.
func NewAttachments(o AttachmentOptions) *Attachments {
	return &Attachments{o: o, places: fair.New(maxFetches), expected: map[string]int64{}}
}

// Fetch stores a file of a message in a space, for the agent. It waits for one of the
// places that all chats share. The outcome is a text for the model.
func (b *Attachments) Fetch(ctx context.Context, at channels.Address, space string, f channels.Attachment) prompt.Fetched {
	from, ok := b.o.Opener(at)
	if !ok {
		return prompt.Fetched{Outcome: "could not be fetched"}
	}
	free, err := b.places.Take(ctx, fmt.Sprintf("%q %q %q", at.Channel, at.Account, at.Chat), nil)
	if err != nil {
		return prompt.Fetched{Outcome: "not fetched: no time was left"}
	}
	defer free()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	if space == "" {
		return b.look(ctx, from, f)
	}
	kept, err := b.fetch(ctx, from, space, f)
	full, isFull := errors.AsType[*fullError](err)
	switch {
	case isFull:
		return prompt.Fetched{Outcome: "not fetched: " + full.Error()}
	case errors.Is(err, channels.ErrTooLarge):
		return prompt.Fetched{Outcome: channels.ErrTooLarge.Error()}
	case err != nil:
		b.o.Log.Warn().Err(err).Str("channel", at.Channel).Str("chat", at.Chat).Str("file", f.About).Msg("a file cannot be fetched")
		return prompt.Fetched{Outcome: "could not be fetched"}
	}
	got := prompt.Fetched{Outcome: "saved as " + kept.path + kept.readable, Path: kept.path}
	if kept.mime != "" && kept.size <= maxPicture {
		got.Picture = &providers.Image{MIME: kept.mime, Path: kept.path, Size: kept.size}
	}
	return got
}

// look is for a chat of one request, which has no files of its own: its turn sees a picture where the channel keeps it.
func (b *Attachments) look(ctx context.Context, from channels.AttachmentOpener, f channels.Attachment) prompt.Fetched {
	open := func() (io.ReadCloser, int64, error) {
		content, err := from.OpenAttachment(context.WithoutCancel(ctx), f)
		return content, f.Size, err
	}
	content, _, err := open()
	if err != nil {
		b.o.Log.Warn().Err(err).Str("file", f.About).Msg("a file cannot be shown")
		return prompt.Fetched{Outcome: "could not be fetched"}
	}
	defer func() { _ = content.Close() }() // nothing was written
	first := &head{}
	size, err := io.Copy(first, io.LimitReader(content, maxPicture+1))
	kind := first.picture()
	switch {
	case err != nil:
		return prompt.Fetched{Outcome: "could not be fetched"}
	case kind == "":
		return prompt.Fetched{Outcome: "not fetched: no picture, and this chat keeps no files"}
	case size > maxPicture:
		return prompt.Fetched{Outcome: channels.ErrTooLarge.Error()}
	}
	return prompt.Fetched{Outcome: "shown here, and not saved", Picture: &providers.Image{MIME: kind, Path: f.Name, Size: size, Open: open}}
}

// fullError is for a chat with files up to its limit.
type fullError struct{ limit int64 }

// Error implements error; a model reads it.
func (e *fullError) Error() string {
	return fmt.Sprintf("the files of this chat already take the %d MB that they may", e.limit/1e6)
}

// fetch stores a file in a space.
func (b *Attachments) fetch(ctx context.Context, from channels.AttachmentOpener, space string, f channels.Attachment) (saved, error) {
	if f.Size > maxFile {
		return saved{}, channels.ErrTooLarge
	}
	if err := workspace.EnsureSpace(space); err != nil {
		return saved{}, fmt.Errorf("the chat's space: %w", err)
	}
	root, err := os.OpenRoot(space)
	if err != nil {
		return saved{}, fmt.Errorf("the chat's space: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(Inbox, 0o700); err != nil {
		return saved{}, fmt.Errorf("the folder for files: %w", err)
	}
	box, err := openat.Folder(root, Inbox) // a program of the chat may have put something else there
	if err != nil {
		return saved{}, fmt.Errorf("the folder for files: %w", err)
	}
	defer box.Close()
	done, err := b.reserve(box, space, f.Size)
	if err != nil {
		return saved{}, err
	}
	defer done()
	content, err := from.OpenAttachment(ctx, f)
	if err != nil {
		return saved{}, err
	}
	defer content.Close()
	return save(box, fileName(f.Name), content)
}

// reserve finds room for a file of size bytes, 0 for one of any size, until done
// is called. Of two that ask at once both may be refused where one would fit.
func (b *Attachments) reserve(box *os.Root, space string, size int64) (done func(), err error) {
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
	if err == nil && there+expected > b.o.Limit {
		err = &fullError{b.o.Limit}
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// taken is the size of the whole files in an inbox. It removes the unfinished files of
// a process that died.
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

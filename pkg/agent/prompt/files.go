package prompt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/openat"
	"parley/pkg/panics"
)

const (
	// How much of a file of the chat's space goes into the prompt, in bytes.
	maxFile = 8 << 10
	// MaxRules bounds the same of the operator's instructions, in bytes.
	MaxRules = 32 << 10
)

// Files are the texts of a prompt that come from files.
type Files struct {
	// Agent are the operator's instructions, Chat those for the chat alone; User and Memory
	// are files of the space.
	Agent, Chat, User, Memory string
	// Folders names the folders of the chat beside its own files.
	Folders string
}

// Files reads the files of a prompt for the chat at an address. A disk that hangs holds up the call until ctx
// ends. The read itself goes on then, once for each space, until the disk answers or
// the process ends.
func (r *Reader) Files(ctx context.Context, at channels.Address, space string, log *zerolog.Logger) (Files, error) {
	for {
		var got Files
		var broken error
		ended, mine := r.reserve(space)
		if mine {
			go func() {
				defer r.release(space, ended)
				p := panics.Catch(func() {
					heads := readHeads(space, log, "USER.md", "MEMORY.md")
					got = Files{Agent: r.o.AgentFile(), Chat: r.o.ChatFile(at), User: heads[0], Memory: heads[1], Folders: r.o.Folders(at)}
				})
				if p != nil {
					broken = fmt.Errorf("the files of the prompt cannot be read: %v\n%s", p.Value, p.Stack)
				}
			}()
		}
		select {
		case <-ended:
			if mine {
				return got, broken
			}
		case <-ctx.Done():
			return Files{}, context.Cause(ctx)
		}
	}
}

// reserve makes the caller the one reader of a space. Where there is another one, it
// gives the channel that is closed at the end of that reader's work, and false.
func (r *Reader) reserve(space string) (ended chan struct{}, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.reading[space]; other != nil {
		return other, false
	}
	ended = make(chan struct{})
	r.reading[space] = ended
	return ended, true
}

func (r *Reader) release(space string, ended chan struct{}) {
	r.mu.Lock()
	delete(r.reading, space)
	r.mu.Unlock()
	close(ended)
}

// readHeads reads the first bytes of files of the chat's space. A link, a pipe or a
// folder there reads as empty, and the log says why.
func readHeads(space string, log *zerolog.Logger, names ...string) []string {
	texts := make([]string, len(names))
	root, err := os.OpenRoot(space)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			log.Warn().Err(err).Msg("the files of the chat's space are no part of the prompt")
		}
		return texts
	}
	defer func() { _ = root.Close() }()
	for i, name := range names {
		b, err := openat.Head(root, name, maxFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn().Err(err).Str("file", name).Msg("a file of the chat's space is no part of the prompt")
		}
		texts[i] = strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
	}
	return texts
}

package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"parley/pkg/openat"
)

// ChatPrompts are the files with the operator's instructions for single chats.
type ChatPrompts struct{ files map[string]*promptFile }

// NewChatPrompts are the files at the paths; the keys of byPlace name their chats.
func NewChatPrompts(byPlace map[string]string, log zerolog.Logger) *ChatPrompts {
	p := &ChatPrompts{files: map[string]*promptFile{}}
	for place, path := range byPlace {
		p.files[place] = &promptFile{
			path: path, name: "the prompt of " + place, log: log,
			read: func() (string, fs.FileInfo, error) { return readChatPrompt(path) },
		}
	}
	return p
}

// Text is the file for the chat with this key as it is now, or as it was when it was last
// good; "" where there is none. It is read again when its size or time has changed.
func (p *ChatPrompts) Text(place string) string {
	f := p.files[place]
	if f == nil {
		return ""
	}
	return f.Text()
}

// Trouble is the defect of the first file in which the last turn found one, or "".
func (p *ChatPrompts) Trouble() string {
	for _, place := range slices.Sorted(maps.Keys(p.files)) {
		if t := p.files[place].Trouble(); t != "" {
			return t
		}
	}
	return ""
}

// CheckChatPrompt returns the defect of a file with the instructions for a chat. The error
// names the cure.
func CheckChatPrompt(path string) error {
	_, _, err := readChatPrompt(path)
	return err
}

func readChatPrompt(path string) (string, fs.FileInfo, error) {
	f, st, err := openat.Own(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("there is no file %s: write the instructions for this chat into it", path)
	case err != nil:
		return "", nil, fmt.Errorf("the prompt cannot be read (%w): make it a file that the gateway's user may read", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAgentFile+1))
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("the prompt cannot be read: %w", err)
	case len(text) > maxAgentFile:
		return "", nil, fmt.Errorf("%s is longer than %d bytes: shorten it", path, maxAgentFile)
	case strings.TrimSpace(string(text)) == "":
		return "", nil, fmt.Errorf("%s is empty: write the instructions for this chat into it, or leave the key out", path)
	}
	return strings.ToValidUTF8(string(text), ""), st, nil
}

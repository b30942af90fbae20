package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/pkg/durable"
	"parley/pkg/openat"
)

// The bounds of the file.
const (
	maxLines = 2000
	maxBytes = 1 << 20
	maxLine  = 64 << 10
	fileMode = 0o600
	dirMode  = 0o700
	mayWrite = 2 | 1 // W_OK and X_OK of access(2)
)

// History is the lines of a person, the newest last. It is for one goroutine.
type History struct {
	path   string // "" keeps them in memory alone
	redact func(string) string
	lines  []entry
}

// File is a file that went with a line, and the words that name it there.
type File struct {
	Words string `json:"words"`
	Path  string `json:"path"`
}

// entry is a line in the file.
type entry struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`
	// Files are those that went with it, in their order.
	Files []File `json:"files,omitempty"`
}

// Path is the file of the present user: in the state folder, or for a member of the group that may
// attach, who cannot write there, in their own folder.
func Path(stateDir, ownDir string) string {
	name := fmt.Sprintf("console-history-%d.jsonl", os.Geteuid())
	if filepath.IsAbs(ownDir) && errors.Is(syscall.Access(stateDir, mayWrite), os.ErrPermission) {
		return filepath.Join(ownDir, name)
	}
	return filepath.Join(stateDir, name)
}

// Open reads the history of a file; a missing one is empty. Redact takes secrets out of lines. The
// error says why the lines of this run are not kept.
func Open(path string, redact func(string) string) (*History, error) {
	h := &History{path: path, redact: redact}
	f, info, err := openat.Own(path)
	if errors.Is(err, os.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		h.path = ""
		return h, err
	}
	defer func() { _ = f.Close() }() // it was read
	if own, ok := info.Sys().(*syscall.Stat_t); ok && int(own.Uid) != os.Geteuid() {
		h.path = ""
		return h, fmt.Errorf(textForeign, path)
	}
	if from := info.Size() - 2*maxBytes; from > 0 {
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			h.path = ""
			return h, err
		}
	}
	h.read(f)
	if info.Size() > maxBytes || len(h.lines) > maxLines {
		err = h.shrink()
	}
	return h, err
}

// read takes the lines that can be read, and leaves out the others.
func (h *History) read(r io.Reader) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 2*maxBytes)
	for in.Scan() {
		var e entry
		if json.Unmarshal(in.Bytes(), &e) == nil && e.Text != "" {
			h.remember(e)
		}
	}
}

// remember puts a line at the end; an equal one before gives way.
func (h *History) remember(e entry) {
	h.lines = append(slices.DeleteFunc(h.lines, func(o entry) bool { return o.Text == e.Text }), e)
}

// Len is how many lines there are, and Line one of them: 0 is the newest.
func (h *History) Len() int { return len(h.lines) }

// Line is explained at [History.Len].
func (h *History) Line(back int) string { return h.lines[len(h.lines)-1-back].Text }

// Files are those that went with a line.
func (h *History) Files(back int) []File { return h.lines[len(h.lines)-1-back].Files }

// Find is the first line from one on that contains a text, in any case; -1 where none does.
func (h *History) Find(text string, from int) int {
	text = strings.ToLower(text)
	for back := max(0, from); back < h.Len(); back++ {
		if strings.Contains(strings.ToLower(h.Line(back)), text) {
			return back
		}
	}
	return -1
}

// Add keeps a line that was sent, with its files.
func (h *History) Add(text string, files ...File) error {
	if strings.TrimSpace(text) == "" || strings.HasPrefix(text, " ") || len(text) > maxLine {
		return nil
	}
	text = h.redact(strings.TrimSpace(text))
	secret := func(f File) bool { return h.redact(f.Words) != f.Words || h.redact(f.Path) != f.Path }
	e := entry{time.Now().UTC(), text, slices.DeleteFunc(files, secret)}
	h.remember(e)
	if len(h.lines) > maxLines {
		h.lines = slices.Delete(h.lines, 0, len(h.lines)-maxLines)
	}
	if h.path == "" {
		return nil
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := openat.Append(h.path, fileMode)
	if errors.Is(err, os.ErrNotExist) { // the own folder of a member, which has no gateway there
		if err = os.MkdirAll(filepath.Dir(h.path), dirMode); err == nil {
			f, err = openat.Append(h.path, fileMode)
		}
	}
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return errors.Join(err, f.Close())
	}
	_, err = f.Write(append(raw, '\n')) // one write
	return errors.Join(err, f.Close())
}

// shrink writes the newest lines anew, at most half of the bounds.
func (h *History) shrink() error {
	size, from := 0, len(h.lines)
	for from > 0 && len(h.lines)-from < maxLines/2 && size < maxBytes/2 {
		from--
		size += len(h.lines[from].Text)
	}
	h.lines = slices.Clone(h.lines[from:])
	var all bytes.Buffer
	for _, e := range h.lines {
		raw, err := json.Marshal(e)
		if err != nil {
			return err
		}
		all.Write(append(raw, '\n'))
	}
	return durable.Replace(h.path, func(w io.Writer) error {
		_, err := w.Write(all.Bytes())
		return err
	})
}

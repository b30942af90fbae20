package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/durable"
)

// head is the newest row that was synced.
type head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

const headName = "head"

// writeHead overwrites the head in place: it always has the same length, less
// than a sector, so that a crash leaves the old one or the new one.
func writeHead(path string, h head) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, fileMode) //nolint:gosec // a name in the operator's folder
	if err != nil {
		return err
	}
	return errors.Join(h.write(f), f.Close())
}

func (h head) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, `{"seq":%20d,"hash":"%s"}`+"\n", h.Seq, h.Hash)
	return err
}

// firstHead makes a head that knows of no row, whole or not at all.
func firstHead(dir string) error {
	return durable.Replace(filepath.Join(dir, headName), head{Hash: noHash()}.write)
}

// readHead returns the head, or errNoHead if it is missing.
func readHead(dir string) (head, error) {
	var h head
	text, err := os.ReadFile(filepath.Join(dir, headName)) //nolint:gosec // a name in the operator's folder
	if errors.Is(err, fs.ErrNotExist) {
		return h, errNoHead
	}
	if err != nil {
		return h, err
	}
	if json.Unmarshal(text, &h) != nil || len(h.Hash) != hashSize {
		return head{}, errHead
	}
	return h, nil
}

// steadyHead reads the head until it is the same twice: its writer may be at work.
func steadyHead(dir string) (head, error) {
	const tries = 10
	before, beforeErr := readHead(dir)
	for range tries {
		now, err := readHead(dir)
		if now == before && errors.Is(err, beforeErr) {
			return now, err
		}
		before, beforeErr = now, err
	}
	return before, beforeErr
}

// errNoHead and errHead say that the head does not tell the last row.
var (
	errNoHead = errors.New("the file head is missing")
	errHead   = errors.New("the file head cannot be read")
)

// segment is one file of rows.
type segment struct {
	path string
	// first is the number of its first row, by its name.
	first uint64
}

// segments lists the segments in order.
func segments(dir string) ([]segment, error) {
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []segment
	for _, n := range names {
		number, ok := strings.CutSuffix(n.Name(), ".jsonl")
		first, err := strconv.ParseUint(number, 10, 64)
		if ok && err == nil && n.Type().IsRegular() {
			all = append(all, segment{path: filepath.Join(dir, n.Name()), first: first})
		}
	}
	slices.SortFunc(all, func(a, b segment) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// end is where the chain goes on.
type end struct {
	// segment is appended to; "" begins a new one.
	segment string
	size    int64
	seq     uint64
	prev    string
	// notes are rows about damage.
	notes []Row
}

func (e *end) note(outcome, format string, args ...any) {
	e.notes = append(e.notes, Row{Kind: KindAudit, Outcome: outcome, Detail: fmt.Sprintf(format, args...)})
}

// findEnd finds the last row and sets aside the bytes behind it.
func findEnd(dir string) (end, error) {
	e := end{prev: noHash()}
	all, err := segments(dir)
	if err != nil {
		return e, err
	}
	h, err := readHead(dir)
	switch {
	case errors.Is(err, errHead), errors.Is(err, errNoHead) && len(all) > 0:
		e.note("damaged", "%s; it is written anew", err)
	case err != nil && !errors.Is(err, errNoHead):
		return e, err
	}
	for i, s := range slices.Backward(all) {
		line, size, err := e.lastLine(s)
		if err != nil {
			return e, err
		}
		if line == nil {
			continue // all of it was set aside
		}
		last, err := parse(line)
		if err != nil {
			e.note("damaged", "the last line of %s cannot be trusted: %s", filepath.Base(s.path), err)
			e.seq = max(h.Seq, s.first)
			if most := s.first + uint64(size)/minLine; last.Seq > e.seq && last.Seq <= most { //nolint:gosec // a size is not negative
				e.seq = last.Seq
			}
			return e, nil
		}
		e.seq, e.prev = last.Seq, last.Hash
		if i == len(all)-1 {
			e.segment, e.size = s.path, size
		}
		break
	}
	e.compare(h)
	return e, nil
}

// compare holds the end against the head.
func (e *end) compare(h head) {
	switch {
	case h.Seq > e.seq:
		e.note("missing", "rows %d to %d are missing", e.seq+1, h.Seq)
		// The numbers go on behind the missing rows, so that the gap stays visible.
		e.segment, e.size, e.seq, e.prev = "", 0, h.Seq, h.Hash
	case h.Seq == e.seq && h.Seq > 0 && h.Hash != e.prev:
		e.note("changed", "row %d is not the one that was written", e.seq)
	}
}

// lastLine returns the last whole line of a segment, or nil, and the size of the
// whole lines. The bytes behind it are moved to a file of their own.
func (e *end) lastLine(s segment) ([]byte, int64, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	whole, err := lastNewline(f, info.Size())
	if err != nil {
		return nil, 0, err
	}
	if torn := info.Size() - whole; torn > 0 {
		name := fmt.Sprintf("torn-%020d-%d", s.first, whole)
		if err := setAside(f, whole, filepath.Join(filepath.Dir(s.path), name)); err != nil {
			name = "no file (" + err.Error() + ")"
		}
		if err := os.Truncate(s.path, whole); err != nil {
			return nil, 0, err
		}
		e.note("torn", "%d bytes of a row that was not whole were set aside in %s", torn, name)
	}
	if whole == 0 {
		return nil, 0, nil
	}
	from := max(0, whole-maxLine)
	text := make([]byte, whole-from-1) // without the newline
	if _, err := f.ReadAt(text, from); err != nil {
		return nil, 0, err
	}
	return text[bytes.LastIndexByte(text, '\n')+1:], whole, nil
}

// lastNewline returns the offset behind the last newline, or 0.
func lastNewline(f *os.File, size int64) (int64, error) {
	const window = 64 << 10
	buf := make([]byte, window)
	for size > 0 {
		from := max(0, size-window)
		n, err := f.ReadAt(buf[:size-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		size = from
	}
	return 0, nil
}

// setAside copies a file from an offset on.
func setAside(f *os.File, from int64, path string) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, fileMode) //nolint:gosec // a name in the operator's folder
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.NewSectionReader(f, from, 1<<62))
	return errors.Join(err, to.Close())
}

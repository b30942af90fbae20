package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Report is the result of [Verify].
type Report struct {
	// Rows is how many rows were good; First and Last are their numbers, LastHash
	// is the hash of the last.
	Rows        int    `json:"rows"`
	First       uint64 `json:"first"`
	Last        uint64 `json:"last"`
	LastHash    string `json:"last_hash"`
	Segments    int    `json:"segments"`
	Unfinished  bool   `json:"unfinished,omitempty"` // the last line is being written, or was when the process ended
	OwnTroubles int    `json:"own_troubles"`         // rows of [KindAudit], about the log itself
}

// BrokenError is the first thing that is wrong with a chain. It is an error.
type BrokenError struct {
	// Seq is the number of the bad row; 0 where the line does not even have one.
	Seq uint64
	// Place is the segment and its line; "" for rows that are missing at the end.
	Place string
	What  string
}

// Error implements error.
func (p *BrokenError) Error() string {
	s := "the audit log is not whole: "
	if p.Seq > 0 {
		s += fmt.Sprintf("row %d", p.Seq)
	} else {
		s += "a line"
	}
	if p.Place != "" {
		s += " (" + p.Place + ")"
	}
	return s + ": " + p.What
}

// Verify reads the log of a folder and checks every row and the chain, from row
// number from on; 0 means all. A gateway may be writing it meanwhile. The
// error is a [*BrokenError] where the log was read and is not whole; the report then
// speaks of the rows before that.
func Verify(ctx context.Context, dir string, from uint64) (Report, error) {
	v := verifier{from: max(from, 1), prev: noHash()}
	// The head first: its row is on the disk already.
	h, headErr := steadyHead(dir)
	if headErr != nil && !errors.Is(headErr, errHead) && !errors.Is(headErr, errNoHead) {
		return v.report, headErr
	}
	v.head = h
	all, err := segments(dir)
	if err != nil {
		return v.report, err
	}
	if errors.Is(headErr, errNoHead) {
		if len(all) == 0 {
			return v.report, nil // the log is still empty
		}
		// The first row was perhaps being written: its segment comes after the head.
		v.head, headErr = steadyHead(dir)
		if all, err = segments(dir); err != nil {
			return v.report, err
		}
	}
	for i, s := range all {
		if err := eachLine(ctx, s.path, i == len(all)-1, v.line); err != nil {
			return v.report, err
		}
		v.report.Segments++
	}
	v.report.Unfinished = v.unfinished
	if headErr != nil {
		return v.report, &BrokenError{Seq: v.last, What: headErr.Error() + ", so that nobody can tell whether this is the last row"}
	}
	return v.report, v.missing()
}

// verifier walks along the chain.
type verifier struct {
	from       uint64
	head       head
	prev       string
	last       uint64
	unfinished bool
	report     Report
}

func (v *verifier) line(l line) error {
	if !l.whole && l.final {
		v.unfinished = true
		return nil
	}
	bad := func(seq uint64, what string) error { return &BrokenError{Seq: seq, Place: l.place(), What: what} }
	r, err := parse(l.text)
	if v.skips(r, err) {
		return nil
	}
	next := max(v.last+1, v.from)
	if err != nil {
		return bad(next, err.Error())
	}
	switch {
	case r.Seq == v.from && v.last == 0 && v.from > 1: // the row before it is not checked
	case r.Seq > next:
		return bad(next, fmt.Sprintf("it is missing: row %d follows row %d", r.Seq, v.last))
	case r.Seq < next:
		return bad(r.Seq, fmt.Sprintf("it is out of order: it follows row %d", v.last))
	case r.Prev != v.prev:
		return bad(r.Seq, "it does not follow the row before it: one of them was replaced")
	}
	if r.Seq == v.head.Seq && r.Hash != v.head.Hash {
		return bad(r.Seq, "it is not the row that was written: the chain was made anew from here or before")
	}
	v.prev, v.last = r.Hash, r.Seq
	if v.report.First == 0 {
		v.report.First = r.Seq
	}
	v.report.Rows++
	v.report.Last, v.report.LastHash = r.Seq, r.Hash
	if r.Kind == KindAudit {
		v.report.OwnTroubles++
	}
	return nil
}

// skips says whether a line is before the requested rows.
func (v *verifier) skips(r Row, err error) bool {
	return v.last == 0 && (r.Seq < v.from && r.Seq > 0 || err != nil && r.Seq == 0 && v.from > 1)
}

// missing looks for rows that should be there.
func (v *verifier) missing() error {
	next := max(v.last+1, v.from)
	switch {
	case v.head.Seq >= next:
		return &BrokenError{Seq: next, What: fmt.Sprintf("it is missing, and so is all up to row %d: the end was cut off", v.head.Seq)}
	case v.last == 0 && v.from > 1:
		return &BrokenError{Seq: v.from, What: "it is not there"}
	}
	return nil
}

// Read hands the rows of a folder to each in order, those that cannot be trusted
// with an error, until each returns one.
func Read(ctx context.Context, dir string, each func(Row, error) error) error {
	all, err := segments(dir)
	if err != nil {
		return err
	}
	for i, s := range all {
		err := eachLine(ctx, s.path, i == len(all)-1, func(l line) error {
			if !l.whole && l.final {
				return nil
			}
			r, err := parse(l.text)
			if err != nil {
				err = &BrokenError{Seq: r.Seq, Place: l.place(), What: err.Error()}
			}
			return each(r, err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// line is one line of a segment.
type line struct {
	segment string
	number  int
	text    []byte
	// whole says that it ends with a newline, final that it is of the newest segment.
	whole, final bool
}

func (l *line) place() string { return fmt.Sprintf("%s, line %d", l.segment, l.number) }

func eachLine(ctx context.Context, path string, final bool, each func(line) error) error {
	f, err := os.Open(path) //nolint:gosec // a name in the operator's folder
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, maxLine)
	l := line{segment: filepath.Base(path), final: final}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) { // longer than any row: its begin will do
			text = bytes.Clone(text)
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = in.ReadSlice('\n')
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil && len(text) == 0 {
			return nil
		}
		l.number++
		l.text, l.whole = bytes.TrimSuffix(text, []byte("\n")), err == nil
		if err := each(l); err != nil {
			return err
		}
	}
}

package blocks

import (
	"bytes"
	"fmt"
)

const (
	// The length at which a block of a table is full.
	leafSize = 4 << 10
	// The length of a key.
	maxKey = 4 << 10
	// How many levels a table has at most.
	maxDepth = 8
)

// Root is where a table begins.
type Root struct {
	Ref   Ref
	Depth int   // 0: the root is a leaf
	Count int64 // of the entries
}

// Append encodes the root.
func (r Root) Append(b []byte) []byte {
	return AppendNumber(AppendNumber(r.Ref.Append(b), int64(r.Depth)), r.Count)
}

// Root reads the root of a table in a part of size bytes.
func (f *Fields) Root(size int64) Root {
	return Root{Ref: f.Ref(size), Depth: int(f.Number(maxDepth)), Count: f.Number(size)}
}

// TableWriter writes a sorted table.
type TableWriter struct {
	w      *Writer
	origin int64 // of the part to which the table belongs
	levels []*level
	began  bool
}

// level is the open block of one level.
type level struct {
	b       []byte
	first   []byte // key of the block
	last    []byte
	entries int64 // of the table, below the block
	value   []byte
}

// NewTable begins a table in the part that is open. Other blocks, and parts, may be written between
// its entries.
func NewTable(w *Writer) *TableWriter {
	return &TableWriter{w: w, origin: w.origin, levels: []*level{{}}}
}

// Add puts an entry behind the last one, whose key must be smaller.
func (t *TableWriter) Add(key, value []byte) error {
	leaf := t.levels[0]
	if t.began && bytes.Compare(key, leaf.last) <= 0 || len(key) > maxKey {
		return fmt.Errorf("the key %.40q follows %.40q", key, leaf.last)
	}
	if len(leaf.b) > 0 && len(leaf.b)+len(value) >= leafSize {
		if err := t.close(0); err != nil {
			return err
		}
	}
	t.began = true
	leaf.add(key, value, 1)
	return nil
}

func (l *level) add(key, value []byte, entries int64) {
	shared := 0
	if len(l.b) == 0 {
		l.first = append(l.first[:0], key...)
	} else {
		for shared < len(key) && shared < len(l.last) && key[shared] == l.last[shared] {
			shared++
		}
	}
	l.b = AppendNumber(l.b, int64(shared))
	l.b = AppendBytes(l.b, key[shared:])
	l.b = AppendBytes(l.b, value)
	l.last = append(l.last[:0], key...)
	l.entries += entries
}

// close writes the open block of a level and puts it into the level above.
func (t *TableWriter) close(n int) error {
	l := t.levels[n]
	ref, err := t.write(n)
	if err != nil {
		return err
	}
	if n+1 == len(t.levels) {
		t.levels = append(t.levels, &level{})
	}
	above := t.levels[n+1]
	if len(above.b) >= leafSize {
		if err := t.close(n + 1); err != nil {
			return err
		}
	}
	l.value = AppendNumber(ref.Append(l.value[:0]), l.entries)
	above.add(l.first, l.value, l.entries)
	l.b, l.entries = l.b[:0], 0
	return nil
}

// write writes the open block of a level. Its place is one of the table's part.
func (t *TableWriter) write(n int) (Ref, error) {
	open := t.w.origin
	defer t.w.End(open)
	t.w.End(t.origin)
	return t.w.Block(kindOf(n), t.levels[n].b)
}

func kindOf(levelNumber int) Kind {
	if levelNumber == 0 {
		return KindLeaf
	}
	return KindBranch
}

// Finish writes the open blocks. A table without entries has a root of length 0.
func (t *TableWriter) Finish() (Root, error) {
	if len(t.levels[0].b) == 0 {
		return Root{}, nil
	}
	for n := 0; ; n++ {
		l := t.levels[n]
		if n+1 == len(t.levels) {
			ref, err := t.write(n)
			return Root{Ref: ref, Depth: n, Count: l.entries}, err
		}
		if err := t.close(n); err != nil {
			return Root{}, err
		}
	}
}

// Table is a sorted table on disk.
type Table struct {
	r    Reader
	root Root
}

// NewTableReader reads a table.
func NewTableReader(r Reader, root Root) Table { return Table{r, root} }

// Count is the number of entries.
func (t Table) Count() int64 { return t.root.Count }

// Get finds the value of a key, and how many keys are before it. A key that is not there is not ok.
func (t Table) Get(key []byte) (value []byte, before int64, ok bool, err error) {
	c := t.Cursor()
	if err := c.Seek(key); err != nil || !c.Valid() || !bytes.Equal(c.Key(), key) {
		return nil, 0, false, err
	}
	return c.Value(), c.Before(), true, nil
}

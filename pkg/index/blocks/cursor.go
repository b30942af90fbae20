package blocks

import "bytes"

// Cursor walks over a table in order. Its keys and values hold until its next move.
type Cursor struct {
	t     Table
	stack []frame // the root first, the leaf last
	valid bool
}

// frame is the block of one level, and the entry in it.
type frame struct {
	buf    []byte
	rest   []byte // behind the entry
	key    []byte
	value  []byte
	before int64 // entries of the table before this one
	count  int64 // entries of the table below this one
	most   int64 // entries of the table
}

// Cursor makes a cursor that is nowhere.
func (t Table) Cursor() *Cursor { return &Cursor{t: t} }

// Valid says that the cursor is at an entry.
func (c *Cursor) Valid() bool { return c.valid }

// Key is that of the entry.
func (c *Cursor) Key() []byte { return c.leaf().key }

// Value is that of the entry.
func (c *Cursor) Value() []byte { return c.leaf().value }

// Before is how many entries are before this one.
func (c *Cursor) Before() int64 { return c.leaf().before }

func (c *Cursor) leaf() *frame { return &c.stack[len(c.stack)-1] }

// First goes to the first entry.
func (c *Cursor) First() error { return c.At(0) }

// Seek goes to the first entry whose key is not smaller.
func (c *Cursor) Seek(key []byte) error {
	err := c.descend(func(f *frame) bool { return bytes.Compare(f.key, key) <= 0 })
	for err == nil && c.valid && bytes.Compare(c.Key(), key) < 0 {
		err = c.Next()
	}
	return err
}

// At goes to the entry with n others before it.
func (c *Cursor) At(n int64) error {
	err := c.descend(func(f *frame) bool { return f.before <= n })
	for err == nil && c.valid && c.Before() < n {
		err = c.Next()
	}
	return err
}

// descend goes down from the root to the first entry of a leaf. In each branch it takes the last
// entry for which right says yes, or else the first.
func (c *Cursor) descend(right func(f *frame) bool) error {
	c.valid = false
	if c.t.root.Count == 0 {
		return nil
	}
	depth := c.t.root.Depth
	if len(c.stack) != depth+1 {
		c.stack = make([]frame, depth+1)
	}
	ref, before := c.t.root.Ref, int64(0)
	for i := range c.stack {
		f := &c.stack[i]
		if err := c.load(i, ref, before); err != nil {
			return err
		}
		if i == depth {
			break
		}
		if err := f.last(right); err != nil {
			return err
		}
		var err error
		if ref, err = c.child(i); err != nil {
			return err
		}
		before = f.before
	}
	c.valid = true
	return nil
}

// last goes to the last entry of a branch for which right says yes. It may leave the key of the
// next one behind, which has the same bytes in common with the one after it.
func (f *frame) last(right func(f *frame) bool) error {
	for len(f.rest) > 0 {
		was := *f
		if err := f.nextBranch(); err != nil {
			return err
		}
		if !right(f) {
			was.key = f.key
			*f = was
			break
		}
	}
	return nil
}

// child is the place of the block below an entry of a branch.
func (c *Cursor) child(i int) (Ref, error) {
	if i == len(c.stack)-1 {
		return Ref{}, nil
	}
	f := NewFields(c.stack[i].value)
	ref := f.Ref(c.t.r.size)
	return ref, f.Err()
}

// load reads a block and goes to its first entry.
func (c *Cursor) load(i int, ref Ref, before int64) error {
	f := &c.stack[i]
	kind := KindBranch
	if i == len(c.stack)-1 {
		kind = KindLeaf
	}
	b, err := c.t.r.Block(kind, ref, f.buf)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return damaged("an empty block of a table")
	}
	f.buf, f.rest, f.key, f.before, f.count, f.most = b[:cap(b)], b, f.key[:0], before, 0, c.t.root.Count
	return c.step(i)
}

// step reads the next entry of the block of a level.
func (c *Cursor) step(i int) error {
	if i == len(c.stack)-1 {
		return c.stack[i].nextLeaf()
	}
	return c.stack[i].nextBranch()
}

// nextLeaf reads the next entry of a leaf.
func (f *frame) nextLeaf() error {
	err := f.next()
	f.count = 1
	return err
}

// nextBranch reads the next entry of a branch, whose value ends with the entries below it.
func (f *frame) nextBranch() error {
	if err := f.next(); err != nil {
		return err
	}
	below := NewFields(f.value)
	below.Number(1 << 62)
	below.Number(1 << 62)
	f.count = below.Number(f.most)
	return below.Err()
}

// next reads the next entry of the block.
func (f *frame) next() error {
	fields := NewFields(f.rest)
	shared := fields.Number(int64(len(f.key)))
	suffix := fields.Bytes()
	f.value = fields.Bytes()
	if err := fields.Err(); err != nil {
		return err
	}
	if shared+int64(len(suffix)) > maxKey {
		return damaged("a key of %d bytes", shared+int64(len(suffix)))
	}
	f.key = append(f.key[:shared], suffix...)
	f.before += f.count
	if f.before >= f.most { // so a walk has an end, whatever the blocks say
		return damaged("a table of more than %d entries", f.most)
	}
	f.rest = fields.Rest()
	return nil
}

// Next goes to the next entry.
func (c *Cursor) Next() error {
	if !c.valid {
		return nil
	}
	depth := len(c.stack) - 1
	i := depth
	for i >= 0 && len(c.stack[i].rest) == 0 {
		i--
	}
	if i < 0 {
		c.valid = false
		return nil
	}
	c.valid = false
	if err := c.step(i); err != nil {
		return err
	}
	for ; i < depth; i++ {
		ref, err := c.child(i)
		if err != nil {
			return err
		}
		if err := c.load(i+1, ref, c.stack[i].before); err != nil {
			return err
		}
	}
	c.valid = true
	return nil
}

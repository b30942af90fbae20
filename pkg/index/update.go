package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"parley/pkg/index/blocks"
)

const (
	// The memory of the documents that a batch gathers before it writes them.
	maxPending = 1 << 20
	// How many segments of a level become one of the next level.
	fanIn = 8
	// The bytes out of use that a file may always have.
	spare = 1 << 20
)

// Batch gathers changes. It belongs to the call of [Index.Update] that made it.
type Batch struct {
	ix      *Index
	ctx     context.Context //nolint:containedctx // a batch is a part of one call
	scopes  map[string]*changes
	pending int
}

// Update makes changes. When it returns nil they are on disk, and every later search sees all of
// them; when it fails, or the process dies, searches see none of them, except that a batch of more
// than 1 MB is written in parts, in order. Concurrent calls wait for each other.
func (ix *Index) Update(ctx context.Context, change func(b *Batch) error) error {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	b := &Batch{ix: ix, ctx: ctx, scopes: map[string]*changes{}}
	if err := change(b); err != nil {
		return err
	}
	return b.flush()
}

func (b *Batch) scope(name string) (*changes, error) {
	if name == "" || len(name) > MaxName {
		return nil, fmt.Errorf("the scope %.40q: %w", name, ErrBounds)
	}
	c := b.scopes[name]
	if c == nil {
		c = &changes{put: map[string]*Document{}, removed: map[string]bool{}}
		b.scopes[name] = c
	}
	return c, nil
}

// Put adds a document to a scope, in the place of the one of the same ID.
func (b *Batch) Put(scope string, d Document) error {
	if err := d.check(); err != nil {
		return fmt.Errorf("the document %.40q: %w", d.ID, err)
	}
	c, err := b.scope(scope)
	if err != nil {
		return err
	}
	if was := c.put[d.ID]; was != nil {
		b.pending -= was.size()
	}
	c.put[d.ID] = &d
	c.removed[d.ID] = true
	if b.pending += d.size(); b.pending >= maxPending {
		return b.flush()
	}
	return nil
}

// Remove takes a document from a scope. Its words are out of the file after the next [Index.Purge].
func (b *Batch) Remove(scope, id string) error {
	c, err := b.scope(scope)
	if err != nil {
		return err
	}
	if was := c.put[id]; was != nil {
		b.pending -= was.size()
		delete(c.put, id)
	}
	c.removed[id] = true
	return nil
}

// Drop removes all documents of a scope. Their words are out of the file after the next
// [Index.Purge].
func (b *Batch) Drop(scope string) error {
	c, err := b.scope(scope)
	if err != nil {
		return err
	}
	for _, d := range c.put {
		b.pending -= d.size()
	}
	clear(c.put)
	clear(c.removed)
	c.wipes = true
	return nil
}

// flush writes the changes so far as a segment.
func (b *Batch) flush() error {
	ix := b.ix
	s, err := ix.snapshot()
	if err != nil {
		return err
	}
	defer func() { _ = s.file.release() }()
	next := s.copy()
	r := s.reader()
	for name, c := range b.scopes {
		if err := next.resolve(r, name, c); err != nil {
			return err
		}
		if len(c.put) == 0 && len(c.kills) == 0 && !c.wipes {
			delete(b.scopes, name)
		}
	}
	if len(b.scopes) == 0 {
		return nil
	}
	err = ix.append(s, next, 0, func(w *blocks.Writer) (segment, error) {
		m, _ := ix.builders.Get().(*builder)
		defer ix.builders.Put(m)
		return m.segment(b.ctx, w, b.scopes)
	})
	if err != nil {
		return err
	}
	clear(b.scopes)
	b.pending = 0
	return ix.maintain(b.ctx)
}

// segment writes the changes of all scopes.
func (b *builder) segment(ctx context.Context, w *blocks.Writer, scopes map[string]*changes) (segment, error) {
	sw := newSegmentWriter(w)
	for _, name := range slices.Sorted(maps.Keys(scopes)) {
		if err := ctx.Err(); err != nil {
			return segment{}, err
		}
		off := w.Offset()
		m, err := b.section(w, scopes[name])
		if err == nil {
			err = sw.add([]byte(name), off, m)
		}
		if err != nil {
			return segment{}, err
		}
	}
	return sw.finish()
}

// copy makes the state that may follow.
func (s *state) copy() *state {
	c := *s
	c.seq++
	c.segments = slices.Clone(s.segments)
	return &c
}

// resolve finds the documents of older segments that the changes of a scope replace or remove, and
// counts them as dead.
func (s *state) resolve(r blocks.Reader, scope string, c *changes) error {
	c.kills = kills{}
	sections, err := sectionsOf(r, s.segments, scope)
	if err != nil {
		return err
	}
	if c.wipes {
		for _, part := range sections {
			s.bury(part.segment, part.meta.docs.Count-int64(len(part.dead)))
		}
		c.wipes = len(sections) > 0
		return nil
	}
	for _, part := range sections {
		docs := part.docs()
		for id := range c.removed {
			_, doc, ok, err := docs.Get([]byte(id))
			if err != nil {
				return err
			}
			if ok && !part.dead[uint32(doc)] { //nolint:gosec // a section has fewer
				c.kills.add(part.segment, uint32(doc)) //nolint:gosec // a section has fewer
				s.bury(part.segment, 1)
			}
		}
	}
	return nil
}

// bury counts documents of a segment as dead.
func (s *state) bury(id, n int64) {
	for i := range s.segments {
		if of := &s.segments[i]; of.id == id {
			of.dead = min(of.docs, of.dead+n)
		}
	}
}

// append writes a segment behind the end of the file and commits next with it.
func (ix *Index) append(s snapshot, next *state, level int, write func(*blocks.Writer) (segment, error)) error {
	if err := s.file.Truncate(s.end); err != nil { // what a failed write left behind
		return fmt.Errorf("write the index: %w", err)
	}
	seg, err := write(blocks.NewWriter(io.NewOffsetWriter(s.file, s.end)))
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	seg.id, seg.off, seg.level = next.nextID, s.end, level
	next.nextID++
	if seg.docs > 0 || seg.scopes.Count > 0 {
		next.segments = append(next.segments, seg)
	}
	if err := commit(s.file, next, s.end+seg.size); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	ix.mu.Lock()
	ix.state = next
	ix.mu.Unlock()
	return nil
}

// maintain merges segments, and makes the file anew where half of it is out of use.
func (ix *Index) maintain(ctx context.Context) error {
	for {
		s, err := ix.snapshot()
		if err != nil {
			return err
		}
		from, level := s.due()
		if from >= 0 {
			err = ix.mergeFrom(ctx, s, from, level)
		}
		err = errors.Join(err, s.file.release())
		if err != nil || from < 0 {
			break
		}
	}
	ix.mu.Lock()
	live, end := ix.state.live(), ix.state.end
	ix.mu.Unlock()
	if end > 2*live+spare {
		return ix.rewrite(ctx, copySegments)
	}
	return nil
}

// due gives the first of the newest segments that are to become one, and the level of that one; -1
// if there are none.
func (s *state) due() (from, level int) {
	n := len(s.segments)
	for from = n; from > 0 && s.segments[from-1].level <= s.segments[n-1].level; from-- {
	}
	if n-from >= fanIn {
		return from, min(s.segments[n-1].level+1, maxLevel)
	}
	docs, dead := int64(0), int64(0)
	for i := range s.segments {
		docs += s.segments[i].docs
		dead += s.segments[i].dead
	}
	if dead*2 > docs && n > 0 {
		return 0, s.segments[0].level
	}
	return -1, 0
}

// mergeFrom makes one segment of the newest ones.
func (ix *Index) mergeFrom(ctx context.Context, s snapshot, from, level int) error {
	next := s.copy()
	next.segments = next.segments[:from]
	return ix.append(s, next, level, func(w *blocks.Writer) (segment, error) {
		return ix.merged(ctx, w, s, from)
	})
}

// merged writes the newest segments as one.
func (ix *Index) merged(ctx context.Context, w *blocks.Writer, s snapshot, from int) (segment, error) {
	m, _ := ix.mergers.Get().(*merger)
	defer ix.mergers.Put(m)
	return m.segments(ctx, w, s, from)
}

// Purge makes the file anew, with the documents that can be found and no trace of others: it is
// byte for byte the file of an index into which no other document was ever put. Searches that began
// before end on the old file, which has no name any more.
func (ix *Index) Purge(ctx context.Context) error {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	return ix.rewrite(ctx, func(ctx context.Context, s snapshot, w io.Writer) (*state, error) {
		next := &state{nextID: 2}
		seg, err := ix.merged(ctx, blocks.NewWriter(w), s, 0)
		seg.id, seg.off = 1, dataBegin
		if seg.docs > 0 {
			next.segments = []segment{seg}
		}
		return next, err
	})
}

// Reset empties the index, as one that is damaged must be before its documents are put again.
func (ix *Index) Reset(ctx context.Context) error {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	return ix.rewrite(ctx, func(context.Context, snapshot, io.Writer) (*state, error) { return empty(nil) })
}

// copySegments copies the segments as they are.
func copySegments(ctx context.Context, s snapshot, w io.Writer) (*state, error) {
	next := s.copy()
	off := int64(dataBegin)
	for i := range next.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		seg := &next.segments[i]
		part, err := seg.part(s.reader())
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, part.Raw()); err != nil {
			return nil, err
		}
		seg.off = off
		off += seg.size
	}
	return next, nil
}

// rewrite puts a new file in the place of the old one.
func (ix *Index) rewrite(ctx context.Context, write func(context.Context, snapshot, io.Writer) (*state, error)) error {
	s, err := ix.snapshot()
	if err != nil {
		return err
	}
	defer func() { _ = s.file.release() }()
	return ix.replace(func(w io.Writer) (*state, error) { return write(ctx, s, w) })
}

func (ix *Index) replace(write func(io.Writer) (*state, error)) error {
	f, s, err := replace(ix.path, ix.wrap, write)
	if f == nil {
		return fmt.Errorf("write the index anew: %w", err)
	}
	ix.mu.Lock()
	old := ix.file
	ix.file, ix.state = f, s
	ix.mu.Unlock()
	return errors.Join(err, old.retire())
}

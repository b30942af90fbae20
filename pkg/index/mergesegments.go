package index

import (
	"bytes"
	"context"

	"parley/pkg/index/blocks"
)

// segments merges the newest segments of a state, from the one of that number on.
func (m *merger) segments(ctx context.Context, w *blocks.Writer, s snapshot, from int) (segment, error) {
	sw := newSegmentWriter(w)
	r := s.reader()
	cursors, err := scopeCursors(r, s.segments[from:])
	if err != nil {
		return segment{}, err
	}
	for {
		scope, err := nextScope(cursors)
		if err != nil {
			return segment{}, err
		}
		if scope == nil {
			return sw.finish()
		}
		if err := ctx.Err(); err != nil {
			return segment{}, err
		}
		if err := m.scope(ctx, sw, r, scope, s.segments, from); err != nil {
			return segment{}, err
		}
	}
}

func scopeCursors(r blocks.Reader, segments []segment) ([]*blocks.Cursor, error) {
	var all []*blocks.Cursor
	for i := range segments {
		part, err := segments[i].part(r)
		if err != nil {
			return nil, err
		}
		c := blocks.NewTableReader(part, segments[i].scopes).Cursor()
		if err := c.First(); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// nextScope gives the smallest scope of the cursors and moves those behind it; nil at the end.
func nextScope(cursors []*blocks.Cursor) ([]byte, error) {
	var least []byte
	for _, c := range cursors {
		if c.Valid() && (least == nil || bytes.Compare(c.Key(), least) < 0) {
			least = append([]byte{}, c.Key()...)
		}
	}
	for _, c := range cursors {
		if least != nil && c.Valid() && bytes.Equal(c.Key(), least) {
			if err := c.Next(); err != nil {
				return nil, err
			}
		}
	}
	return least, nil
}

// scope merges the sections of a scope. The section of a scope that has one alone is copied: its
// documents are all there, because it takes a newer section to remove one.
func (m *merger) scope(ctx context.Context, sw *segmentWriter, r blocks.Reader, scope []byte, segments []segment, from int) error {
	sections, err := sectionsOf(r, segments[from:], string(scope))
	if err != nil {
		return err
	}
	below, wipes, err := belowOf(sections, segments[from:])
	if err != nil {
		return err
	}
	if from == 0 { // there is no segment below
		clear(below)
		wipes = false
	}
	off := sw.w.Offset()
	only := sections[0]
	if len(sections) == 1 && only.meta.wipes == wipes && (from > 0 || only.meta.kills.Len == 0) {
		if err := sw.w.Copy(only.r.Raw(), only.r.Size()); err != nil {
			return err
		}
		return sw.add(scope, off, only.meta)
	}
	meta, err := m.sections(ctx, sw.w, sections, below)
	if err != nil {
		return err
	}
	meta.wipes = wipes
	if meta.docs.Count == 0 && len(below) == 0 && !wipes {
		return nil // its bytes are none: tables and streams without entries are empty
	}
	return sw.add(scope, off, meta)
}

// belowOf gives the documents of segments below the merged ones that are gone, or says that all are.
func belowOf(sections []scoped, merged []segment) (below kills, wipes bool, err error) {
	below = kills{}
	for _, part := range sections {
		wipes = wipes || part.meta.wipes
		if err := part.addKills(below); err != nil {
			return nil, false, err
		}
	}
	for i := range merged {
		delete(below, merged[i].id)
	}
	if wipes {
		clear(below)
	}
	return below, wipes, nil
}

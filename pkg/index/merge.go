package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley/pkg/index/blocks"
)

// merger makes one section of several.
type merger struct {
	spare    []*source
	sources  []*source
	lengths  []byte
	value    []byte
	encoded  []byte
	postings []posting
	rec      record
	buf      []byte
}

// source is a section to merge.
type source struct {
	*section
	dead    map[uint32]bool // documents
	lengths lengths
	cursor  *blocks.Cursor
	// to is the new number of each passage, or gone.
	to []uint32
	// held are the postings of a term, decoded.
	held []posting
	buf  []byte
}

const gone = ^uint32(0)

// sections writes the documents of the sections that are alive as one section.
func (m *merger) sections(ctx context.Context, w *blocks.Writer, sections []scoped, k kills) (meta sectionMeta, err error) {
	defer w.End(w.Begin())
	m.lengths = m.lengths[:0]
	for len(m.spare) < len(sections) {
		m.spare = append(m.spare, &source{})
	}
	m.sources = m.spare[:len(sections)]
	for i, s := range m.sources {
		s.section, s.dead = sections[i].section, sections[i].dead
		if s.buf, err = s.load(&s.lengths, s.buf); err != nil {
			return meta, err
		}
		s.to = slices.Grow(s.to[:0], len(s.lengths.words))[:len(s.lengths.words)]
		for i := range s.to {
			s.to[i] = gone
		}
	}
	if meta.docs, meta.passages, err = m.docs(ctx, w); err != nil {
		return meta, err
	}
	if meta.lengths, err = w.Stream(blocks.KindLengths, m.lengths); err != nil {
		return meta, err
	}
	if meta.terms, err = m.terms(ctx, w); err != nil {
		return meta, err
	}
	if meta.kills, err = writeKills(w, k); err != nil {
		return meta, err
	}
	meta.size = w.Offset()
	return meta, nil
}

// docs merges the tables of the documents, with their texts.
func (m *merger) docs(ctx context.Context, w *blocks.Writer) (root blocks.Root, passages int64, err error) {
	for _, s := range m.sources {
		s.cursor = s.docs().Cursor()
		if err := s.cursor.First(); err != nil {
			return root, 0, err
		}
	}
	table := blocks.NewTable(w)
	for {
		s := m.smallest()
		if s == nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return root, 0, err
		}
		doc := s.cursor.Before()
		if !s.dead[uint32(doc)] { //nolint:gosec // a section has fewer
			n, err := m.doc(w, table, s, doc, passages)
			if err != nil {
				return root, 0, err
			}
			passages += n
		}
		if err := s.cursor.Next(); err != nil {
			return root, 0, err
		}
	}
	root, err = table.Finish()
	return root, passages, err
}

// doc copies a document.
func (m *merger) doc(w *blocks.Writer, table *blocks.TableWriter, s *source, doc, passages int64) (int64, error) {
	if doc+1 >= int64(len(s.lengths.first)) {
		return 0, fmt.Errorf("%w: document %d", blocks.ErrDamaged, doc)
	}
	if err := m.rec.read(s.cursor.Value(), s.r.Size()); err != nil {
		return 0, err
	}
	first, end := s.lengths.first[doc], s.lengths.first[doc+1]
	ref, to := m.rec.text, w.Offset()
	for _, p := range m.rec.pieces {
		ref.Len = p.size
		var err error
		if m.buf, err = s.r.Block(blocks.KindText, ref, m.buf); err != nil {
			return 0, err
		}
		if _, err := w.Block(blocks.KindText, m.buf); err != nil {
			return 0, err
		}
		ref.Off += p.size + blockOverhead
	}
	m.rec.text.Off = to
	m.value = m.rec.append(m.value[:0])
	if err := table.Add(s.cursor.Key(), m.value); err != nil {
		return 0, fmt.Errorf("%w: %w", blocks.ErrDamaged, err)
	}
	m.lengths = appendLengths(m.lengths, s.lengths.words[first:end])
	for i := first; i < end; i++ {
		s.to[i] = uint32(passages) + i - first //nolint:gosec // bounded by the sources
	}
	return int64(end - first), nil
}

// smallest is the source whose cursor has the smallest key, the first of several.
func (m *merger) smallest() *source {
	var least *source
	for _, s := range m.sources {
		if s.cursor.Valid() && (least == nil || bytes.Compare(s.cursor.Key(), least.cursor.Key()) < 0) {
			least = s
		}
	}
	return least
}

// terms merges the tables of the terms.
func (m *merger) terms(ctx context.Context, w *blocks.Writer) (root blocks.Root, err error) {
	for _, s := range m.sources {
		s.cursor = s.terms().Cursor()
		if err := s.cursor.First(); err != nil {
			return root, err
		}
	}
	table := blocks.NewTable(w)
	var term []byte
	for n := 0; ; n++ {
		least := m.smallest()
		if least == nil {
			return table.Finish()
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return root, ctx.Err()
		}
		term = append(term[:0], least.cursor.Key()...)
		if err := m.gather(term); err != nil {
			return root, err
		}
		if len(m.postings) == 0 {
			continue
		}
		m.encoded = m.encoded[:0]
		last := int64(-1)
		for _, p := range m.postings {
			m.encoded = appendPosting(m.encoded, last, p)
			last = int64(p.passage)
		}
		if m.value, err = putPostings(w, m.value, m.encoded); err != nil {
			return root, err
		}
		if err := table.Add(term, m.value); err != nil {
			return root, fmt.Errorf("%w: %w", blocks.ErrDamaged, err)
		}
	}
}

// gather collects the postings of a term from all sources, under the new numbers, and moves their
// cursors on.
func (m *merger) gather(term []byte) error {
	m.postings = m.postings[:0]
	sorted := true
	for _, s := range m.sources {
		if !s.cursor.Valid() || !bytes.Equal(s.cursor.Key(), term) {
			continue
		}
		encoded, buf, err := readPostings(s.r, s.cursor.Value(), s.buf)
		s.buf = buf
		if err != nil {
			return err
		}
		if s.held, err = decodePostings(encoded, uint32(len(s.to)), s.held[:0]); err != nil { //nolint:gosec // bounded
			return err
		}
		for _, p := range s.held {
			p.passage = s.to[p.passage]
			if p.passage == gone {
				continue
			}
			if n := len(m.postings); n > 0 && m.postings[n-1].passage > p.passage {
				sorted = false
			}
			m.postings = append(m.postings, p)
		}
		if err := s.cursor.Next(); err != nil {
			return err
		}
	}
	if !sorted {
		slices.SortFunc(m.postings, func(a, b posting) int { return cmp.Compare(a.passage, b.passage) })
	}
	return nil
}

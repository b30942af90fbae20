package index

import (
	"fmt"

	"parley/pkg/index/blocks"
	"parley/pkg/index/words"
)

// section is the documents of one scope in one segment: a small index of its own.
type section struct {
	r    blocks.Reader // reads the section alone
	meta sectionMeta
}

// sectionMeta is the value of a scope in the table of a segment.
type sectionMeta struct {
	off, size int64 // in the segment
	passages  int64
	docs      blocks.Root // ID → passages, pieces of text, data
	terms     blocks.Root // term → postings
	lengths   blocks.Ref
	kills     blocks.Ref
	// wipes says that no document of an older segment is left in the scope.
	wipes bool
}

func (m *sectionMeta) append(b []byte) []byte {
	b = blocks.AppendNumber(blocks.AppendNumber(b, m.off), m.size)
	b = blocks.AppendNumber(b, m.passages)
	b = m.terms.Append(m.docs.Append(b))
	b = m.kills.Append(m.lengths.Append(b))
	if m.wipes {
		return append(b, 1)
	}
	return append(b, 0)
}

func readMeta(b []byte, segment int64) (sectionMeta, error) {
	f := blocks.NewFields(b)
	var m sectionMeta
	m.off = f.Number(segment)
	m.size = f.Number(segment - m.off)
	m.passages = f.Number(m.size)
	m.docs, m.terms = f.Root(m.size), f.Root(m.size)
	m.lengths, m.kills = f.Ref(m.size), f.Ref(m.size)
	m.wipes = f.Number(1) == 1
	return m, f.Err()
}

func (s *section) docs() blocks.Table  { return blocks.NewTableReader(s.r, s.meta.docs) }
func (s *section) terms() blocks.Table { return blocks.NewTableReader(s.r, s.meta.terms) }

// languageBits are those of a length that hold the language of the passage.
const languageBits = 5

// lengths are the documents of a section with the words of their passages.
type lengths struct {
	// first is the first passage of each document, and at the end the number of passages.
	first []uint32
	// words are those of each passage, above its language.
	words []uint32
}

func (l *lengths) count(passage uint32) uint32 { return l.words[passage] >> languageBits }

func (l *lengths) language(passage uint32) words.Language {
	return words.Language(l.words[passage] & (1<<languageBits - 1))
}

// appendLengths encodes the passages of one document.
func appendLengths(b []byte, of []uint32) []byte {
	b = blocks.AppendNumber(b, int64(len(of)))
	for _, n := range of {
		b = blocks.AppendNumber(b, int64(n))
	}
	return b
}

// load reads the lengths into l, and takes its memory.
func (s *section) load(l *lengths, buf []byte) ([]byte, error) {
	l.first, l.words = append(l.first[:0], 0), l.words[:0]
	buf, err := s.r.Stream(blocks.KindLengths, s.meta.lengths, buf)
	if err != nil {
		return buf, err
	}
	f := blocks.NewFields(buf)
	for !f.Empty() {
		for range f.Number(s.meta.passages - int64(len(l.words))) {
			l.words = append(l.words, uint32(f.Number(maxCount<<languageBits))) //nolint:gosec // bounded
		}
		l.first = append(l.first, uint32(len(l.words))) //nolint:gosec // bounded by a section
	}
	if err := f.Err(); err != nil {
		return buf, err
	}
	if int64(len(l.words)) != s.meta.passages || int64(len(l.first)-1) != s.meta.docs.Count {
		return buf, fmt.Errorf("%w: %d passages of %d documents", blocks.ErrDamaged, len(l.words), len(l.first)-1)
	}
	return buf, nil
}

// kills are the documents of older segments that are gone, by segment and by number.
type kills map[int64]map[uint32]bool

func (k kills) add(segment int64, doc uint32) {
	if k[segment] == nil {
		k[segment] = map[uint32]bool{}
	}
	k[segment][doc] = true
}

// addKills reads the kills of the section.
func (s *section) addKills(k kills) error {
	b, err := s.r.Stream(blocks.KindKills, s.meta.kills, nil)
	if err != nil {
		return err
	}
	f := blocks.NewFields(b)
	for !f.Empty() {
		id, doc := f.Number(maxSegmentID), int64(-1)
		for range f.Number(int64(len(b))) {
			doc += 1 + f.Number(maxPassages)
			if doc > maxPassages {
				return fmt.Errorf("%w: kills", blocks.ErrDamaged)
			}
			k.add(id, uint32(doc)) //nolint:gosec // bounded
		}
	}
	return f.Err()
}

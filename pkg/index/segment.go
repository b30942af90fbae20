package index

import "parley/pkg/index/blocks"

// segment is the changes of one commit, or several merged: a section for each scope.
type segment struct {
	id        int64
	off, size int64 // in the file
	level     int   // how often its documents were merged
	scopes    blocks.Root
	docs      int64 // written
	dead      int64 // of those
}

func (s *segment) append(b []byte) []byte {
	for _, n := range []int64{s.id, s.off, s.size, int64(s.level), s.docs, s.dead} {
		b = blocks.AppendNumber(b, n)
	}
	return s.scopes.Append(b)
}

func readSegment(f *blocks.Fields, file int64) segment {
	s := segment{id: f.Number(maxSegmentID), off: f.Number(file)}
	s.size = f.Number(file - s.off)
	s.level = int(f.Number(maxLevel))
	s.docs = f.Number(s.size)
	s.dead = f.Number(s.docs)
	s.scopes = f.Root(s.size)
	return s
}

// part reads the segment in the file.
func (s *segment) part(file blocks.Reader) (blocks.Reader, error) { return file.Part(s.off, s.size) }

// find gives the section of a scope, or nil.
func (s *segment) find(file blocks.Reader, scope []byte) (*section, error) {
	r, err := s.part(file)
	if err != nil {
		return nil, err
	}
	value, _, ok, err := blocks.NewTableReader(r, s.scopes).Get(scope)
	if err != nil || !ok {
		return nil, err
	}
	return openSection(r, value)
}

func openSection(r blocks.Reader, value []byte) (*section, error) {
	m, err := readMeta(value, r.Size())
	if err != nil {
		return nil, err
	}
	part, err := r.Part(m.off, m.size)
	return &section{r: part, meta: m}, err
}

// segmentWriter writes the sections of a segment in the order of their scopes.
type segmentWriter struct {
	w     *blocks.Writer
	table *blocks.TableWriter
	docs  int64
	value []byte
}

func newSegmentWriter(w *blocks.Writer) *segmentWriter {
	return &segmentWriter{w: w, table: blocks.NewTable(w)}
}

// add takes the section that was written last, and began at off.
func (s *segmentWriter) add(scope []byte, off int64, m sectionMeta) error {
	m.off = off
	s.docs += m.docs.Count
	s.value = m.append(s.value[:0])
	return s.table.Add(scope, s.value)
}

// finish writes the end of the table of the scopes.
func (s *segmentWriter) finish() (segment, error) {
	root, err := s.table.Finish()
	if err == nil {
		err = s.w.Flush()
	}
	return segment{size: s.w.Offset(), scopes: root, docs: s.docs}, err
}

package index

import (
	"context"

	"parley/pkg/index/blocks"
)

// Check reads the whole index, and returns an error that wraps [blocks.ErrDamaged] where it is not
// as it was written.
func (ix *Index) Check(ctx context.Context) error {
	s, err := ix.snapshot()
	if err != nil {
		return err
	}
	defer func() { _ = s.file.release() }()
	for i := range s.segments {
		part, err := s.segments[i].part(s.reader())
		if err != nil {
			return err
		}
		c := blocks.NewTableReader(part, s.segments[i].scopes).Cursor()
		for err = c.First(); err == nil && c.Valid(); err = c.Next() {
			sec, err := openSection(part, c.Value())
			if err != nil {
				return err
			}
			if err := sec.check(ctx); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check reads everything that a section has.
func (s *section) check(ctx context.Context) error {
	var l lengths
	if _, err := s.load(&l, nil); err != nil {
		return err
	}
	if err := s.addKills(kills{}); err != nil {
		return err
	}
	if err := s.checkDocs(ctx); err != nil {
		return err
	}
	var buf, encoded []byte
	var held []posting
	c := s.terms().Cursor()
	err := c.First()
	for ; err == nil && c.Valid(); err = c.Next() {
		if encoded, buf, err = readPostings(s.r, c.Value(), buf); err != nil {
			return err
		}
		if held, err = decodePostings(encoded, uint32(len(l.words)), held[:0]); err != nil { //nolint:gosec // bounded
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return err
}

func (s *section) checkDocs(ctx context.Context) error {
	var u unpacker
	var rec record
	c := s.docs().Cursor()
	err := c.First()
	for ; err == nil && c.Valid(); err = c.Next() {
		if err := rec.read(c.Value(), s.r.Size()); err != nil {
			return err
		}
		last := int64(0) // of each piece
		for _, p := range rec.pieces {
			last += p.passages
			if _, err := u.passage(s, &rec, last-1); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return err
}

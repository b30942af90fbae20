package index

import "parley/pkg/index/blocks"

// Disk is the file below an index.
type Disk = disk

// OpenOn opens an index whose file wrap sees.
func OpenOn(path string, wrap func(Disk) Disk) (*Index, error) { return open(path, wrap) }

// Place is where a block is in the file.
type Place struct {
	Kind     blocks.Kind
	Off, Len int64
}

// Places lists the blocks of an index that has one section for each scope.
func Places(ix *Index) (all []Place, err error) {
	s, err := ix.snapshot()
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.file.release() }()
	for i := range s.segments {
		seg := &s.segments[i]
		part, err := seg.part(s.reader())
		if err != nil {
			return nil, err
		}
		c := blocks.NewTableReader(part, seg.scopes).Cursor()
		for err = c.First(); err == nil && c.Valid(); err = c.Next() {
			sec, err := openSection(part, c.Value())
			if err != nil {
				return nil, err
			}
			base := seg.off + sec.meta.off
			all = append(all, stream(blocks.KindLengths, sec.meta.lengths, base)...)
			all = append(all, stream(blocks.KindKills, sec.meta.kills, base)...)
			all = append(all, tableBlocks(sec.r, sec.meta.docs, base)...)
			all = append(all, tableBlocks(sec.r, sec.meta.terms, base)...)
			docs := sec.docs().Cursor()
			for err = docs.First(); err == nil && docs.Valid(); err = docs.Next() {
				var rec record
				if err := rec.read(docs.Value(), sec.r.Size()); err != nil {
					return nil, err
				}
				off := rec.text.Off
				for _, p := range rec.pieces {
					all = append(all, Place{blocks.KindText, base + off, p.size})
					off += p.size + blockOverhead
				}
			}
			terms := sec.terms().Cursor()
			for err = terms.First(); err == nil && terms.Valid(); err = terms.Next() {
				f := blocks.NewFields(terms.Value())
				if f.Number(tagStream) == tagStream {
					all = append(all, stream(blocks.KindPostings, f.Ref(sec.r.Size()), base)...)
				}
			}
		}
		all = append(all, tableBlocks(part, seg.scopes, seg.off)...)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func stream(k blocks.Kind, ref blocks.Ref, base int64) (all []Place) {
	for off := base + ref.Off; ref.Len > 0; {
		n := min(ref.Len, blocks.Chunk)
		all = append(all, Place{k, off, n})
		off += n + blockOverhead
		ref.Len -= n
	}
	return all
}

func tableBlocks(r blocks.Reader, root blocks.Root, base int64) (all []Place) {
	if root.Count == 0 {
		return nil
	}
	if root.Depth == 0 {
		return []Place{{blocks.KindLeaf, base + root.Ref.Off, root.Ref.Len}}
	}
	all = append(all, Place{blocks.KindBranch, base + root.Ref.Off, root.Ref.Len})
	b, err := r.Block(blocks.KindBranch, root.Ref, nil)
	if err != nil {
		return all
	}
	for f := blocks.NewFields(b); !f.Empty(); {
		f.Number(1 << 20)
		f.Bytes()
		below := blocks.NewFields(f.Bytes())
		child := blocks.Root{Ref: below.Ref(r.Size()), Depth: root.Depth - 1, Count: 1}
		all = append(all, tableBlocks(r, child, base)...)
	}
	return all
}

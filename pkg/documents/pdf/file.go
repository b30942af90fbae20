package pdf

import (
	"bytes"
	"errors"
	"maps"
)

// ErrEncrypted is for a file that needs a password or a key.
var ErrEncrypted = errors.New("the file is encrypted")

// errDamaged is for bytes in which no pages can be found.
var errDamaged = errors.New("the file has no pages that can be found")

const (
	maxObjects = 500_000
	maxCached  = 20_000
	maxTables  = 1000
)

// entry is the place of an object: an offset in the file, or its number in an object stream.
type entry struct {
	at     int
	within int // the object stream, or 0
}

// file is an open file.
type file struct {
	b       []byte
	objects map[int]entry
	trailer dict
	cache   map[int]any
	active  map[int]bool // the objects that are read at the moment
	packed  map[int][]any
	rebuilt bool
	// spent counts decoded bytes.
	spent int
	fonts map[int]*font
	names glyphNames
}

// open finds the objects of a file.
func open(b []byte) (*file, error) {
	f := &file{b: b, fonts: map[int]*font{}, names: newGlyphNames()}
	f.reset()
	if !(tables{f}).read() || f.root() == nil {
		search{f}.rebuild()
	}
	if f.get(f.trailer["Encrypt"]) != nil {
		return nil, ErrEncrypted
	}
	if f.root() == nil {
		return nil, errDamaged
	}
	return f, nil
}

func (f *file) reset() {
	f.objects, f.trailer = map[int]entry{}, dict{}
	f.cache, f.active, f.packed = map[int]any{}, map[int]bool{}, map[int][]any{}
}

// root is the root of the tree of pages.
func (f *file) root() dict {
	catalog, _ := f.get(f.trailer["Root"]).(dict)
	pages, _ := f.get(catalog["Pages"]).(dict)
	return pages
}

func (f *file) put(n int, e entry) {
	if _, ok := f.objects[n]; !ok && len(f.objects) < maxObjects {
		f.objects[n] = e
	}
}

// get gives an object, following references.
func (f *file) get(v any) any {
	const longest = 16
	for range longest {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		v = f.load(int(r))
	}
	return nil
}

func (f *file) integer(v any, otherwise int) int {
	switch v := f.get(v).(type) {
	case int:
		return v
	case float64:
		return int(v)
	}
	return otherwise
}

func (f *file) float(v any, otherwise float64) float64 {
	switch v := f.get(v).(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return otherwise
}

// load reads the object of a number; nil for one that is not there, or that is being read.
func (f *file) load(n int) any {
	if v, ok := f.cache[n]; ok {
		return v
	}
	e, ok := f.objects[n]
	if !ok || f.active[n] || len(f.active) > maxNesting {
		return nil
	}
	f.active[n] = true
	defer delete(f.active, n)
	var v any
	if e.within > 0 {
		v = f.unpack(e)
	} else {
		v = f.objectAt(e.at, n)
	}
	if len(f.cache) >= maxCached {
		clear(f.cache)
	}
	f.cache[n] = v
	return v
}

// unpack reads an object of an object stream.
func (f *file) unpack(e entry) any {
	all, ok := f.packed[e.within]
	if !ok {
		all = f.unpacked(e.within)
		const most = 64
		if len(f.packed) >= most {
			clear(f.packed)
		}
		f.packed[e.within] = all
	}
	if e.at < 0 || e.at >= len(all) {
		return nil
	}
	return all[e.at]
}

func (f *file) unpacked(pack int) []any {
	if f.objects[pack].within > 0 {
		return nil // no object stream lies in another
	}
	s, ok := f.load(pack).(*stream)
	if !ok {
		return nil
	}
	data := f.decoded(s)
	n, start := f.integer(s.dict["N"], 0), f.integer(s.dict["First"], 0)
	head := parser{b: data}
	var out []any
	for range min(n, maxCached) {
		if _, err := head.next(); err != nil {
			break
		}
		v, err := head.next()
		at, ok := v.(int)
		if err != nil || !ok || at < 0 || start < 0 || start+at >= len(data) {
			out = append(out, nil)
			continue
		}
		p := parser{b: data, pos: start + at, refs: true}
		o, _ := p.next() // an object that is cut off has its beginning
		out = append(out, o)
	}
	return out
}

// objectAt reads the object at an offset, which must have a number; -1 takes any.
func (f *file) objectAt(at, n int) any {
	if at < 0 || at >= len(f.b) {
		return nil
	}
	p := &parser{b: f.b, pos: at}
	num, err := p.next()
	if _, err2 := p.next(); err != nil || err2 != nil {
		return nil
	}
	word, err := p.next()
	if err != nil || word != operator("obj") || n >= 0 && num != n {
		return f.elsewhere(n)
	}
	p.refs = true
	v, _ := p.next()
	d, ok := v.(dict)
	if !ok {
		return v
	}
	p.skipSpace()
	rest, ok := bytes.CutPrefix(f.b[p.pos:], []byte("stream"))
	if !ok {
		return d
	}
	rest = bytes.TrimPrefix(rest, []byte("\r"))
	return &stream{dict: d, raw: f.data(bytes.TrimPrefix(rest, []byte("\n")), d)}
}

// elsewhere looks an object up that is not where the table says.
func (f *file) elsewhere(n int) any {
	if f.rebuilt || n < 0 {
		return nil
	}
	trailer := f.trailer
	search{f}.rebuild()
	maps.Copy(f.trailer, trailer)
	e, ok := f.objects[n]
	if !ok || e.within > 0 {
		return nil
	}
	return f.objectAt(e.at, n)
}

// data gives the data of a stream; rest is the file from its first byte on.
func (f *file) data(rest []byte, d dict) []byte {
	end := []byte("endstream")
	if n := f.integer(d["Length"], -1); n >= 0 && n <= len(rest) {
		p := parser{b: rest, pos: n}
		p.skipSpace()
		if bytes.HasPrefix(rest[p.pos:], end) {
			return rest[:n]
		}
	}
	data, _, _ := bytes.Cut(rest, end)
	return bytes.TrimRight(data, "\r\n")
}

package pdf

import (
	"bytes"
	"errors"
	"strconv"
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
	if !f.tables() || f.root() == nil {
		f.rebuild()
	}
	if f.get(f.trailer["Encrypt"]) != nil {
		return nil, ErrEncrypted
	}
	if f.root() == nil && !f.rebuilt {
		f.rebuild()
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

// tables reads the chain of tables of objects, the newest first.
func (f *file) tables() bool {
	const tail = 2048
	end := f.b[max(0, len(f.b)-tail):]
	i := bytes.LastIndex(end, []byte("startxref"))
	if i < 0 {
		return false
	}
	p := parser{b: end, pos: i + len("startxref")}
	at, _ := p.next()
	next, ok := at.(int)
	if !ok {
		return false
	}
	seen := map[int]bool{}
	for n := 0; ok && n < maxTables; n++ {
		if next < 0 || next >= len(f.b) || seen[next] {
			return n > 0
		}
		seen[next] = true
		d := f.table(next)
		if d == nil {
			return false
		}
		if hybrid, is := d["XRefStm"].(int); is && hybrid > 0 && hybrid < len(f.b) && !seen[hybrid] {
			seen[hybrid] = true
			f.table(hybrid)
		}
		for k, v := range d {
			if _, has := f.trailer[k]; !has {
				f.trailer[k] = v
			}
		}
		next, ok = d["Prev"].(int)
	}
	return true
}

// table reads one table at an offset and gives its trailer; nil without one.
func (f *file) table(at int) dict {
	p := &parser{b: f.b, pos: at, refs: true}
	v, err := p.next()
	if err != nil {
		return nil
	}
	if v != operator("xref") {
		if s, ok := f.objectAt(at, -1).(*stream); ok {
			return f.streamTable(s)
		}
		return nil
	}
	for {
		v, err := p.next()
		if err != nil {
			return nil
		}
		if v == operator("trailer") {
			d, _ := p.next()
			t, _ := d.(dict)
			return t
		}
		start, ok := v.(int)
		n, err := p.next()
		count, isInt := n.(int)
		if !ok || !isInt || err != nil {
			return nil
		}
		if !f.section(p, start, count) {
			return nil
		}
	}
}

// section reads a part of a table: count entries from the number start.
func (f *file) section(p *parser, start, count int) bool {
	p.refs = false
	defer func() { p.refs = true }()
	for i := range count {
		at, err := p.next()
		if err != nil {
			return false
		}
		if at == operator("trailer") { // there are fewer than the table says
			p.pos -= len("trailer")
			return true
		}
		_, _ = p.next()
		kind, err := p.next()
		offset, ok := at.(int)
		if err != nil || !ok || len(f.objects) > maxObjects {
			return false
		}
		if kind == operator("n") {
			f.put(start+i, entry{at: offset})
		}
	}
	return true
}

func (f *file) put(n int, e entry) {
	if _, ok := f.objects[n]; !ok && len(f.objects) < maxObjects {
		f.objects[n] = e
	}
}

// streamTable reads a table that is a stream.
func (f *file) streamTable(s *stream) dict {
	if s.dict["Type"] != name("XRef") {
		return nil
	}
	data := f.decoded(s)
	widths, _ := f.get(s.dict["W"]).(array)
	if len(widths) < 3 {
		return nil
	}
	var w [3]int
	row := 0
	for i := range w {
		w[i] = f.integer(widths[i], 0)
		if w[i] < 0 || w[i] > 8 {
			return nil
		}
		row += w[i]
	}
	index, ok := f.get(s.dict["Index"]).(array)
	if !ok {
		index = array{0, f.integer(s.dict["Size"], 0)}
	}
	for i := 0; i+1 < len(index) && row > 0; i += 2 {
		start, count := f.integer(index[i], 0), f.integer(index[i+1], 0)
		for n := 0; n < count && len(data) >= row && len(f.objects) < maxObjects; n++ {
			fields := [3]int{1, 0, 0}
			at := 0
			for j := range w {
				v := 0
				for range w[j] {
					v = v<<8 | int(data[at])
					at++
				}
				if w[j] > 0 {
					fields[j] = v
				}
			}
			data = data[row:]
			switch fields[0] {
			case 1:
				f.put(start+n, entry{at: fields[1]})
			case 2:
				f.put(start+n, entry{at: fields[2], within: fields[1]})
			}
		}
	}
	return s.dict
}

// rebuild searches the file for objects, for a table that is damaged.
func (f *file) rebuild() {
	f.reset()
	f.rebuilt = true
	var packs []int
	for at := 0; at < len(f.b) && len(f.objects) < maxObjects; {
		i := bytes.Index(f.b[at:], []byte("obj"))
		if i < 0 {
			break
		}
		i += at
		at = i + 3
		n, start, ok := f.headBefore(i)
		if !ok {
			continue
		}
		f.objects[n] = entry{at: start} // the last one counts
		head := f.b[i:min(i+256, len(f.b))]
		if bytes.Contains(head, []byte("/ObjStm")) {
			packs = append(packs, n)
		}
	}
	for at := 0; ; {
		i := bytes.Index(f.b[at:], []byte("trailer"))
		if i < 0 {
			break
		}
		at += i + len("trailer")
		p := &parser{b: f.b, pos: at, refs: true}
		v, _ := p.next()
		if d, ok := v.(dict); ok {
			for k, v := range d {
				f.trailer[k] = v
			}
		}
	}
	for _, n := range packs {
		f.unpackAll(n)
	}
	if f.root() == nil {
		f.searchRoot()
	}
}

// headBefore reads the numbers before the word obj.
func (f *file) headBefore(i int) (number, start int, ok bool) {
	back := func(digits bool) int {
		for i > 0 && (isSpace(f.b[i-1]) != digits) && (!digits || f.b[i-1] >= '0' && f.b[i-1] <= '9') {
			i--
		}
		return i
	}
	back(false)
	end := i
	if back(true) == end {
		return 0, 0, false
	}
	if back(false); i == end {
		return 0, 0, false
	}
	end = i
	const digits = 9
	if back(true) == end || end-i > digits {
		return 0, 0, false
	}
	n, err := strconv.Atoi(string(f.b[i:end]))
	return n, i, err == nil
}

// unpackAll puts the objects of an object stream into the table.
func (f *file) unpackAll(pack int) {
	s, ok := f.get(ref(pack)).(*stream)
	if !ok {
		return
	}
	p := &parser{b: f.decoded(s)}
	for i := range min(f.integer(s.dict["N"], 0), maxObjects) {
		n, err := p.next()
		if _, err2 := p.next(); err != nil || err2 != nil {
			return
		}
		if num, ok := n.(int); ok {
			f.put(num, entry{at: i, within: pack})
		}
	}
}

// searchRoot looks at all objects for the catalog, for a file without a trailer.
func (f *file) searchRoot() {
	for n := range f.objects {
		v := f.get(ref(n))
		if s, ok := v.(*stream); ok && s.dict["Type"] == name("XRef") && s.dict["Root"] != nil {
			f.trailer["Root"], f.trailer["Encrypt"] = s.dict["Root"], s.dict["Encrypt"]
			if f.root() != nil {
				return
			}
		}
		if d, ok := v.(dict); ok && d["Type"] == name("Catalog") {
			f.trailer["Root"] = ref(n)
			if f.root() != nil {
				return
			}
		}
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
		if op, is := v.(operator); is && op == "endobj" {
			return nil
		}
		return v
	}
	p.skipSpace()
	if !bytes.HasPrefix(f.b[p.pos:], []byte("stream")) {
		return d
	}
	p.pos += len("stream")
	if p.pos < len(f.b) && f.b[p.pos] == '\r' {
		p.pos++
	}
	if p.pos < len(f.b) && f.b[p.pos] == '\n' {
		p.pos++
	}
	return &stream{dict: d, raw: f.data(p.pos, d)}
}

// elsewhere looks an object up that is not where the table says.
func (f *file) elsewhere(n int) any {
	if f.rebuilt || n < 0 {
		return nil
	}
	trailer := f.trailer
	f.rebuild()
	for k, v := range trailer {
		f.trailer[k] = v
	}
	e, ok := f.objects[n]
	if !ok || e.within > 0 {
		return nil
	}
	return f.objectAt(e.at, n)
}

// data gives the data of a stream that begins at an offset.
func (f *file) data(at int, d dict) []byte {
	at = min(at, len(f.b))
	rest := f.b[at:]
	if n := f.integer(d["Length"], -1); n >= 0 && n <= len(rest) {
		p := parser{b: rest, pos: n}
		p.skipSpace()
		if bytes.HasPrefix(rest[p.pos:], []byte("endstream")) {
			return rest[:n]
		}
	}
	if i := bytes.Index(rest, []byte("endstream")); i >= 0 {
		return bytes.TrimRight(rest[:i], "\r\n")
	}
	return rest
}

package pdf

import (
	"bytes"
	"maps"
	"strconv"
)

// search finds the objects of a file whose tables are damaged.
type search struct{ f *file }

// rebuild searches the file for objects, for a table that is damaged.
func (r search) rebuild() {
	r.f.reset()
	r.f.rebuilt = true
	var packs []int
	for at := 0; at < len(r.f.b) && len(r.f.objects) < maxObjects; {
		i := bytes.Index(r.f.b[at:], []byte("obj"))
		if i < 0 {
			break
		}
		i += at
		at = i + 3
		n, start, ok := headBefore(r.f.b, i)
		if !ok {
			continue
		}
		r.f.objects[n] = entry{at: start} // the last one counts
		head := r.f.b[i:min(i+256, len(r.f.b))]
		if bytes.Contains(head, []byte("/ObjStm")) {
			packs = append(packs, n)
		}
	}
	for at := 0; ; {
		i := bytes.Index(r.f.b[at:], []byte("trailer"))
		if i < 0 {
			break
		}
		at += i + len("trailer")
		p := &parser{b: r.f.b, pos: at, refs: true}
		v, _ := p.next()
		if d, ok := v.(dict); ok {
			maps.Copy(r.f.trailer, d)
		}
	}
	for _, n := range packs {
		r.unpackAll(n)
	}
	if r.f.root() == nil {
		r.root()
	}
}

// headBefore reads the numbers before the word obj.
func headBefore(b []byte, i int) (number, start int, ok bool) {
	back := func(digits bool) int {
		for i > 0 && (isSpace(b[i-1]) != digits) && (!digits || b[i-1] >= '0' && b[i-1] <= '9') {
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
	n, err := strconv.Atoi(string(b[i:end]))
	return n, i, err == nil
}

// unpackAll puts the objects of an object stream into the table.
func (r search) unpackAll(pack int) {
	s, ok := r.f.get(ref(pack)).(*stream)
	if !ok {
		return
	}
	p := &parser{b: r.f.decoded(s)}
	for i := range min(r.f.integer(s.dict["N"], 0), maxObjects) {
		n, err := p.next()
		if _, err2 := p.next(); err != nil || err2 != nil {
			return
		}
		if num, ok := n.(int); ok {
			r.f.put(num, entry{at: i, within: pack})
		}
	}
}

// root looks at all objects for the catalog, for a file without a trailer.
func (r search) root() {
	for n := range r.f.objects {
		v := r.f.get(ref(n))
		if s, ok := v.(*stream); ok && s.dict["Type"] == name("XRef") && s.dict["Root"] != nil {
			r.f.trailer["Root"], r.f.trailer["Encrypt"] = s.dict["Root"], s.dict["Encrypt"]
			if r.f.root() != nil {
				return
			}
		}
		if d, ok := v.(dict); ok && d["Type"] == name("Catalog") {
			r.f.trailer["Root"] = ref(n)
			if r.f.root() != nil {
				return
			}
		}
	}
}

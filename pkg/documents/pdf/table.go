package pdf

import "bytes"

// tables reads the tables of objects of a file.
type tables struct{ f *file }

// read reads the chain of tables of objects, the newest first.
func (t tables) read() bool {
	const tail = 2048
	end := t.f.b[max(0, len(t.f.b)-tail):]
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
		if next < 0 || next >= len(t.f.b) || seen[next] {
			return n > 0
		}
		seen[next] = true
		d := t.table(next)
		if d == nil {
			return false
		}
		if hybrid, is := d["XRefStm"].(int); is && hybrid > 0 && hybrid < len(t.f.b) && !seen[hybrid] {
			seen[hybrid] = true
			t.table(hybrid)
		}
		for k, v := range d {
			if _, has := t.f.trailer[k]; !has {
				t.f.trailer[k] = v
			}
		}
		next, ok = d["Prev"].(int)
	}
	return true
}

// table reads one table at an offset and gives its trailer; nil without one.
func (t tables) table(at int) dict {
	p := &parser{b: t.f.b, pos: at, refs: true}
	v, err := p.next()
	if err != nil {
		return nil
	}
	if v != operator("xref") {
		if s, ok := t.f.objectAt(at, -1).(*stream); ok {
			return t.stream(s)
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
			trailer, _ := d.(dict)
			return trailer
		}
		start, ok := v.(int)
		n, err := p.next()
		count, isInt := n.(int)
		if !ok || !isInt || err != nil {
			return nil
		}
		if !t.section(p, start, count) {
			return nil
		}
	}
}

// section reads a part of a table: count entries from the number start.
func (t tables) section(p *parser, start, count int) bool {
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
		if err != nil || !ok || len(t.f.objects) > maxObjects {
			return false
		}
		if kind == operator("n") {
			t.f.put(start+i, entry{at: offset})
		}
	}
	return true
}

// stream reads a table that is a stream.
func (t tables) stream(s *stream) dict {
	if s.dict["Type"] != name("XRef") {
		return nil
	}
	data := t.f.decoded(s)
	widths, _ := t.f.get(s.dict["W"]).(array)
	if len(widths) < 3 {
		return nil
	}
	var w [3]int
	row := 0
	for i := range w {
		w[i] = t.f.integer(widths[i], 0)
		if w[i] < 0 || w[i] > 8 {
			return nil
		}
		row += w[i]
	}
	index, ok := t.f.get(s.dict["Index"]).(array)
	if !ok {
		index = array{0, t.f.integer(s.dict["Size"], 0)}
	}
	for i := 0; i+1 < len(index) && row > 0; i += 2 {
		start, count := t.f.integer(index[i], 0), t.f.integer(index[i+1], 0)
		for n := 0; n < count && len(data) >= row && len(t.f.objects) < maxObjects; n++ {
			t.row(start+n, data, w)
			data = data[row:]
		}
	}
	return s.dict
}

// row puts an object into the table, from fields of the given widths.
func (t tables) row(n int, data []byte, widths [3]int) {
	const inFile, inStream = 1, 2
	fields := [3]int{inFile, 0, 0} // a field without a width is its default
	for i, w := range widths {
		v := 0
		for _, b := range data[:w] {
			v = v<<8 | int(b)
		}
		if data = data[w:]; w > 0 {
			fields[i] = v
		}
	}
	switch fields[0] {
	case inFile:
		t.f.put(n, entry{at: fields[1]})
	case inStream:
		t.f.put(n, entry{at: fields[2], within: fields[1]})
	}
}

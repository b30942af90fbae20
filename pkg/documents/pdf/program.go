package pdf

import "bytes"

// type1Encoding reads the encoding of a Type 1 font program, in its part that is plain text.
func type1Encoding(data []byte) (names [256]string, ok bool) {
	if i := bytes.Index(data, []byte("eexec")); i >= 0 {
		data = data[:i]
	}
	i := bytes.Index(data, []byte("/Encoding"))
	if i < 0 {
		return names, false
	}
	p := &parser{b: data, pos: i + len("/Encoding")}
	v, err := p.next()
	if err != nil {
		return names, false
	}
	if v == operator("StandardEncoding") {
		return namedEncoding("StandardEncoding")
	}
	var before [2]any // dup CODE /NAME put
	for {
		v, err := p.next()
		if err != nil {
			return names, ok
		}
		switch v {
		case operator("def"), operator("readonly"):
			return names, ok
		case operator("put"):
			c, isInt := before[0].(int)
			n, isName := before[1].(name)
			if isInt && isName && c >= 0 && c < 256 {
				names[c], ok = string(n), true
			}
		}
		before[0], before[1] = before[1], v
	}
}

// cff reads a font in the Compact Font Format.
type cff struct {
	b   []byte
	bad bool
}

func (c *cff) at(i int) int {
	if i < 0 || i >= len(c.b) {
		c.bad = true
		return 0
	}
	return int(c.b[i])
}

func (c *cff) number(i, size int) int {
	v := 0
	for n := range size {
		v = v<<8 | c.at(i+n)
	}
	return v
}

// index gives the elements of an index and where it ends.
func (c *cff) index(i int) (elements [][]byte, end int) {
	count := c.number(i, 2)
	if count == 0 || c.bad {
		return nil, i + 2
	}
	size := c.at(i + 2)
	if size < 1 || size > 4 {
		c.bad = true
		return nil, i
	}
	base := i + 3 + (count+1)*size - 1
	for n := range count {
		from, to := base+c.number(i+3+n*size, size), base+c.number(i+3+(n+1)*size, size)
		if c.bad || from > to || from < 0 || to > len(c.b) {
			c.bad = true
			return nil, i
		}
		elements = append(elements, c.b[from:to])
	}
	return elements, base + c.number(i+3+count*size, size)
}

// operands reads the operators of a dictionary that have whole numbers: the last number before each.
func operands(b []byte) map[int]int {
	const lastOperator, escape, twoBytes = 21, 12, 1200
	out := map[int]int{}
	value := 0
	for len(b) > 0 {
		c := int(b[0])
		if c > lastOperator {
			var n int
			value, n = operand(b)
			b = b[min(n, len(b)):]
			continue
		}
		b = b[1:]
		if c == escape && len(b) > 0 {
			c = twoBytes + int(b[0])
			b = b[1:]
		}
		out[c] = value
	}
	return out
}

// operand reads a number and gives its length; a real number counts as 0.
func operand(b []byte) (value, length int) {
	at := func(i int) int {
		if i < len(b) {
			return int(b[i])
		}
		return 0
	}
	switch c := at(0); {
	case c == 28:
		return at(1)<<8 | at(2), 3 // offsets and strings are positive
	case c == 29:
		return at(1)<<24 | at(2)<<16 | at(3)<<8 | at(4), 5
	case c == 30:
		n := 1
		for n < len(b) && b[n]&0xf != 0xf && b[n]>>4 != 0xf {
			n++
		}
		return 0, n + 1
	case c >= 32 && c <= 246:
		return c - 139, 1
	case c >= 247 && c <= 250:
		return (c-247)*256 + at(1) + 108, 2
	case c >= 251 && c <= 254:
		return -(c-251)*256 - at(1) - 108, 2
	}
	return 0, 1
}

// cffEncoding reads the encoding of a font in the Compact Font Format.
func cffEncoding(data []byte) (names [256]string, ok bool) {
	const charset, encoding, charStrings, ros = 15, 16, 17, 1230
	c := &cff{b: data}
	_, end := c.index(c.at(2))
	dicts, end := c.index(end)
	strings, _ := c.index(end)
	if c.bad || len(dicts) == 0 {
		return names, false
	}
	top := operands(dicts[0])
	if _, isCID := top[ros]; isCID {
		return names, false
	}
	switch top[encoding] {
	case 0:
		return namedEncoding("StandardEncoding")
	case 1:
		return names, false
	}
	glyphs, _ := c.index(top[charStrings])
	ids := c.charset(top[charset], len(glyphs))
	nameOf := func(glyph int) string {
		if glyph >= len(ids) {
			return ""
		}
		return stringOf(ids[glyph], strings)
	}
	at := top[encoding]
	format, count := c.at(at), c.at(at+1)
	at += 2
	glyph := 1
	for range count {
		first, more := c.at(at), 0
		at++
		if format&0x7f == 1 {
			more = c.at(at)
			at++
		}
		for k := first; k <= first+more && k < 256; k++ {
			names[k] = nameOf(glyph)
			glyph++
		}
	}
	if format&0x80 != 0 {
		count := c.at(at)
		at++
		for range count {
			names[c.at(at)] = stringOf(c.number(at+1, 2), strings)
			at += 3
		}
	}
	return names, !c.bad
}

func stringOf(id int, strings [][]byte) string {
	standard := cffStrings()
	if id < len(standard) {
		return standard[id]
	}
	const first = 391
	if i := id - first; i >= 0 && i < len(strings) {
		return string(strings[i])
	}
	return ""
}

// charset gives the string of each glyph.
func (c *cff) charset(at, glyphs int) []int {
	ids := []int{0}
	if at <= 2 { // a standard one
		for i := 1; i < glyphs; i++ {
			ids = append(ids, i)
		}
		return ids
	}
	format := c.at(at)
	at++
	for len(ids) < glyphs && !c.bad {
		id := c.number(at, 2)
		at += 2
		more := 0
		switch format {
		case 1:
			more = c.at(at)
			at++
		case 2:
			more = c.number(at, 2)
			at += 2
		}
		for i := 0; i <= more && len(ids) < glyphs; i++ {
			ids = append(ids, id+i)
		}
	}
	return ids
}

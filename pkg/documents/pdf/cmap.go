package pdf

import (
	"iter"
	"strings"
	"unicode/utf16"
)

// cmap maps the codes of a string to characters, or to the numbers of glyphs.
type cmap struct {
	// spaces are the ranges of codes with their lengths in bytes.
	spaces []codespace
	chars  map[code]string
	ranges []codeRange
	base   *cmap
	// plain: codes are UTF-16 characters themselves.
	plain bool
	// identity: codes of two bytes are the numbers of glyphs.
	identity bool
}

type code struct {
	value uint32
	size  int
}

type codespace struct {
	size     int
	low, top uint32
}

// codeRange maps a range of codes to consecutive values: characters, or numbers of glyphs.
type codeRange struct {
	low, top uint32
	size     int
	to       []uint16
	cid      int
}

const maxMapped = 100_000

// parseCMap reads a map from its program.
func parseCMap(data []byte, use func(name) *cmap) *cmap {
	m := &cmap{chars: map[code]string{}}
	p := &parser{b: data}
	var stack []any
	const most = 1000
	for {
		v, err := p.next()
		if err != nil {
			return m
		}
		op, ok := v.(operator)
		if !ok {
			if len(stack) < most {
				stack = append(stack, v)
			}
			continue
		}
		if n, ok := last(stack).(name); ok && op == "usecmap" && use != nil {
			m.base = use(n)
		}
		m.take(op, stack)
		stack = stack[:0]
	}
}

// take takes the entries of a part of the map, which op ends.
func (m *cmap) take(op operator, entries []any) {
	switch op {
	case "endcodespacerange":
		const most = 1000
		for low, top := range pairs(entries) {
			from, size := codeOf(low)
			to, _ := codeOf(top)
			if size > 0 && len(m.spaces) < most {
				m.spaces = append(m.spaces, codespace{size, from, to})
			}
		}
	case "endbfchar":
		for v, to := range pairs(entries) {
			if c, size := codeOf(v); size > 0 && len(m.chars) < maxMapped {
				m.chars[code{c, size}] = characters(to)
			}
		}
	case "endbfrange":
		m.bfranges(entries)
	case "endcidchar":
		for v, to := range pairs(entries) {
			c, size := codeOf(v)
			m.add(codeRange{low: c, top: c, size: size, cid: integerOf(to)})
		}
	case "endcidrange":
		for i := 0; i+2 < len(entries); i += 3 {
			low, size := codeOf(entries[i])
			top, _ := codeOf(entries[i+1])
			m.add(codeRange{low: low, top: top, size: size, cid: integerOf(entries[i+2])})
		}
	}
}

// pairs gives a list two by two.
func pairs(list []any) iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		for i := 0; i+1 < len(list); i += 2 {
			if !yield(list[i], list[i+1]) {
				return
			}
		}
	}
}

func (m *cmap) add(r codeRange) {
	if r.size > 0 && len(m.ranges) < maxMapped {
		m.ranges = append(m.ranges, r)
	}
}

func (m *cmap) bfranges(stack []any) {
	for i := 0; i+2 < len(stack); i += 3 {
		low, size := codeOf(stack[i])
		top, _ := codeOf(stack[i+1])
		switch to := stack[i+2].(type) {
		case array:
			for j, v := range to {
				if c := low + uint32(j); c <= top && len(m.chars) < maxMapped {
					m.chars[code{c, size}] = characters(v)
				}
			}
		case text:
			if units := units(to); len(units) > 0 {
				m.add(codeRange{low: low, top: top, size: size, to: units})
			}
		}
	}
}

func last(stack []any) any {
	if len(stack) == 0 {
		return nil
	}
	return stack[len(stack)-1]
}

func integerOf(v any) int {
	n, _ := v.(int)
	return n
}

func codeOf(v any) (uint32, int) {
	s, ok := v.(text)
	if !ok || len(s) == 0 || len(s) > 4 {
		return 0, 0
	}
	var c uint32
	for i := range len(s) {
		c = c<<8 | uint32(s[i])
	}
	return c, len(s)
}

// units are the UTF-16 units of a string; one byte is a unit.
func units(s text) []uint16 {
	if len(s) == 1 {
		return []uint16{uint16(s[0])}
	}
	var out []uint16
	for i := 0; i+1 < len(s); i += 2 {
		out = append(out, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return out
}

// characters are those of the target of a map.
func characters(v any) string {
	s, _ := v.(text)
	return string(utf16.Decode(units(s)))
}

// lookup gives the characters of a code; false for a code that is not in the map.
func (m *cmap) lookup(c uint32, size int) (string, bool) {
	if m.plain {
		const high = 16
		units := []uint16{uint16(c >> high), uint16(c & 0xffff)}
		return string(utf16.Decode(units[2-max(size/2, 1):])), true
	}
	if s, ok := m.chars[code{c, size}]; ok {
		return s, true
	}
	for i := range m.ranges {
		r := &m.ranges[i]
		if r.to == nil || c < r.low || c > r.top || r.size != size {
			continue
		}
		return r.characters(c - r.low), true
	}
	if m.base != nil {
		return m.base.lookup(c, size)
	}
	return "", false
}

// characters are those of the code that is so many behind the first one.
func (r *codeRange) characters(behind uint32) string {
	all := utf16.Decode(r.to)
	if n := len(all) - 1; n >= 0 && behind <= 0xffff {
		all[n] += rune(behind)
	}
	return string(all)
}

// cid gives the number of the glyph of a code.
func (m *cmap) cid(c uint32, size int) int {
	if m.identity {
		return int(c)
	}
	for i := range m.ranges {
		if r := &m.ranges[i]; r.to == nil && r.size == size && c >= r.low && c <= r.top {
			return r.cid + int(c-r.low)
		}
	}
	if m.base != nil {
		return m.base.cid(c, size)
	}
	return 0
}

// next takes the first code off a string: it is as long as its range of codes says.
func (m *cmap) next(s text) (c uint32, size int) {
	for at := m; at != nil; at = at.base {
		c = 0
		for n := 1; n <= min(4, len(s)); n++ {
			c = c<<8 | uint32(s[n-1])
			for _, r := range at.spaces {
				if r.size == n && within(c, r, n) {
					return c, n
				}
			}
		}
	}
	size = min(2, len(s))
	if len(m.spaces) > 0 && m.base == nil {
		size = min(m.spaces[0].size, len(s))
	}
	c = 0
	for i := range size {
		c = c<<8 | uint32(s[i])
	}
	return c, size
}

// within says whether each byte of a code lies in its range.
func within(c uint32, r codespace, n int) bool {
	for i := range n {
		shift := 8 * i
		if b := c >> shift & 0xff; b < r.low>>shift&0xff || b > r.top>>shift&0xff {
			return false
		}
	}
	return true
}

// predefined gives a map by its name, for those whose codes tell their meaning.
func predefined(n name) *cmap {
	two := []codespace{{2, 0, 0xffff}}
	switch s := string(n); {
	case strings.HasPrefix(s, "Identity"):
		return &cmap{spaces: two, identity: true}
	case strings.Contains(s, "UCS2"), strings.Contains(s, "UTF16"):
		return &cmap{spaces: []codespace{{4, 0xd800dc00, 0xdbffdfff}, {2, 0, 0xffff}}, plain: true}
	}
	return nil
}

package pdf

import (
	"strings"
	"unicode/utf16"
)

// font turns the codes of strings into glyphs.
type font struct {
	// composite fonts have codes of several bytes, in the ranges of codes.
	composite bool
	codes     *cmap
	unicode   *cmap
	// names are the glyphs of a simple font's codes.
	names  [256]string
	texts  [256]string
	widths map[int]float64
	width  float64 // of glyphs that are not in widths
	// scale makes units of the text of a width.
	scale float64
	// stretch corrects the size of a Type 3 font.
	stretch float64
}

// glyph is one code of a string.
type glyph struct {
	text  string
	width float64
	// blank is the code 32 of one byte, which word spacing widens.
	blank bool
}

const maxFonts = 2000

// font gives the font of a resource.
func (f *file) font(v any) *font {
	r, isRef := v.(ref)
	if isRef {
		if known, ok := f.fonts[int(r)]; ok {
			return known
		}
	}
	d, _ := f.get(v).(dict)
	made := fontReader{f}.newFont(d)
	if isRef {
		if len(f.fonts) >= maxFonts {
			clear(f.fonts)
		}
		f.fonts[int(r)] = made
	}
	return made
}

// fontReader reads the fonts of a file.
type fontReader struct{ f *file }

func (r fontReader) newFont(d dict) *font {
	o := &font{scale: 0.001, stretch: 1, widths: map[int]float64{}}
	if s, ok := r.f.get(d["ToUnicode"]).(*stream); ok {
		o.unicode = parseCMap(r.f.decoded(s), predefined)
	} else if n, ok := r.f.get(d["ToUnicode"]).(name); ok {
		o.unicode = predefined(n)
		if o.unicode != nil && o.unicode.identity {
			o.unicode = &cmap{plain: true}
		}
	}
	switch r.f.get(d["Subtype"]) {
	case name("Type0"):
		r.compositeFont(o, d)
	case name("Type3"):
		r.simpleFont(o, d)
		r.type3(o, d)
	default:
		r.simpleFont(o, d)
	}
	return o
}

func (r fontReader) compositeFont(o *font, d dict) {
	o.composite = true
	switch enc := r.f.get(d["Encoding"]).(type) {
	case name:
		o.codes = predefined(enc)
	case *stream:
		o.codes = parseCMap(r.f.decoded(enc), predefined)
		if n, ok := r.f.get(enc.dict["UseCMap"]).(name); ok && o.codes.base == nil {
			o.codes.base = predefined(n)
		}
	}
	if o.codes == nil {
		o.codes = predefined("Identity")
	}
	all, _ := r.f.get(d["DescendantFonts"]).(array)
	if len(all) == 0 {
		return
	}
	child, _ := r.f.get(all[0]).(dict)
	o.width = r.f.float(child["DW"], 1000)
	w, _ := r.f.get(child["W"]).(array)
	for i := 0; i+1 < len(w); {
		start := r.f.integer(w[i], 0)
		if list, ok := r.f.get(w[i+1]).(array); ok {
			for j, v := range list {
				if len(o.widths) < maxMapped {
					o.widths[start+j] = r.f.float(v, o.width)
				}
			}
			i += 2
			continue
		}
		if i+2 >= len(w) {
			break
		}
		end, each := r.f.integer(w[i+1], 0), r.f.float(w[i+2], o.width)
		for c := start; c <= end && c-start < 1<<16 && len(o.widths) < maxMapped; c++ {
			o.widths[c] = each
		}
		i += 3
	}
}

// simpleFont reads the encoding and the widths of a font with codes of one byte.
func (r fontReader) simpleFont(o *font, d dict) {
	descriptor, _ := r.f.get(d["FontDescriptor"]).(dict)
	base, _ := r.f.get(d["BaseFont"]).(name)
	plain := string(base)
	if i := strings.IndexByte(plain, '+'); i == 6 {
		plain = plain[i+1:]
	}
	r.encoding(o, d, descriptor, plain)
	for c := range o.names {
		o.texts[c] = r.f.names.text(o.names[c])
	}
	o.width = r.f.float(descriptor["MissingWidth"], 0)
	widths, ok := r.f.get(d["Widths"]).(array)
	start := r.f.integer(d["FirstChar"], 0)
	for i, v := range widths {
		if c := start + i; c >= 0 && c < 256 {
			o.widths[c] = r.f.float(v, o.width)
		}
	}
	if !ok {
		standardWidths(o, plain)
	}
}

// encoding names the glyphs of the codes.
func (r fontReader) encoding(o *font, d, descriptor dict, plain string) {
	enc := r.f.get(d["Encoding"])
	differences, _ := enc.(dict)
	baseName, _ := enc.(name)
	if differences != nil {
		baseName, _ = r.f.get(differences["BaseEncoding"]).(name)
	}
	names, ok := namedEncoding(string(baseName))
	if !ok {
		names, ok = r.builtIn(descriptor)
	}
	switch {
	case ok:
	case strings.HasPrefix(plain, "Symbol"):
		names = symbolNames()
	case strings.HasPrefix(plain, "ZapfDingbats"):
		names = dingbatNames()
	case r.f.get(d["Subtype"]) == name("TrueType"):
		names, _ = namedEncoding("WinAnsiEncoding")
	default:
		names, _ = namedEncoding("StandardEncoding")
	}
	o.names = names
	list, _ := r.f.get(differences["Differences"]).(array)
	at := 0
	for _, v := range list {
		switch v := r.f.get(v).(type) {
		case int:
			at = v
		case name:
			if at >= 0 && at < 256 {
				o.names[at] = string(v)
			}
			at++
		}
	}
}

// builtIn gives the encoding in the font program.
func (r fontReader) builtIn(descriptor dict) ([256]string, bool) {
	if s, ok := r.f.get(descriptor["FontFile"]).(*stream); ok {
		return type1Encoding(r.f.decoded(s))
	}
	if s, ok := r.f.get(descriptor["FontFile3"]).(*stream); ok {
		return cffEncoding(r.f.decoded(s))
	}
	return [256]string{}, false
}

// type3 gives a font of drawings its scale, and a size that is like that of others.
func (r fontReader) type3(o *font, d dict) {
	matrix, _ := r.f.get(d["FontMatrix"]).(array)
	if len(matrix) < 4 {
		return
	}
	if a := r.f.float(matrix[0], 0.001); a != 0 {
		o.scale = a
		o.stretch = max(r.f.float(matrix[3], a)/a, -r.f.float(matrix[3], a)/a)
	}
	const widthOfM, widthOfLetter = 0.6, 0.5
	letter, known := 0.0, 0.0
	for c := range o.names {
		n := o.names[c]
		w := max(o.widths[c]*o.scale, -o.widths[c]*o.scale)
		switch {
		case w == 0:
		case n == "m":
			o.stretch *= w / widthOfM
			return
		case len(n) == 1:
			letter = w
		default:
			known = w
		}
	}
	if letter == 0 {
		letter = known
	}
	if letter > 0 {
		o.stretch *= letter / widthOfLetter
	}
}

// glyph takes the first glyph off a string.
func (o *font) glyph(s text) (glyph, int) {
	if !o.composite {
		return o.simple(s[0]), 1
	}
	c, size := o.codes.next(s)
	g := glyph{blank: c == ' ' && size == 1}
	cid := int(c)
	if !o.codes.plain {
		cid = o.codes.cid(c, size)
	}
	g.width = o.widthOf(cid)
	switch {
	case o.unicode != nil:
		t, ok := o.unicode.lookup(c, size)
		if !ok && o.codes.plain {
			t, _ = o.codes.lookup(c, size)
		}
		g.text = t
	case o.codes.plain:
		g.text, _ = o.codes.lookup(c, size)
	}
	return g, size
}

// simple is the glyph of a code of one byte. Some maps write such codes with two.
func (o *font) simple(c byte) glyph {
	g := glyph{text: o.texts[c], width: o.widthOf(int(c)), blank: c == ' '}
	if o.unicode == nil {
		return g
	}
	for _, size := range []int{1, 2} {
		if t, ok := o.unicode.lookup(uint32(c), size); ok && (size == 1 || len(o.unicode.spaces) > 0) {
			g.text = t
			break
		}
	}
	return g
}

func (o *font) widthOf(c int) float64 {
	w, ok := o.widths[c]
	if !ok {
		w = o.width
	}
	return w * o.scale
}

// textString decodes a string of a dictionary: UTF-16 or UTF-8 with a mark, or a superset of Latin-1.
func textString(s text) string {
	if strings.HasPrefix(string(s), "\xfe\xff") {
		return string(utf16.Decode(units(s[2:])))
	}
	if strings.HasPrefix(string(s), "\xef\xbb\xbf") {
		return string(s[3:])
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

package pdf

import (
	"bytes"
	"math"
)

const (
	// The bounds: maxOperators bounds the operators and glyphs of a file, maxForms the forms in each other, maxStates the saved states.
	maxOperators = 20_000_000
	maxForms     = 12
	maxStates    = 200
)

// matrix is [a b c d e f].
type matrix [6]float64

func identity() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// times gives the matrix that applies m and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// state is the part of the graphics state that places text.
type state struct {
	ctm                              matrix
	font                             *font
	size, charSpace, wordSpace, lead float64
	stretch, rise                    float64
}

// interpreter draws a page onto a canvas.
type interpreter struct {
	f     *file
	over  func() bool
	to    *canvas
	s     state
	saved []state
	// The text matrix, and that of the line.
	tm, line matrix
	forms    int
	// actual is the text that stands in place of the drawn one, and how deep the marks are.
	marks  []bool
	actual int
	// ops counts the operators of the file.
	ops *int
}

// run draws a content stream.
func (in *interpreter) run(data []byte, resources dict) {
	p := &parser{b: data}
	args := make([]any, 0, 8)
	for {
		v, err := p.next()
		if err != nil {
			return
		}
		op, ok := v.(operator)
		if !ok {
			const most = 64
			if len(args) < most {
				args = append(args, v)
			}
			continue
		}
		if in.ended() {
			return
		}
		if op == "BI" {
			skipImage(p)
		} else {
			in.do(op, args, resources)
		}
		args = args[:0]
	}
}

// ended counts an operator or a glyph, and says whether it is one too many, or comes too late.
func (in *interpreter) ended() bool {
	*in.ops++
	const often = 1 << 10
	if *in.ops%often == 0 && in.over() {
		*in.ops = maxOperators
	}
	return *in.ops > maxOperators
}

// skipImage skips a picture within the content.
func skipImage(p *parser) {
	i := bytes.Index(p.b[p.pos:], []byte("ID"))
	if i < 0 {
		p.pos = len(p.b)
		return
	}
	p.pos += i + 2
	for {
		i := bytes.Index(p.b[p.pos:], []byte("EI"))
		if i < 0 {
			p.pos = len(p.b)
			return
		}
		at := p.pos + i
		p.pos = at + 2
		if at > 0 && isSpace(p.b[at-1]) && (p.pos >= len(p.b) || isSpace(p.b[p.pos])) {
			return
		}
	}
}

func num(args []any, i int) float64 {
	if i < 0 || i >= len(args) {
		return 0
	}
	switch v := args[i].(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

func six(args []any) (m matrix, ok bool) {
	if len(args) < len(m) {
		return m, false
	}
	args = args[len(args)-len(m):]
	for i := range m {
		m[i] = num(args, i)
	}
	return m, true
}

// do takes one operator.
func (in *interpreter) do(op operator, args []any, resources dict) {
	switch op {
	case "q":
		if len(in.saved) < maxStates {
			in.saved = append(in.saved, in.s)
		}
	case "Q":
		if n := len(in.saved); n > 0 {
			in.s, in.saved = in.saved[n-1], in.saved[:n-1]
		}
	case "cm":
		if m, ok := six(args); ok {
			in.s.ctm = m.times(in.s.ctm)
		}
	case "Do":
		in.form(last(args), resources)
	case "gs":
		in.graphics(last(args), resources)
	case "BMC", "BDC":
		in.mark(op, args, resources)
	case "EMC":
		if n := len(in.marks); n > 0 {
			if in.marks[n-1] {
				in.actual--
			}
			in.marks = in.marks[:n-1]
		}
	default:
		if !in.setText(op, args, resources) {
			in.showText(op, args)
		}
	}
}

// setText takes an operator that says how text is drawn, or where.
func (in *interpreter) setText(op operator, args []any, resources dict) bool {
	n := num(args, len(args)-1)
	switch op {
	case "BT":
		in.tm, in.line = identity(), identity()
	case "Tf":
		if len(args) >= 2 {
			in.s.size = n
			fonts, _ := in.f.get(resources["Font"]).(dict)
			key, _ := args[len(args)-2].(name)
			in.s.font = in.f.font(fonts[key])
		}
	case "Tc":
		in.s.charSpace = n
	case "Tw":
		in.s.wordSpace = n
	case "Tz":
		in.s.stretch = n / 100
	case "TL":
		in.s.lead = n
	case "Ts":
		in.s.rise = n
	case "Td":
		in.move(num(args, len(args)-2), n)
	case "TD":
		in.s.lead = -n
		in.move(num(args, len(args)-2), n)
	case "T*":
		in.move(0, -in.s.lead)
	case "Tm":
		if m, ok := six(args); ok {
			in.tm, in.line = m, m
		}
	default:
		return false
	}
	return true
}

func (in *interpreter) showText(op operator, args []any) {
	switch op {
	case "Tj":
		in.show(last(args))
	case "'":
		in.move(0, -in.s.lead)
		in.show(last(args))
	case "\"":
		in.s.wordSpace, in.s.charSpace = num(args, len(args)-3), num(args, len(args)-2)
		in.move(0, -in.s.lead)
		in.show(last(args))
	case "TJ":
		list, _ := last(args).(array)
		for _, v := range list {
			switch v := v.(type) {
			case text:
				in.show(v)
			case int:
				in.advance(-float64(v) / 1000 * in.s.size * in.s.stretch)
			case float64:
				in.advance(-v / 1000 * in.s.size * in.s.stretch)
			}
		}
	}
}

func (in *interpreter) move(x, y float64) {
	in.line = matrix{1, 0, 0, 1, x, y}.times(in.line)
	in.tm = in.line
}

func (in *interpreter) advance(x float64) {
	in.tm[4] += x * in.tm[0]
	in.tm[5] += x * in.tm[1]
}

// show draws a string.
func (in *interpreter) show(v any) {
	s, ok := v.(text)
	o := in.s.font
	if !ok || o == nil {
		return
	}
	for len(s) > 0 && !in.ended() {
		g, n := o.glyph(s)
		s = s[n:]
		width := g.width * in.s.size * in.s.stretch
		if in.actual > 0 {
			g.text = in.to.take()
		}
		m := matrix{1, 0, 0, 1, 0, in.s.rise}.times(in.tm).times(in.s.ctm)
		in.to.put(g.text, m, width, math.Hypot(m[2], m[3])*math.Abs(in.s.size)*o.stretch)
		step := width + in.s.charSpace*in.s.stretch
		if g.blank {
			step += in.s.wordSpace * in.s.stretch
		}
		in.advance(step)
	}
}

// form draws a form, a content of its own.
func (in *interpreter) form(v any, resources dict) {
	all, _ := in.f.get(resources["XObject"]).(dict)
	key, _ := v.(name)
	s, ok := in.f.get(all[key]).(*stream)
	if !ok || in.f.get(s.dict["Subtype"]) != name("Form") || in.forms >= maxForms {
		return
	}
	in.forms++
	saved, tm, line, states := in.s, in.tm, in.line, in.saved
	in.saved = nil
	if list, ok := in.f.get(s.dict["Matrix"]).(array); ok {
		if m, ok := in.f.matrix(list); ok {
			in.s.ctm = m.times(in.s.ctm)
		}
	}
	own, ok := in.f.get(s.dict["Resources"]).(dict)
	if !ok {
		own = resources
	}
	in.run(in.f.decoded(s), own)
	in.s, in.tm, in.line, in.saved = saved, tm, line, states
	in.forms--
}

func (f *file) matrix(list array) (matrix, bool) {
	resolved := make([]any, len(list))
	for i := range list {
		resolved[i] = f.get(list[i])
	}
	return six(resolved)
}

// graphics takes the font of a set of parameters.
func (in *interpreter) graphics(v any, resources dict) {
	all, _ := in.f.get(resources["ExtGState"]).(dict)
	key, _ := v.(name)
	d, _ := in.f.get(all[key]).(dict)
	if list, ok := in.f.get(d["Font"]).(array); ok && len(list) == 2 {
		in.s.font, in.s.size = in.f.font(list[0]), in.f.float(list[1], in.s.size)
	}
}

// mark begins a marked part; one with an ActualText has that text in place of its own.
func (in *interpreter) mark(op operator, args []any, resources dict) {
	const most = 1000
	if len(in.marks) >= most {
		return
	}
	replacement, replaced := text(""), false
	if op == "BDC" {
		replacement, replaced = in.f.get(in.properties(last(args), resources)["ActualText"]).(text)
	}
	if replaced {
		if in.actual == 0 {
			in.to.replace(textString(replacement))
		}
		in.actual++
	}
	in.marks = append(in.marks, replaced)
}

// properties are those of a marked part: written there, or a resource.
func (in *interpreter) properties(v any, resources dict) dict {
	if key, ok := v.(name); ok {
		all, _ := in.f.get(resources["Properties"]).(dict)
		v = all[key]
	}
	d, _ := in.f.get(v).(dict)
	return d
}

package pdf

import "fmt"

// Page is one page of a file.
type Page struct {
	// Number counts from 1.
	Number int
	Text   string
}

const (
	maxTree = 64 // nodes in each other
	// The number maxNodes bounds the nodes of the tree of pages that are looked at.
	maxNodes = 200_000
)

// Read gives the pages of a file in their order, until each returns false or over returns true; over is
// asked often. It returns how many pages the file says it has, which need not be true.
func Read(b []byte, over func() bool, each func(Page) bool) (pages int, err error) {
	f, err := open(b)
	if err != nil {
		return 0, fmt.Errorf("read a PDF: %w", err)
	}
	root := f.root()
	r := reader{f: f, over: over, each: each}
	r.walk(root, inherited{}, 0)
	return max(f.integer(root["Count"], 0), r.number), nil
}

// reader walks through the tree of pages.
type reader struct {
	f      *file
	over   func() bool
	each   func(Page) bool
	number int
	nodes  int
	ops    int
}

// inherited are the properties that a page has from the nodes above.
type inherited struct{ resources, box any }

// walk gives the pages below a node; false to stop.
func (r *reader) walk(node dict, from inherited, depth int) bool {
	if r.nodes++; r.nodes > maxNodes || depth > maxTree || r.ops > maxOperators || r.f.spent > maxDecoded || r.over() {
		return false
	}
	if v, ok := node["Resources"]; ok {
		from.resources = v
	}
	if v, ok := node["MediaBox"]; ok {
		from.box = v
	}
	kids, ok := r.f.get(node["Kids"]).(array)
	if !ok {
		r.number++
		return r.each(Page{Number: r.number, Text: r.page(node, from)})
	}
	for _, v := range kids {
		if d, ok := r.f.get(v).(dict); ok && !r.walk(d, from, depth+1) {
			return false
		}
	}
	return true
}

// page draws a page and gives its text.
func (r *reader) page(node dict, from inherited) string {
	const huge = 1e9
	c := &canvas{box: [4]float64{-huge, -huge, huge, huge}}
	if box, ok := r.f.get(from.box).(array); ok && len(box) == 4 {
		a, b, x, y := r.f.float(box[0], 0), r.f.float(box[1], 0), r.f.float(box[2], 0), r.f.float(box[3], 0)
		if a != x && b != y {
			c.box = [4]float64{min(a, x), min(b, y), max(a, x), max(b, y)}
		}
	}
	resources, _ := r.f.get(from.resources).(dict)
	in := &interpreter{f: r.f, over: r.over, to: c, tm: identity(), line: identity(), ops: &r.ops}
	in.s = state{ctm: identity(), stretch: 1}
	in.run(r.content(node["Contents"]), resources)
	return c.lines()
}

// content gives the content of a page, which may be in several parts.
func (r *reader) content(v any) []byte {
	switch v := r.f.get(v).(type) {
	case *stream:
		return r.f.decoded(v)
	case array:
		var all []byte
		for _, part := range v {
			s, ok := r.f.get(part).(*stream)
			if !ok || len(all) > maxStream {
				continue
			}
			all = append(append(all, r.f.decoded(s)...), '\n')
		}
		return all
	}
	return nil
}

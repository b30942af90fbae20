package index

import (
	"maps"
	"slices"

	"parley/pkg/index/blocks"
	"parley/pkg/index/words"
)

// titleCount is how often a word of a title counts.
const titleCount = 3

// changes are those of one scope in one segment.
type changes struct {
	wipes   bool
	put     map[string]*Document
	removed map[string]bool // also those that are put
	kills   kills
}

// builder makes sections of documents.
type builder struct {
	analyzer *words.Analyzer
	packer   *packer
	terms    map[string]int
	lists    []list
	lengths  []byte
	value    []byte
	rec      record
}

// list are the postings of a term.
type list struct {
	encoded []byte
	last    int64 // passage of the last encoded posting
	open    posting
}

func newBuilder() *builder {
	return &builder{analyzer: words.New(), packer: newPacker(), terms: map[string]int{}}
}

// section writes the documents of a scope.
func (b *builder) section(w *blocks.Writer, c *changes) (m sectionMeta, err error) {
	defer w.End(w.Begin())
	clear(b.terms)
	b.lists, b.lengths = b.lists[:0], b.lengths[:0]
	docs := blocks.NewTable(w)
	for _, id := range slices.Sorted(maps.Keys(c.put)) {
		d := c.put[id]
		if err := b.packer.write(w, d, &b.rec); err != nil {
			return m, err
		}
		b.value = b.rec.append(b.value[:0])
		if err := docs.Add([]byte(id), b.value); err != nil {
			return m, err
		}
		b.lengths = appendLengths(b.lengths, b.document(d, uint32(m.passages))) //nolint:gosec // a batch is smaller
		m.passages += int64(len(d.Passages))
	}
	if m.docs, err = docs.Finish(); err != nil {
		return m, err
	}
	if m.lengths, err = w.Stream(blocks.KindLengths, b.lengths); err != nil {
		return m, err
	}
	if m.terms, err = b.writeTerms(w); err != nil {
		return m, err
	}
	if m.kills, err = writeKills(w, c.kills); err != nil {
		return m, err
	}
	m.wipes, m.size = c.wipes, w.Offset()
	return m, nil
}

// document finds the words of a document whose first passage has that number.
func (b *builder) document(d *Document, first uint32) (lengths []uint32) {
	usual := d.Language
	if usual == words.None {
		usual = words.Detect(d.Title+"\n"+opening(d), words.None)
	}
	if usual == words.None {
		usual = words.English // of names, commands and short messages
	}
	for i := range d.Passages {
		p := &d.Passages[i]
		l := d.Language
		if l == words.None {
			l = words.Detect(p.Text, usual)
		}
		number := first + uint32(i)
		n := uint32(0)
		b.analyzer.Each(l, p.Text, func(terms []string) {
			n++
			b.count(terms, number, 1)
		})
		b.analyzer.Each(l, p.Heading, func(terms []string) { b.count(terms, number, 1) })
		if i == 0 {
			b.analyzer.Each(l, d.Title, func(terms []string) { b.count(terms, number, titleCount) })
		}
		lengths = append(lengths, min(n, maxCount-1)<<languageBits|uint32(l))
	}
	return lengths
}

// opening is the begin of the text, for its language.
func opening(d *Document) string {
	const enough = 4 << 10
	var text []byte
	for i := range d.Passages {
		if len(text) >= enough {
			break
		}
		text = append(append(text, d.Passages[i].Text...), '\n')
	}
	return string(text)
}

func (b *builder) count(terms []string, passage, n uint32) {
	for _, t := range terms {
		at, known := b.terms[t]
		if !known {
			at = len(b.lists)
			b.terms[t] = at
			b.lists = grown(b.lists)
		}
		l := &b.lists[at]
		if l.open.count > 0 && l.open.passage != passage {
			l.close()
		}
		l.open.passage = passage
		l.open.count += n
	}
}

// grown has one list more, with the memory of one that was there before.
func grown(lists []list) []list {
	if len(lists) == cap(lists) {
		return append(lists, list{last: -1})
	}
	lists = lists[:len(lists)+1]
	l := &lists[len(lists)-1]
	l.encoded, l.last, l.open = l.encoded[:0], -1, posting{}
	return lists
}

func (l *list) close() {
	l.encoded = appendPosting(l.encoded, l.last, l.open)
	l.last, l.open.count = int64(l.open.passage), 0
}

func (b *builder) writeTerms(w *blocks.Writer) (blocks.Root, error) {
	table := blocks.NewTable(w)
	for _, t := range slices.Sorted(maps.Keys(b.terms)) {
		l := &b.lists[b.terms[t]]
		l.close()
		var err error
		if b.value, err = putPostings(w, b.value, l.encoded); err != nil {
			return blocks.Root{}, err
		}
		if err := table.Add([]byte(t), b.value); err != nil {
			return blocks.Root{}, err
		}
	}
	return table.Finish()
}

// writeKills writes the documents of older segments that are gone.
func writeKills(w *blocks.Writer, k kills) (blocks.Ref, error) {
	var b []byte
	for _, id := range slices.Sorted(maps.Keys(k)) {
		b = blocks.AppendNumber(blocks.AppendNumber(b, id), int64(len(k[id])))
		last := int64(-1)
		for _, doc := range slices.Sorted(maps.Keys(k[id])) {
			b = blocks.AppendNumber(b, int64(doc)-last-1)
			last = int64(doc)
		}
	}
	return w.Stream(blocks.KindKills, b)
}

package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"parley/pkg/channels/markdown"
	"parley/pkg/httpd"
)

// node is a block of a text, or a container of blocks.
type node struct {
	// Kind is p, h, code, table, hr, quote, list or item.
	Kind  string `json:"t"`
	Level int    `json:"level,omitempty"` // of a heading
	Lang  string `json:"lang,omitempty"`  // of code
	Text  string `json:"text,omitempty"`  // of code
	In    []span `json:"in,omitempty"`    // of a paragraph or a heading
	// Kids are those of a container.
	Kids    []*node  `json:"kids,omitempty"`
	Ordered bool     `json:"ordered,omitempty"` // of a list
	Tight   bool     `json:"tight,omitempty"`
	Start   int      `json:"start,omitempty"`
	Box     string   `json:"box,omitempty"` // of an item: open or ticked
	Align   []string `json:"align,omitempty"`
	Head    [][]span `json:"head,omitempty"`
	Rows    [][]cell `json:"rows,omitempty"`

	list *markdown.List
}

type cell = []span

// span is text of one look.
type span struct {
	Text   string `json:"s"`
	Bold   bool   `json:"b,omitempty"`
	Italic bool   `json:"i,omitempty"`
	Strike bool   `json:"d,omitempty"`
	Code   bool   `json:"c,omitempty"`
	Href   string `json:"h,omitempty"`
}

// dialect is what the page can show.
func dialect() markdown.Dialect {
	return markdown.Dialect{Removed: func(rune) bool { return false }, Link: linked, BlankCode: true}
}

// linked lets links lead to pages and to mail.
func linked(target string) string {
	u, err := url.Parse(target)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) || u.Scheme != "mailto" && u.Host == "" {
		return ""
	}
	return u.String()
}

// Tree is a text in Markdown as a tree.
func tree(text string) []*node {
	root := &node{}
	open := []*node{root}
	blocks := markdown.Read(text, dialect())
	for i := range blocks {
		b := &blocks[i]
		open = open[:b.Begins+1]
		for _, c := range b.In[b.Begins:] {
			open = append(open, enter(open[len(open)-1], c))
		}
		to := open[len(open)-1]
		to.Kids = append(to.Kids, blockOf(b))
	}
	return root.Kids
}

// enter opens a container in another one. The items of one list are beside each other.
func enter(in *node, c *markdown.Container) *node {
	if c.List == nil {
		q := &node{Kind: "quote"}
		in.Kids = append(in.Kids, q)
		return q
	}
	var list *node
	if n := len(in.Kids); n > 0 && in.Kids[n-1].list == c.List {
		list = in.Kids[n-1]
	} else {
		list = &node{Kind: "list", Ordered: c.List.Ordered, Tight: c.List.Tight, Start: c.Number, list: c.List}
		in.Kids = append(in.Kids, list)
	}
	item := &node{Kind: "item", Box: []string{"", "open", "ticked"}[c.Box]}
	list.Kids = append(list.Kids, item)
	return item
}

func blockOf(b *markdown.Block) *node {
	switch b.Kind {
	case markdown.Heading:
		return &node{Kind: "h", Level: b.Level, In: spans(&b.Prose)}
	case markdown.Fenced:
		return &node{Kind: "code", Lang: b.Language, Text: b.Text}
	case markdown.Rule:
		return &node{Kind: "hr"}
	case markdown.Table:
		return tableOf(b)
	case markdown.Paragraph:
	}
	return &node{Kind: "p", In: spans(&b.Prose)}
}

func tableOf(b *markdown.Block) *node {
	t := &node{Kind: "table", Head: row(b.Head)}
	for i := range b.Head {
		t.Align = append(t.Align, b.Head[i].Align.String())
	}
	for _, cells := range b.Rows {
		t.Rows = append(t.Rows, row(cells))
	}
	return t
}

func row(cells []markdown.Cell) [][]span {
	all := [][]span{}
	for i := range cells {
		all = append(all, spans(&markdown.Prose{Text: cells[i].Text, Spans: cells[i].Spans}))
	}
	return all
}

// spans are the stretches of a text.
func spans(p *markdown.Prose) []span {
	all := []span{}
	from := 0
	put := func(to int, l markdown.Look) {
		to = min(to, len(p.Text))
		if to <= from {
			return
		}
		has := func(s markdown.Style) bool { return l.Style&s != 0 }
		all = append(all, span{
			Text: p.Text[from:to], Bold: has(markdown.Bold), Italic: has(markdown.Italic), Strike: has(markdown.Strike),
			Code: has(markdown.Code), Href: l.Href,
		})
		from = to
	}
	for _, s := range p.Spans {
		put(s.End-p.Offset, s.Look)
	}
	put(len(p.Text), markdown.Look{})
	return all
}

// maxTexts is how many texts one request has at most.
const maxTexts = 400

// trees answers with the trees of texts.
func trees(w http.ResponseWriter, r *http.Request) {
	var said struct {
		Texts []string `json:"texts"`
	}
	f := httpd.Decode(r, &said)
	if f == nil && len(said.Texts) > maxTexts {
		f = &httpd.Refusal{Status: http.StatusBadRequest, Code: "bad_request", Message: fmt.Sprintf(textManyTexts, maxTexts)}
	}
	if f != nil {
		httpd.Refuse(w, *f)
		return
	}
	all := make([][]*node, len(said.Texts))
	for i, text := range said.Texts {
		all[i] = append([]*node{}, tree(text)...)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]any{"trees": all}) // a browser that is gone needs no answer
}

package markup

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/pkg/channels/markdown"
)

// look is how a stretch of text looks.
type look = markdown.Look

// allowed is the part of l that Telegram's rules allow: code has no other style inside
// or around it. A target and a secret matter more than that.
func allowed(l look) look {
	switch {
	case l.Style&markdown.Code == 0:
		return l
	case l.Href != "" || l.Style&markdown.Spoiler != 0:
		l.Style &^= markdown.Code
		return l
	default:
		return look{Style: markdown.Code}
	}
}

// tag is a pair of tags.
type tag struct{ open, end string }

func named(name string) tag { return tag{open: "<" + name + ">", end: "</" + name + ">"} }

// tagsOf are the tags around text that looks like l, the outermost first. A secret is
// outermost: it is uncovered as a whole.
func tagsOf(l look) []tag {
	var tags []tag
	if l.Style&markdown.Spoiler != 0 {
		tags = append(tags, named("tg-spoiler"))
	}
	if l.Href != "" {
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(l.Href)
		tags = append(tags, tag{open: `<a href="` + escaped + `">`, end: "</a>"})
	}
	for i, name := range []string{"b", "i", "s", "code"} {
		if l.Style&(markdown.Bold<<i) != 0 {
			tags = append(tags, named(name))
		}
	}
	return tags
}

// pre are the tags around a block of code or a table. Both together are one entity.
func pre(language string) tag {
	if language == "" {
		return named("pre")
	}
	return tag{open: `<pre><code class="language-` + language + `">`, end: "</code></pre>"}
}

// common is how many tags at the front are in both lists, and so stay open.
func common(a, b []tag) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// escapeOf is the escape of r in HTML.
func escapeOf(r rune) string {
	switch r {
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '&':
		return "&amp;"
	case '"':
		return "&quot;"
	}
	return string(r)
}

// writer puts the HTML of one part together.
type writer struct {
	html strings.Builder
	open []tag
}

// to closes and opens tags until those of next are open.
func (w *writer) to(next []tag) {
	keep := common(w.open, next)
	for i := len(w.open) - 1; i >= keep; i-- {
		w.html.WriteString(w.open[i].end)
	}
	for _, t := range next[keep:] {
		w.html.WriteString(t.open)
	}
	w.open = next
}

// text writes s with the characters of HTML escaped.
func (w *writer) text(s string) {
	for s != "" {
		at := strings.IndexAny(s, "<>&")
		if at < 0 {
			break
		}
		w.html.WriteString(s[:at])
		w.html.WriteString(escapeOf(rune(s[at])))
		s = s[at+1:]
	}
	w.html.WriteString(s)
}

// escapedLen is how many bytes text writes for r.
func escapedLen(r rune) int {
	switch r {
	case '<', '>', '&':
		return len(escapeOf(r))
	}
	return utf8.RuneLen(r)
}

// write is the HTML of a part.
func write(pieces []block) string {
	var w writer
	for i := range pieces {
		p := &pieces[i]
		inside := i > 0 && p.quote == pieces[i-1].quote
		if !inside {
			w.to(nil)
		}
		if i > 0 {
			w.html.WriteString(strings.Repeat("\n", p.gap))
		}
		if !inside && p.quote != nil {
			w.to([]tag{named("blockquote")})
		}
		w.block(p, w.open)
	}
	w.to(nil)
	return w.html.String()
}

// block writes p within the tags outer, which are open and stay so.
func (w *writer) block(p *block, outer []tag) {
	within := func(tags ...tag) []tag { return append(slices.Clip(outer), tags...) }
	if p.pre {
		w.to(within(pre(p.language)))
		w.text(p.head)
		w.text(p.Text)
	}
	spans := p.Spans
	for from := 0; from < len(p.Text) && !p.pre; {
		l, to := p.next(spans)
		w.to(within(tagsOf(l)...))
		w.text(p.Text[from:to])
		from, spans = to, spans[min(1, len(spans)):]
	}
	w.to(outer)
}

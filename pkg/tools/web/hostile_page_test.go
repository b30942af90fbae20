package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"parley/pkg/tools/web"
)

// The highest cost of a page, whatever is in it. The time is that of an idle machine;
// on a busy one, and with the race detector, it is an outer bound.
const (
	mostTime   = 4 * 5 * time.Second
	mostMemory = 64 << 20
)

// late says that a conversion was given up at its time, which is a good end too.
func late(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

const pageBytes = 2 << 20

// fill repeats a piece until the page is as long as one may be.
func fill(piece string) []byte {
	return []byte(strings.Repeat(piece, pageBytes/len(piece)+1)[:pageBytes])
}

// hostilePages make pages that were written to cost a lot, one at a time: the kept
// memory of others would hide the cost of one.
func hostilePages() map[string]func() []byte {
	return map[string]func() []byte{
		"deep div":   func() []byte { return fill("<div>") },
		"deep b":     func() []byte { return fill("<b>") },
		"deep list":  func() []byte { return fill("<ul><li>x") },
		"deep quote": func() []byte { return fill("<blockquote>x") },
		"deep table": func() []byte { return fill("<table><tr><td>") },
		"deep quote, closed": func() []byte {
			return []byte(strings.Repeat("<blockquote>", 60) + strings.Repeat("<p>some text\n", 1<<16) + strings.Repeat("</blockquote>", 60))
		},
		"deep list, long": func() []byte { return []byte(strings.Repeat("<ul><li>", 35) + strings.Repeat("<p>some text\n", 1<<16)) },
		"deep div, much text": func() []byte {
			return []byte(strings.Repeat("<div>", 70) + strings.Repeat("<p>some text, and more of it, with commas, and more\n", 1<<15))
		},
		"unclosed":       func() []byte { return fill("<p>a<b>b<i>c<a href=x>d") },
		"misnested":      func() []byte { return fill("<b><p></b><i></p><div></i><td></div></td>") },
		"formatting":     func() []byte { return []byte(formatting()) },
		"stray end tags": func() []byte { return fill("</div></p></table>") },
		"wide row":       func() []byte { return []byte("<table><tr>" + strings.Repeat("<td>x", 1<<18)) },
		"one wide row, many": func() []byte {
			return []byte("<table><tr>" + strings.Repeat("<td>x", 15_000) + strings.Repeat("<tr><td>y", 10_000))
		},
		"long cell, many rows": func() []byte {
			return []byte("<table><tr><td>" + strings.Repeat("x", 1<<19) + strings.Repeat("<tr><td>y", 10_000))
		},
		"spans":              func() []byte { return fill(`<table><tr><td colspan=1000 rowspan=65534>x`) },
		"spans in one table": func() []byte { return []byte("<table>" + strings.Repeat(`<tr><td colspan=100 rowspan=100>x`, 1<<15)) },
		"attributes":         func() []byte { return []byte("<p " + string(fill("a ")) + ">text") },
		"equal attributes":   func() []byte { return []byte("<p " + string(fill("class=a ")) + ">text") },
		"links":              func() []byte { return fill(`<a href="/a?b=c d&e=%%%">x</a> `) },
		"long link":          func() []byte { return []byte(`<a href="` + string(fill("/..")) + `">x</a>`) },
		"entities":           func() []byte { return fill("&lt;&amp;&#x41;&nope") },
		"escapes":            func() []byte { return fill(`*_[]()<>#+-.!|~` + "`" + `\`) },
		"one word":           func() []byte { return fill("a") },
		"spaces":             func() []byte { return fill(" ") },
		"lines":              func() []byte { return fill("<br>") },
		"newlines":           func() []byte { return []byte("<pre>" + string(fill("\n"))) },
		"backticks":          func() []byte { return []byte("<pre><code>" + string(fill("`"))) },
		"inline code":        func() []byte { return fill("<code>`</code>") },
		"code in pre":        func() []byte { return fill("<pre><code class=language-go>x\n") },
		"headings":           func() []byte { return fill("<h1>x") },
		"commas":             func() []byte { return fill("<div><p>a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u</div>") },
		"many divs with text": func() []byte {
			return fill("<div class=content>some text, with commas, that is long enough to count</div>")
		},
		"spans of text":         func() []byte { return fill("<span>x</span>") },
		"empty spans":           func() []byte { return fill("<span></span>") },
		"nested empty":          func() []byte { return fill("<div><div><div></div></div></div>") },
		"scripts":               func() []byte { return fill("<script></script>") },
		"script without end":    func() []byte { return fill("<script>") },
		"script in script":      func() []byte { return fill("<script><!--<script>") },
		"comments":              func() []byte { return fill("<!-- - -->") },
		"comment without end":   func() []byte { return fill("<!--") },
		"cdata":                 func() []byte { return fill("<![CDATA[") },
		"svg":                   func() []byte { return fill("<svg><title>") },
		"math":                  func() []byte { return fill("<math><mi><mglyph>") },
		"select":                func() []byte { return fill("<select><option>") },
		"template":              func() []byte { return fill("<template>") },
		"plaintext":             func() []byte { return fill("<plaintext>") },
		"textarea":              func() []byte { return fill("<textarea>") },
		"titles":                func() []byte { return fill("<title>x") },
		"frameset":              func() []byte { return fill("<frameset>") },
		"forms":                 func() []byte { return fill("<form><input>") },
		"images":                func() []byte { return fill(`<img src="a.png" alt="*_[x](y)">`) },
		"meta":                  func() []byte { return fill(`<meta name=author content="x">`) },
		"base":                  func() []byte { return fill(`<base href="x/">`) },
		"nul":                   func() []byte { return fill("\x00<p>\x00") },
		"invalid utf-8":         func() []byte { return fill("\xff\xfe<p>\x80") },
		"angle brackets":        func() []byte { return fill("<") },
		"tag that never ends":   func() []byte { return []byte("<p " + strings.Repeat("x", 1<<20)) },
		"quote that never ends": func() []byte { return []byte(`<p class="` + strings.Repeat("x", 1<<20)) },
		"bidi":                  func() []byte { return fill("<p>\u202e\u2066x") },
		"mixed": func() []byte {
			return fill("<div><table><tr><td><ul><li><blockquote><pre><code>x</code></pre><h1>y</h1>")
		},
		"mains":               func() []byte { return fill("<main><article>x") },
		"definition":          func() []byte { return fill("<dl><dt>x<dd>y") },
		"tables":              func() []byte { return fill("<table><tr><td>a<td>b</table>") },
		"lists of links":      func() []byte { return fill("<ul><li><a href=x>y</a></ul>") },
		"ordered, huge start": func() []byte { return fill("<ol start=99999999><li>x</ol>") },
		"siblings of candidates": func() []byte {
			return []byte("<div>" + strings.Repeat("<p>"+strings.Repeat("long text, with a comma. ", 8)+"</p>", 9_000) + "</div>")
		},
		"bylines":   func() []byte { return fill(`<div class=byline rel=author>x</div>`) },
		"unlikely":  func() []byte { return fill(`<div class="comment sidebar ad">x, y</div>`) },
		"br chains": func() []byte { return fill("<div>a<br><br>b<br> <br></div>") },
	}
}

// formatting has formatting elements that all differ, and blocks that would each repeat them.
func formatting() string {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "<font color=%d><b id=b%d>", i, i)
	}
	b.WriteString(strings.Repeat("<p>x", 1<<18))
	return b.String()
}

// cost runs f and gives the time that it took and how far the heap grew.
func cost(f func()) (took time.Duration, grew uint64) {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	before, most := read(), uint64(0)
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, read())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	start := time.Now()
	f()
	took = time.Since(start)
	close(done)
	<-watched
	if most > before {
		grew = most - before
	}
	return took, grew
}

// TestHostilePages converts pages that were written to cost a lot. It runs alone:
// what others allocate meanwhile would count.
func TestHostilePages(t *testing.T) { //nolint:paralleltest // it measures the heap of the whole process
	from, err := url.Parse("https://a.example/b/")
	if err != nil {
		t.Fatal(err)
	}
	for name, build := range hostilePages() { //nolint:paralleltest // as above
		t.Run(name, func(t *testing.T) {
			page := build()
			var text string
			var fail error
			took, grew := cost(func() { _, text, _, fail = web.Markdown(t.Context(), page, from) })
			t.Logf("%s, %d MB, %d bytes of text", took.Round(time.Millisecond), grew>>20, len(text))
			if took > mostTime || grew > mostMemory {
				t.Errorf("%s and %d MB", took, grew>>20)
			}
			if fail != nil && !late(fail) {
				t.Errorf("%v", fail)
			}
			if i := bytes.IndexFunc([]byte(text), func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x202e }); i >= 0 {
				t.Errorf("a control character is left: %q", text[i:min(len(text), i+20)])
			}
		})
	}
}

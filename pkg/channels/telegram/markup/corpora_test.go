package markup_test

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/test/corpora"
	"parley/internal/test/faketelegram"
)

func load[T any](t *testing.T, path ...string) []T {
	t.Helper()
	var list []T
	if err := json.Unmarshal(corpora.Read(t, path...), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no cases")
	}
	return list
}

// TestJudge compares the judge of these tests with Telegram's own parser.
func TestJudge(t *testing.T) {
	t.Parallel()
	type example struct {
		Function string `json:"fn"`
		Input    string `json:"input"`
		OK       bool   `json:"ok"`
		Text     string `json:"text"`
		Error    string `json:"error"`
	}
	cases := load[example](t, "telegram", "tdlib-entity-parse-cases.json")
	cases = slices.DeleteFunc(cases, func(c example) bool { return c.Function != "check_parse_html" })
	if len(cases) == 0 {
		t.Fatal("no case is HTML")
	}
	for _, c := range cases {
		got, _, err := faketelegram.ParseHTML(c.Input)
		if c.OK != (err == nil) || got != c.Text || err != nil && !strings.Contains(err.Error(), c.Error) {
			t.Errorf("%q: %q, %v; Telegram: %q, %s", c.Input, got, err, c.Text, c.Error)
		}
	}
}

// TestSpecifications renders every case of CommonMark and GFM. The text that Telegram
// shows must be that of the case's HTML, white space aside, with the additions that
// doc.go names.
func TestSpecifications(t *testing.T) {
	t.Parallel()
	type example struct {
		Markdown string `json:"markdown"`
		HTML     string `json:"html"`
		Number   int    `json:"example"`
		Section  string `json:"section"`
	}
	for _, file := range []string{
		"commonmark-0.31-spec-tests.json", "cmark-gfm-spec.json", "cmark-gfm-extensions.json", "cmark-gfm-regression.json",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			for _, c := range load[example](t, "markdown", file) {
				if c.Markdown == "" {
					continue // the case lost its Markdown when it was collected
				}
				want := squeeze(reading(c.HTML, c.Markdown))
				got := squeeze(check(t, c.Markdown, 4096))
				for _, definition := range unused(c.Markdown) {
					got = strings.Replace(got, squeeze(definition), "", 1)
				}
				equal := got == want
				switch {
				case differs(c.Section, c.Markdown) != "":
					equal = true
				case want == "" && got != "":
					equal = got == squeeze(c.Markdown) // rather than no message at all
				case strings.Contains(c.HTML, "<table>"), strings.Contains(c.HTML, "<img"):
					// Links in tables and in the text of images keep their targets, and rows all of their cells.
					equal = within(withoutRules(want), withoutRules(got))
				}
				if !equal {
					t.Errorf("case %d, %s\n%s\ngot:  %s\nwant: %s\nHTML: %s", c.Number, c.Section, c.Markdown, got, want, c.HTML)
				}
				for _, limit := range []int{1, 7, 40} {
					if again := squeeze(check(t, c.Markdown, limit)); !within(got, again) {
						t.Errorf("case %d with limit %d\ngot:  %s\nwant: %s", c.Number, limit, again, got)
					}
				}
			}
		})
	}
}

// differs says why a case is not read as its HTML is, "" if it is.
func differs(section, md string) string {
	switch {
	case section == "Footnotes", strings.Contains(md, "[^1]:"):
		return "footnotes are left alone"
	case strings.Contains(md, "[a]: <te<st>"):
		return "goldmark takes the < in a target"
	case strings.Contains(md, "(_A_@_.A"):
		return "the case does not say how"
	case strings.Contains(md, "<strong>is</strong>"):
		return "the tags of its HTML cannot be told from those in its text"
	}
	return ""
}

// unused are the definitions of links in md that no link refers to.
func unused(md string) []string {
	source := []byte(md)
	used, all := map[string]bool{}, map[string][]string{}
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		var ref *ast.ReferenceLink
		switch n := n.(type) {
		case *ast.Link:
			ref = n.Reference
		case *ast.Image:
			ref = n.Reference
		case *ast.LinkReferenceDefinition:
			if entering {
				label := util.ToLinkReference(n.Label)
				all[label] = append(all[label], string(n.Lines().Value(source)))
			}
		}
		if ref != nil {
			used[util.ToLinkReference(ref.Value)] = true
		}
		return ast.WalkContinue, nil
	})
	var list []string
	for label, definitions := range all {
		if !used[label] {
			list = append(list, definitions...)
		}
	}
	return list
}

// withoutRules drops the lines of a table.
func withoutRules(s string) string { return strings.NewReplacer("|", "", "-", "", "+", "").Replace(s) }

// reading is the text that a person reads on a page: the text of its HTML, with the
// marks of lists, rules and tasks, and the targets that cannot be followed. A word of
// the Markdown that looks like a tag is text.
func reading(page, md string) string {
	r := pageReader{md: md}
	for page != "" {
		tag := tagAt(page)
		if tag == "" {
			next := strings.IndexByte(page[1:], '<') + 1
			if next == 0 {
				next = len(page)
			}
			r.WriteString(html.UnescapeString(page[:next]))
			page = page[next:]
			continue
		}
		page = page[len(tag):]
		if strings.Contains(md, tag) {
			r.WriteString(tag)
			continue
		}
		r.tag(tag)
	}
	return r.String()
}

// tagAt is the tag, comment or other markup that page begins with.
func tagAt(page string) string {
	return regexp.MustCompile(`^(<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<[!/]?[A-Za-z](?s:"[^"]*"|'[^']*'|[^"'>])*>)`).FindString(page)
}

type pageReader struct {
	strings.Builder
	md    string
	lists []int // the next number of each open list, -1 for bullets
	links []openLink
}

type openLink struct {
	target string
	at     int
}

func attribute(tag, name string) string {
	m := regexp.MustCompile(`\b` + name + `="([^"]*)"`).FindStringSubmatch(tag)
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[1])
}

func (r *pageReader) tag(tag string) {
	switch name := regexp.MustCompile(`^</?\w+`).FindString(tag); name {
	case "<ul":
		r.lists = append(r.lists, -1)
	case "<ol":
		start, err := strconv.Atoi(attribute(tag, "start"))
		if err != nil {
			start = 1
		}
		r.lists = append(r.lists, start)
	case "</ul", "</ol":
		r.lists = r.lists[:len(r.lists)-1]
	case "<li":
		r.item()
	case "<input":
		if strings.Contains(tag, "checked") {
			r.box("☑")
		} else {
			r.box("☐")
		}
	case "<hr":
		r.WriteString("———")
	case "<a":
		r.links = append(r.links, openLink{attribute(tag, "href"), r.Len()})
	case "</a":
		last := len(r.links) - 1
		r.follow(r.links[last].target, r.String()[r.links[last].at:])
		r.links = r.links[:last]
	case "<img":
		alt := attribute(tag, "alt")
		r.WriteString(alt)
		if len(r.links) == 0 || !onTheWeb(r.links[0].target) {
			r.follow(attribute(tag, "src"), alt)
		}
	}
}

func (r *pageReader) item() {
	last := len(r.lists) - 1
	if n := r.lists[last]; n >= 0 {
		mark := "."
		if strings.Contains(r.md, strconv.Itoa(n)+")") {
			mark = ")"
		}
		r.WriteString(strconv.Itoa(n) + mark)
		r.lists[last]++
		return
	}
	r.WriteString([]string{"•", "◦", "▪"}[min(last, 2)])
}

// box takes the place of a bullet.
func (r *pageReader) box(mark string) {
	shown := strings.TrimRight(r.String(), "•◦▪")
	r.Reset()
	r.WriteString(shown + mark)
}

func onTheWeb(target string) bool {
	u, err := url.Parse(target)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// follow is the addition of a target to its text.
func (r *pageReader) follow(target, label string) {
	plain := target
	if readable, err := url.PathUnescape(target); err == nil {
		plain = readable
	}
	switch {
	case onTheWeb(target) && strings.TrimSpace(label) == "":
		r.WriteString(target)
	case onTheWeb(target), plain == "", plain == label, target == "mailto:"+label, strings.HasPrefix(target, label+":"):
	case label == "":
		r.WriteString(plain)
	default:
		r.WriteString("(" + plain + ")")
	}
}

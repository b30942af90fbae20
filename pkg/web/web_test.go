package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/httpd"
	"parley/pkg/web"
)

const ours = "http://127.0.0.1:8080"

// ring lets every browser with a cookie in.
type ring struct{}

func (ring) Token(context.Context, string) (*httpd.Caller, context.Context, error) {
	return nil, nil, httpd.ErrNoCredential
}

func (ring) Session(ctx context.Context, _ string) (*httpd.Caller, context.Context, error) {
	return &httpd.Caller{}, ctx, nil
}

func ask(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	page, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	server := httpd.New(httpd.Options{Listen: "127.0.0.1:8080", Keyring: ring{}, Log: zerolog.Nop()})
	for _, route := range page.Routes() {
		server.Handle(route)
	}
	r := httptest.NewRequest(method, ours+path, strings.NewReader(body))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(&http.Cookie{Name: "parley-8080", Value: "x"})
	if method == http.MethodPost {
		r.Header.Set("Origin", ours)
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	return w
}

// TestFilesHaveOneVersion: the page names its files by the sum of all, each module is there that
// another one imports, none is asked for off the origin, and another version is none.
func TestFilesHaveOneVersion(t *testing.T) {
	t.Parallel()
	index := ask(t, http.MethodGet, "/", "")
	if index.Code != http.StatusOK || index.Header().Get("Cache-Control") != "no-store" {
		t.Fatal(index.Code, index.Header())
	}
	named := regexp.MustCompile(`"(/static/([0-9a-f]{12})/[^"]+)"`).FindAllStringSubmatch(index.Body.String(), -1)
	if len(named) < 3 || strings.Contains(index.Body.String(), "<script>") {
		t.Fatalf("the page names %v", named)
	}
	version := named[0][2]
	open, seen := []string{}, map[string]bool{}
	for _, n := range named {
		open = append(open, n[1])
	}
	imports := regexp.MustCompile(`(?:from|import)\s*"([^"]+)"`)
	for len(open) > 0 {
		path := open[0]
		open = open[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		got := ask(t, http.MethodGet, path, "")
		if got.Code != http.StatusOK || !strings.Contains(got.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", path, got.Code, got.Header())
		}
		if !strings.HasSuffix(path, ".js") {
			continue
		}
		for _, m := range imports.FindAllStringSubmatch(got.Body.String(), -1) {
			if !strings.HasPrefix(m[1], "./") {
				t.Errorf("%s imports %s", path, m[1])
				continue
			}
			open = append(open, path[:strings.LastIndexByte(path, '/')+1]+m[1][2:])
		}
	}
	if len(seen) < 12 {
		t.Errorf("the page has the files %v", seen)
	}
	for _, path := range []string{
		"/static/000000000000/app.js", "/static/" + version + "/index.html", "/static/" + version + "/vendor/README",
		"/static/" + version + "/../files.go", "/app.js",
	} {
		if got := ask(t, http.MethodGet, path, ""); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
}

// TestThePageReadsNoTextAsMarkup: no file of ours has a way from a text to markup or to code.
func TestThePageReadsNoTextAsMarkup(t *testing.T) {
	t.Parallel()
	forbidden := regexp.MustCompile(
		`innerHTML|outerHTML|insertAdjacentHTML|dangerouslySet|document\.write|\beval\(|new Function|srcdoc|localStorage|sessionStorage`,
	)
	for name, body := range web.Sources(t) {
		if found := forbidden.FindString(body); found != "" && !strings.HasPrefix(name, "vendor/") {
			t.Errorf("%s has %s", name, found)
		}
	}
}

// TestMarkdownIsATree of text, with links to pages and to mail alone.
func TestMarkdownIsATree(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a **b** `c`":                 `[{"t":"p","in":[{"s":"a "},{"s":"b","b":true},{"s":" "},{"s":"c","c":true}]}]`,
		"# Title":                     `[{"t":"h","level":1,"in":[{"s":"Title"}]}]`,
		"```go\nx := 1\n```":          `[{"t":"code","lang":"go","text":"x := 1"}]`,
		"[a](https://example.org)":    `[{"t":"p","in":[{"s":"a","h":"https://example.org"}]}]`,
		"[a](javascript:alert(1))":    `[{"t":"p","in":[{"s":"a (javascript:alert(1))"}]}]`,
		"[a](ftp://x.y/z)":            `[{"t":"p","in":[{"s":"a (ftp://x.y/z)"}]}]`,
		"<b onclick=x>hi</b>":         `[{"t":"p","in":[{"s":"<b onclick=x>hi</b>"}]}]`,
		"> q\n\n---":                  `[{"t":"quote","kids":[{"t":"p","in":[{"s":"q"}]}]},{"t":"hr"}]`,
		"1. a\n2. b\n   - c":          orderedList,
		"- [x] done":                  `[{"t":"list","kids":[{"t":"item","kids":[{"t":"p","in":[{"s":"done"}]}],"box":"ticked"}],"tight":true}]`,
		"| a | b |\n|--:|---|\n|1|2|": tableTree,
		"":                            `[]`,
	} {
		body, err := json.Marshal(map[string]any{"texts": []string{text}})
		if err != nil {
			t.Fatal(err)
		}
		got := ask(t, http.MethodPost, "/page/markdown", string(body))
		var said struct{ Trees []any }
		if err := json.Unmarshal(got.Body.Bytes(), &said); err != nil || len(said.Trees) != 1 {
			t.Fatal(got.Body, err)
		}
		var wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(want, err)
		}
		if diff := cmp.Diff(wanted, said.Trees[0]); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if got := ask(t, http.MethodPost, "/page/markdown", `{"texts":5}`); got.Code != http.StatusBadRequest {
		t.Errorf("no list: %d", got.Code)
	}
}

const (
	orderedList = `[{"t":"list","ordered":true,"tight":true,"start":1,"kids":[{"t":"item","kids":[{"t":"p","in":[{"s":"a"}]}]},` +
		`{"t":"item","kids":[{"t":"p","in":[{"s":"b"}]},{"t":"list","tight":true,"kids":[{"t":"item","kids":[{"t":"p","in":[{"s":"c"}]}]}]}]}]}]`
	tableTree = `[{"t":"table","align":["right","none"],"head":[[{"s":"a"}],[{"s":"b"}]],"rows":[[[{"s":"1"}],[{"s":"2"}]]]}]`
)

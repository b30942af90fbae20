package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
	"parley/pkg/tools/web"
)

const key = "brave-key-canary"

type hit struct{ Title, URL, Snippet string }

type found struct {
	Query   string
	Results []hit
	Count   int `json:"result_count"`
}

// ask searches on a server of this machine.
func ask(tb testing.TB, backend string, h http.HandlerFunc, args map[string]any) (found, *tools.ToolResult) {
	tb.Helper()
	s := serve(tb, "127.0.0.1", 0, h)
	res := registry(options(backend, s.URL)).Execute(tb.Context(), "web_search", args)
	var f found
	if !res.IsError {
		if err := json.Unmarshal([]byte(res.ForLLM), &f); err != nil {
			tb.Fatalf("%v in %s", err, res.ForLLM)
		}
	}
	if strings.Contains(res.ForLLM, key) || res.Err != nil && strings.Contains(res.Err.Error(), key) {
		tb.Errorf("the key is shown: %s, %v", res.ForLLM, res.Err)
	}
	return f, res
}

func options(backend, address string) web.Options {
	return web.Options{
		Timeout: 20 * time.Second,
		Search:  web.SearchOptions{Backend: backend, URL: address, Key: func() string { return key }, PerMinute: 600},
	}
}

// duckPage is a page of results as DuckDuckGo writes it.
const duckPage = `<!DOCTYPE html><html><body><div id="links" class="results">
<div class="result result--ad"><h2 class="result__title"><a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=x.example">Buy</a></h2>
<a class="result__snippet" href="https://duckduckgo.com/y.js?x">An advertisement</a></div>
<div class="result results_links web-result"><div class="links_main result__body"><h2 class="result__title">
<a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fgo.dev%2Fdoc%2F%3Fa%3D1&amp;rut=abc">The <b>Go</b> docs</a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">All about <b>Go</b> &amp; more.</a></div></div>
<div class="result"><h2><a class="result__a" href="https://plain.example/">Plain</a></h2><div class="result__snippet">Second</div></div>
</div></body></html>`

func TestSearch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		backend, path, answer string
		query                 url.Values
		header                string
		want                  []hit
	}{
		"SearXNG": {
			web.SearXNG, "/search", `{"query":"go","results":[{"title":"A","url":"https://a.example/","content":"x"},{"title":"B","url":"https://b.example/","content":null}]}`,
			url.Values{"q": {"go modules"}, "format": {"json"}},
			"",
			[]hit{{"A", "https://a.example/", "x"}, {"B", "https://b.example/", ""}},
		},
		"Brave": {
			web.Brave, "/res/v1/web/search", `{"web":{"results":[{"title":"A &amp; B","url":"https://a.example/","description":"x <strong>y</strong>"}]}}`,
			url.Values{"q": {"go modules"}, "count": {"5"}, "text_decorations": {"false"}},
			key,
			[]hit{{"A & B", "https://a.example/", "x y"}},
		},
		"DuckDuckGo": {
			web.DuckDuckGo, "/html/", duckPage,
			url.Values{"q": {"go modules"}},
			"",
			[]hit{{"The Go docs", "https://go.dev/doc/?a=1", "All about Go & more."}, {"Plain", "https://plain.example/", "Second"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, res := ask(t, c.backend, func(w http.ResponseWriter, r *http.Request) {
				if diff := cmp.Diff(c.query, r.URL.Query()); diff != "" || r.URL.Path != c.path || r.Header.Get("X-Subscription-Token") != c.header {
					t.Errorf("%s, token %q, -want +got\n%s", r.URL.Path, r.Header.Get("X-Subscription-Token"), diff)
				}
				_, _ = w.Write([]byte(c.answer))
			}, map[string]any{"query": " go modules "})
			if diff := cmp.Diff(found{"go modules", c.want, len(c.want)}, got); diff != "" {
				t.Errorf("%s\n-want +got\n%s", res.ForLLM, diff)
			}
		})
	}
}

// TestSearchFails has servers that do not answer as they should.
func TestSearchFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		backend          string
		status           int
		answer           string
		wantKind, wantIn string
	}{
		"SearXNG without JSON":        {web.SearXNG, 403, "", "execution_failed", "search.formats"},
		"SearXNG is ill":              {web.SearXNG, 500, "", "execution_failed", "SearXNG answered 500"},
		"SearXNG says HTML":           {web.SearXNG, 200, "<html>", "execution_failed", "cannot be read"},
		"SearXNG redirects":           {web.SearXNG, 302, "", "execution_failed", "302"},
		"Brave does not know the key": {web.Brave, 401, `{"error": "` + key + `"}`, "execution_failed", "does not take the key"},
		"Brave's limit":               {web.Brave, 429, "", "busy", "limit"},
		"Brave is ill":                {web.Brave, 503, "", "execution_failed", "Brave Search answered 503"},
		"Brave says nothing":          {web.Brave, 200, "", "execution_failed", "cannot be read"},
		"DuckDuckGo asks for proof":   {web.DuckDuckGo, 202, "<html>", "execution_failed", "nothing was searched"},
		"DuckDuckGo shows ducks":      {web.DuckDuckGo, 200, `<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>`, "execution_failed", "prove that they are human"},
		"DuckDuckGo refuses":          {web.DuckDuckGo, 403, "", "execution_failed", "does not answer this gateway"},
		"DuckDuckGo has a new page": {
			web.DuckDuckGo, 200, "<html><body>Hello</body></html>", "execution_failed", "no results that can be read",
		},
		"DuckDuckGo is ill": {web.DuckDuckGo, 500, "", "execution_failed", "DuckDuckGo answered 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, res := ask(t, c.backend, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.answer))
			}, map[string]any{"query": "x"})
			if kind, message := failure(t, res); kind != c.wantKind || !strings.Contains(message, c.wantIn) {
				t.Errorf("%s", res.ForLLM)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		s := serve(t, "127.0.0.1", 0, http.NotFound)
		s.Close()
		res := registry(options(web.Brave, s.URL)).Execute(t.Context(), "web_search", map[string]any{"query": "secret words"})
		if kind, _ := failure(t, res); kind != "execution_failed" || strings.Contains(fmt.Sprint(res.ForLLM, res.Err), "secret") {
			t.Errorf("%s, %v", res.ForLLM, res.Err)
		}
	})
	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		s := serve(t, "127.0.0.1", 0, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		o := options(web.SearXNG, s.URL)
		o.Timeout = 50 * time.Millisecond
		res := registry(o).Execute(t.Context(), "web_search", map[string]any{"query": "x"})
		if kind, _ := failure(t, res); kind != "timeout" {
			t.Errorf("%s", res.ForLLM)
		}
	})
	for name, o := range map[string]web.Options{
		"no address": {Search: web.SearchOptions{Backend: web.SearXNG}}, "no key": {Search: web.SearchOptions{Backend: web.Brave}},
		"unknown": {Search: web.SearchOptions{Backend: "x", URL: "http://127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := registry(o).Execute(t.Context(), "web_search", map[string]any{"query": "x"})
			if kind, _ := failure(t, res); kind != "disabled" {
				t.Errorf("%s", res.ForLLM)
			}
		})
	}
}

func TestSearchFindsNothing(t *testing.T) {
	t.Parallel()
	for backend, answer := range map[string]string{
		web.SearXNG: `{"results":[]}`, web.Brave: `{"query":{}}`, web.DuckDuckGo: `<div class="no-results">No results.</div>`,
	} {
		got, res := ask(t, backend, page("text/html", answer), map[string]any{"query": "x"})
		if res.IsError || got.Count != 0 || !strings.Contains(res.ForLLM, `"results":[]`) {
			t.Errorf("%s: %s", backend, res.ForLLM)
		}
	}
}

// TestHostileResults has results that were written to deceive.
func TestHostileResults(t *testing.T) {
	t.Parallel()
	hostile := []map[string]string{
		{"title": "script", "url": "javascript:alert(1)"},
		{"title": "file", "url": "file:///etc/passwd"},
		{"title": "user", "url": "http://bank.example@evil.example/"},
		{"title": "none", "url": ""},
		{"title": "broken", "url": "http://[::1"},
		{"title": "long", "url": "http://a.example/" + strings.Repeat("a", 10_000)},
		{"title": "a\x1b[2J\u202eb\nc\U000e0041", "url": "https://a.example/\u202e", "content": strings.Repeat("wörd ", 10_000)},
	}
	for i := range 50 {
		hostile = append(hostile,
			map[string]string{"title": fmt.Sprint(i), "url": fmt.Sprintf("https://a.example/%d", i), "content": strings.Repeat("x", 2000)})
	}
	answer, err := json.Marshal(map[string]any{"results": hostile})
	if err != nil {
		t.Fatal(err)
	}
	got, res := ask(t, web.SearXNG, page("application/json", string(answer)), map[string]any{"query": "x", "max_results": 20})
	if got.Count != 20 || len(got.Results) != 20 || len(res.ForLLM) > 32<<10 {
		t.Fatalf("%d results, %d bytes", got.Count, len(res.ForLLM))
	}
	if r := got.Results[0]; r.Title != "a[2Jb c" || r.URL != "https://a.example/%E2%80%AE" ||
		len(r.Snippet) > 610 || !strings.HasSuffix(r.Snippet, "…") {
		t.Errorf("%+v", r)
	}
}

func TestSearchArguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args map[string]any
		good bool
	}{
		"no query": {map[string]any{}, false}, "empty": {map[string]any{"query": ""}, false},
		"blank":   {map[string]any{"query": " \u202e\n"}, false},
		"500":     {map[string]any{"query": strings.Repeat("ü", 500)}, true},
		"501":     {map[string]any{"query": strings.Repeat("ü", 501)}, false},
		"20":      {map[string]any{"query": "x", "max_results": 20}, true},
		"21":      {map[string]any{"query": "x", "max_results": 21}, false},
		"minus 1": {map[string]any{"query": "x", "max_results": -1}, false},
		"half":    {map[string]any{"query": "x", "max_results": 1.5}, false},
		"unknown": {map[string]any{"query": "x", "backend": "http://127.0.0.1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, res := ask(t, web.SearXNG, page("application/json", `{"results":[]}`), c.args)
			if kind, _ := failure(t, res); (kind == "") != c.good || !c.good && kind != "invalid_arguments" {
				t.Errorf("%s", res.ForLLM)
			}
		})
	}
}

// TestSearchRate has more searches than may begin. There is no server: only the
// permission to begin counts.
func TestSearchRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := registry(web.Options{Search: web.SearchOptions{Backend: web.SearXNG, URL: "http://127.0.0.1:1", PerMinute: 5}})
		kinds := map[string]int{}
		start := time.Now()
		for range 7 {
			kind, _ := failure(t, r.Execute(t.Context(), "web_search", map[string]any{"query": "x"}))
			kinds[kind]++
		}
		if diff := cmp.Diff(map[string]int{"execution_failed": 5, "busy": 2}, kinds); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		<-time.After(6 * time.Second)
		kind, _ := failure(t, r.Execute(t.Context(), "web_search", map[string]any{"query": "x"}))
		if took := time.Since(start); kind != "execution_failed" || took < 9*time.Second {
			t.Errorf("%s after %s", kind, took)
		}
	})
}

// TestSearchesOfChatsTakeTurns lets one chat ask for far more searches than may begin,
// all the time, and another one for a single search now and then.
func TestSearchesOfChatsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := registry(web.Options{Search: web.SearchOptions{Backend: web.SearXNG, URL: "http://127.0.0.1:1", PerMinute: 20}})
		search := func(ctx context.Context, chat string) string {
			kind, _ := failure(t, r.ExecuteWithContext(ctx, "web_search", map[string]any{"query": "x"}, "telegram", chat, nil))
			return kind
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 50 {
			<-time.After(200 * time.Millisecond) // so that their waits do not end together
			all.Go(func() {
				for ctx.Err() == nil {
					search(ctx, "greedy")
					<-time.After(100 * time.Millisecond)
				}
			})
		}
		for range 5 {
			<-time.After(30 * time.Second)
			if kind := search(ctx, "modest"); kind != "execution_failed" { // it may begin, and there is no server
				t.Errorf("the other chat's search ended with %q", kind)
			}
		}
		cancel()
		all.Wait()
	})
}

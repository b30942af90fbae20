package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"parley/pkg/fair"
	"parley/pkg/tools"
)

// The limits of web_search: characters of a query, results of an answer, how long
// a search waits for its turn, and how many may begin at once.
const (
	maxQuery       = 500
	defaultResults = 5
	maxResults     = 20
	maxWait        = 10 * time.Second
	burst          = 5
)

type searchArguments struct {
	Query      string `json:"query" jsonschema:"1 to 500 characters"`
	MaxResults int    `json:"max_results,omitempty" maximum:"20"`
}

// result is one hit.
type result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// answer is the result of web_search.
type answer struct {
	Success bool     `json:"success"`
	Query   string   `json:"query"`
	Results []result `json:"results"`
	Count   int      `json:"result_count"`
}

// backend asks one kind of search server.
type backend interface {
	// name is the backend's name in its failures.
	name() string
	// request makes the request for up to n results.
	request(ctx context.Context, query string, n int) (*http.Request, error)
	// parse reads an answer; the results are cleaned by the caller. status is 200
	// unless the server failed, which parse explains where it knows why.
	parse(status int, data []byte) ([]result, error)
}

// searcher is web_search.
type searcher struct {
	backend backend
	http    *http.Client
	limit   *rate.Limiter
	// turns is one place: that of the search that begins next. Chats take turns.
	turns *fair.Places
	o     Options
}

func newSearcher(o Options) *searcher {
	s := o.Search
	return &searcher{
		backend: newBackend(s), o: o, turns: fair.New(1),
		limit: rate.NewLimiter(rate.Every(time.Minute/time.Duration(s.PerMinute)), min(s.PerMinute, burst)),
		// The operator named this server; it may be on this machine. It is not followed elsewhere.
		http: &http.Client{
			Transport: &http.Transport{
				Proxy: nil, DisableKeepAlives: true, DisableCompression: true,
				TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// newBackend takes the backend that the options name.
func newBackend(o SearchOptions) backend {
	public := map[string]string{Brave: "https://api.search.brave.com", DuckDuckGo: "https://html.duckduckgo.com"}
	name := o.Backend
	if name == "" {
		name = DuckDuckGo
	}
	address := o.URL
	if address == "" {
		address = public[name]
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return unusable{"the search server has no address"}
	}
	switch {
	case name == SearXNG:
		return searxng{u}
	case name == Brave && o.Key != nil:
		return brave{u, o.Key}
	case name == Brave:
		return unusable{"Brave Search needs a key"}
	case name == DuckDuckGo:
		return duckduckgo{u}
	default:
		return unusable{"the search server is of a kind that is not known"}
	}
}

// unusable stands for a backend that cannot work.
type unusable struct{ why string }

func (unusable) name() string { return "the search" }

func (u unusable) request(context.Context, string, int) (*http.Request, error) {
	return nil, tools.Fail(tools.ErrDisabled, u.why, nil)
}

func (unusable) parse(int, []byte) ([]result, error) { return nil, nil }

func (s *searcher) tool() tools.Tool {
	return tools.New("web_search",
		"Search the web.",
		tools.Annotations{
			ReadOnly: true, Idempotent: true, OpenWorld: true, Searches: true, Level: tools.LevelRead,
			Timeout: s.o.Timeout + maxConvert, MaxOutput: 64 << 10,
		}, s.search)
}

func (s *searcher) search(ctx context.Context, in searchArguments) (any, error) {
	query := strings.TrimSpace(clean(in.Query))
	if n := utf8.RuneCountInString(query); n < 1 || n > maxQuery {
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("query must have 1 to %d characters", maxQuery), nil)
	}
	n := in.MaxResults
	if n == 0 {
		n = defaultResults
	}
	if n < 1 || n > maxResults {
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("max_results must be 1 to %d", maxResults), nil)
	}
	if err := s.turn(ctx); err != nil {
		return nil, err
	}
	found, err := s.ask(ctx, query, n)
	if err != nil {
		return nil, err
	}
	found = tidy(found, n)
	return answer{Success: true, Query: query, Results: found, Count: len(found)}, nil
}

// turn waits until this search may begin: that is not the call's time. Of the chats
// that wait, the one that began a search longest ago comes first.
func (s *searcher) turn(ctx context.Context) error {
	defer tools.Waiting(ctx)()
	limited, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	free, err := s.turns.Take(limited, tools.InvocationFrom(ctx).Owner(), nil)
	if err == nil {
		defer free()
		err = s.limit.Wait(limited)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		again := time.Minute / time.Duration(s.o.Search.PerMinute)
		return tools.Fail(tools.ErrBusy, fmt.Sprintf("there were more searches than %d a minute; wait before the next one", s.o.Search.PerMinute),
			map[string]any{"retry_after_s": int(again/time.Second) + 1}).Because(err)
	}
}

func (s *searcher) ask(ctx context.Context, query string, n int) ([]result, error) {
	limited, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	req, err := s.backend.request(limited, query, n)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	defer resp.Body.Close()
	b, err := readBody(resp, s.o.MaxBytes)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	found, err := s.backend.parse(resp.StatusCode, b.data)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = tools.Fail(tools.ErrExecutionFailed, s.backend.name()+" answered "+status(resp.StatusCode),
			map[string]any{"status": resp.StatusCode})
	}
	return found, err
}

// failed says that the server gave no answer. The cause goes to the log without
// the address, which holds the query.
func (s *searcher) failed(ctx context.Context, err error) error {
	if own, ok := errors.AsType[*tools.Error](err); ok {
		return own
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	cause := err
	if e, ok := errors.AsType[*url.Error](err); ok {
		cause = e.Err
	}
	if timedOut(err) {
		return tools.TimedOut(s.o.Timeout, s.backend.name()+" did not answer within "+s.o.Timeout.String(), nil).Because(cause)
	}
	return tools.Fail(tools.ErrExecutionFailed, s.backend.name()+" could not be reached, or broke off", nil).Because(cause)
}

// tidy keeps up to n results that lead somewhere, as clean text.
func tidy(found []result, n int) []result {
	out := make([]result, 0, min(n, len(found)))
	for _, r := range found {
		u, err := url.Parse(strings.TrimSpace(r.URL))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(r.URL) > maxURL {
			continue
		}
		if out = append(out,
			result{Title: line(r.Title, maxTitle), URL: clean(u.String()), Snippet: line(r.Snippet, maxSnippet)}); len(out) == n {
			break
		}
	}
	return out
}

// endpoint is a path below the address of a backend.
func endpoint(ctx context.Context, at *url.URL, path string, query url.Values) (*http.Request, error) {
	u := at.JoinPath(path)
	u.RawQuery = query.Encode()
	return http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
}

package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"parley/pkg/text"
	"parley/pkg/tools"
)

// brave asks the Brave Search API.
type brave struct {
	at  *url.URL
	key func() string
}

func (brave) name() string { return "Brave Search" }

func (b brave) request(ctx context.Context, query string, n int) (*http.Request, error) {
	req, err := endpoint(ctx, b.at, "res/v1/web/search", url.Values{
		"q": {query}, "count": {strconv.Itoa(n)}, "text_decorations": {"false"},
	})
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("X-Subscription-Token", b.key())
	return req, nil
}

func (b brave) parse(status int, data []byte) ([]result, error) {
	switch status {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnprocessableEntity:
		return nil, tools.Fail(tools.ErrExecutionFailed, "Brave Search does not take the key or the question", map[string]any{"status": status})
	case http.StatusTooManyRequests:
		return nil, tools.Fail(tools.ErrBusy, "Brave Search takes no more questions for now: its limit is reached", nil)
	default:
		return nil, nil
	}
	var page struct {
		Web struct {
			Results []struct{ Title, URL, Description string }
		}
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return nil, unreadable(b.name(), err)
	}
	var found []result
	for _, r := range page.Web.Results {
		found = append(found, result{Title: plain(r.Title), URL: r.URL, Snippet: plain(r.Description)})
	}
	return found, nil
}

// plain is the text of a piece of HTML.
func plain(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	return textOf(parsePage([]byte(text.Head(s, maxURL)), nil).body)
}

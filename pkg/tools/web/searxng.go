package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"parley/pkg/tools"
)

// searxng asks a SearXNG server that the operator runs or trusts.
type searxng struct{ at *url.URL }

func (searxng) name() string { return "SearXNG" }

func (s searxng) request(ctx context.Context, query string, _ int) (*http.Request, error) {
	return endpoint(ctx, s.at, "search", url.Values{"q": {query}, "format": {"json"}})
}

func (s searxng) parse(status int, data []byte) ([]result, error) {
	switch status {
	case http.StatusOK:
	case http.StatusForbidden:
		return nil, tools.Fail(tools.ErrExecutionFailed,
			"SearXNG refuses to answer in JSON: its operator has to add json to search.formats in its settings", nil)
	default:
		return nil, nil
	}
	var page struct {
		Results []struct{ Title, URL, Content string }
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return nil, unreadable(s.name(), err)
	}
	var found []result
	for _, r := range page.Results {
		found = append(found, result{Title: r.Title, URL: r.URL, Snippet: r.Content})
	}
	return found, nil
}

func unreadable(name string, err error) error {
	return tools.Fail(tools.ErrExecutionFailed, name+" gave an answer that cannot be read", nil).Because(err)
}

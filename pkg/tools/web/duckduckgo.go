package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/pkg/tools"
)

// duckduckgo reads DuckDuckGo's page for browsers without scripts. There is no
// key and no promise: it answers machines as long as it pleases.
type duckduckgo struct{ at *url.URL }

func (duckduckgo) name() string { return "DuckDuckGo" }

func (d duckduckgo) request(ctx context.Context, query string, _ int) (*http.Request, error) {
	return endpoint(ctx, d.at, "html/", url.Values{"q": {query}})
}

func (d duckduckgo) parse(status int, data []byte) ([]result, error) {
	if status == http.StatusAccepted || status == http.StatusForbidden ||
		status == http.StatusTooManyRequests || bytes.Contains(data, []byte("anomaly-modal")) {
		return nil, blocked("it asks who searches to prove that they are human")
	}
	if status != http.StatusOK {
		return nil, nil
	}
	page := parsePage(data, d.at)
	found := d.results(page.body)
	if len(found) == 0 && !bytes.Contains(data, []byte("no-results")) {
		return nil, blocked("its page holds no results that can be read")
	}
	return found, nil
}

func blocked(why string) error {
	return tools.Fail(tools.ErrExecutionFailed,
		"DuckDuckGo does not answer this gateway: "+why+
			"; nothing was searched. The operator can configure SearXNG or Brave under tools.web.search",
		nil)
}

// results are the links of the class result__a with the extract that follows each.
func (d duckduckgo) results(page *html.Node) []result {
	var found []result
	for n := range page.Descendants() {
		if n.DataAtom != atom.A && n.DataAtom != atom.Div {
			continue
		}
		classes := strings.Fields(get(n, "class"))
		switch {
		case n.DataAtom == atom.A && slices.Contains(classes, "result__a"):
			found = append(found, result{Title: textOf(n), URL: d.target(get(n, "href"))})
		case slices.Contains(classes, "result__snippet") && len(found) > 0 && found[len(found)-1].Snippet == "":
			found[len(found)-1].Snippet = textOf(n)
		}
	}
	return slices.DeleteFunc(found, func(r result) bool { return r.URL == "" })
}

// target is the address of a result: the page itself, not DuckDuckGo's redirect to it.
// Advertisements have no address.
func (d duckduckgo) target(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	own := u.Hostname() == d.at.Hostname() || u.Hostname() == "duckduckgo.com" || strings.HasSuffix(u.Hostname(), ".duckduckgo.com")
	if !own {
		return href
	}
	if strings.HasPrefix(u.Path, "/l/") {
		return u.Query().Get("uddg")
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

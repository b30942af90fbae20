package web

import (
	"context"
	"net/url"
)

// Markdown converts a page as web_fetch does, for tests of its cost.
func Markdown(ctx context.Context, page []byte, from *url.URL) (title, text string, cut bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxConvert)
	defer cancel()
	d, err := toMarkdown(ctx, page, from)
	return d.title, d.text, d.cut, err
}

// Canonical checks how an address is written as web_fetch does.
func Canonical(o Options, address string) (string, error) {
	u, err := newGuard(o).parse(address)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

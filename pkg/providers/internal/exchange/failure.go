package exchange

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"parley/pkg/providers"
	"parley/pkg/text"
)

const maxErrorText = 500

// Failure gives the error that a caller sees: its own context's, or a [providers.Error]
// that says whom it concerns and holds no secret. It is nil for nil.
func (c *Client) Failure(ctx context.Context, model string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTotal) {
		return ctx.Err()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = Cut("the connection was closed in the middle of the answer", nil)
	}
	return c.describe(model, err)
}

// describe gives the error that leaves an adapter: whom it concerns is filled
// in, and no secret is left in it.
func (c *Client) describe(model string, err error) error {
	out := providers.Error{Kind: providers.KindInvalid, Message: err.Error()}
	if known, ok := errors.AsType[*providers.Error](err); ok {
		out = *known
	}
	out.Server, out.Model = c.server, model
	secrets := c.secrets()
	out.Message = shorten(secrets.Replace(out.Message), maxErrorText)
	out.Code = shorten(secrets.Replace(out.Code), maxErrorText)
	if out.Err != nil && secrets.Replace(out.Err.Error()) != out.Err.Error() {
		out.Err = nil
	}
	return &out
}

// secrets replaces the key and the base URL's credentials.
func (c *Client) secrets() *strings.Replacer {
	var pairs []string
	add := func(s string) {
		if s != "" {
			pairs = append(pairs, s, "[redacted]")
		}
	}
	add(c.Key())
	if u, err := url.Parse(c.opts.BaseURL); err != nil {
		add(c.opts.BaseURL)
	} else if u.User != nil {
		add(u.User.String())
		password, _ := u.User.Password()
		add(password)
		if name := u.User.Username(); len(name) > 3 { // shorter ones are words
			add(name)
		}
	}
	return strings.NewReplacer(pairs...)
}

func shorten(s string, limit int) string {
	return text.Head(strings.ToValidUTF8(s, string(utf8.RuneError)), limit)
}

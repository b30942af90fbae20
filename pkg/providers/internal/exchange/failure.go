package exchange

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
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

// secrets replaces the keys, those that were replaced included, and the base URL's
// credentials.
func (c *Client) secrets() *strings.Replacer {
	c.mu.Lock()
	secrets := slices.Clone(c.keys)
	c.mu.Unlock()
	secrets = append(secrets, c.Key())
	if u, err := url.Parse(c.opts.BaseURL); err != nil {
		secrets = append(secrets, c.opts.BaseURL)
	} else if u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.String(), password)
		if name := u.User.Username(); len(name) > 3 { // shorter ones are words
			secrets = append(secrets, name)
		}
	}
	// One that is the beginning of another would leave the other's end.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, s := range secrets {
		if s != "" {
			pairs = append(pairs, s, "[redacted]")
		}
	}
	return strings.NewReplacer(pairs...)
}

func shorten(s string, limit int) string {
	return text.Head(strings.ToValidUTF8(s, string(utf8.RuneError)), limit)
}

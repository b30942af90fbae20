package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"parley/pkg/fair"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// The most of a page that one call gives, in bytes.
const (
	defaultPart = 24 << 10
	maxPart     = 60 << 10
)

type fetchArguments struct {
	URL      string `json:"url"`
	Offset   int    `json:"offset,omitempty" minimum:"0"`
	MaxBytes int    `json:"max_bytes,omitempty" maximum:"61440"`
}

// fetcher is web_fetch.
type fetcher struct {
	guard *guard
	http  *http.Client
	o     Options
	// converting is one place: pages are converted one by one, and chats take turns.
	converting *fair.Places
}

func newFetcher(o Options) *fetcher {
	g := newGuard(o)
	return &fetcher{guard: g, http: g.client(), o: o, converting: fair.New(1)}
}

func (f *fetcher) tool() tools.Tool {
	return tools.NewExamined("web_fetch",
		"Read an http or https page, as Markdown. Go on at offset if cut.",
		tools.Annotations{
			ReadOnly: true, Idempotent: true, OpenWorld: true, Level: tools.LevelRead,
			Timeout: f.o.Timeout + 2*maxConvert, MaxOutput: maxPart + 8<<10,
		}, f.examine, f.fetch)
}

// examine says which address a call would reach.
func (f *fetcher) examine(_ context.Context, in fetchArguments) (tools.Examination, error) {
	u, err := f.check(in)
	if err != nil {
		return tools.Examination{}, err
	}
	return tools.Examination{Destination: u.String(), Action: "read", Object: u.String(), Text: "GET " + u.String()}, nil
}

func (f *fetcher) check(in fetchArguments) (*url.URL, error) {
	if in.Offset < 0 || in.MaxBytes < 0 || in.MaxBytes > maxPart {
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("offset must not be negative, and max_bytes must be 1 to %d", maxPart), nil)
	}
	return f.guard.parse(in.URL)
}

func (f *fetcher) fetch(ctx context.Context, in fetchArguments) (any, error) {
	u, err := f.check(in)
	if err != nil {
		return nil, err
	}
	b, at, err := f.get(ctx, u)
	if err != nil {
		return nil, err
	}
	d, err := f.read(ctx, b, at)
	if err != nil {
		return nil, err
	}
	if f.o.Redact != nil {
		d.text = f.o.Redact(d.text)
	}
	return show(in, b, at, d)
}

// get asks for the page. At is where it was found in the end.
func (f *fetcher) get(ctx context.Context, u *url.URL) (b *body, at *url.URL, err error) {
	limited, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, nil, refuse("it cannot be read as a URL")
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "text/markdown,text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,*/*;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := f.http.Do(req)
	if err != nil {
		return nil, nil, f.failed(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, tools.Fail(tools.ErrExecutionFailed, "the server answered "+status(resp.StatusCode),
			map[string]any{"status": resp.StatusCode, "url": resp.Request.URL.String()})
	}
	b, err = readBody(resp, f.o.MaxBytes)
	if err != nil {
		return nil, nil, f.failed(ctx, err)
	}
	return b, resp.Request.URL, nil
}

func status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// failed gives an error of the network its type and a sentence without addresses that
// the caller did not ask for.
func (f *fetcher) failed(ctx context.Context, err error) error {
	if own, ok := errors.AsType[*tools.Error](err); ok {
		return own
	}
	cause := err
	if e, ok := errors.AsType[*url.Error](err); ok {
		cause = e.Err
	}
	why := "the server could not be reached, or broke off"
	switch dns, notFound := errors.AsType[*net.DNSError](err); {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errPrivate):
		return refuse("it leads to an address that is not on the public internet")
	case errors.Is(err, errRedirects):
		why = fmt.Sprintf("the page redirects more than %d times", maxRedirects)
	case timedOut(err):
		return tools.TimedOut(f.o.Timeout, "the page did not come within "+f.o.Timeout.String(), nil).Because(cause)
	case notFound && dns.IsNotFound:
		why = "there is no host of this name"
	}
	return tools.Fail(tools.ErrExecutionFailed, why, nil).Because(cause)
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

// read makes text of a body.
func (f *fetcher) read(ctx context.Context, b *body, at *url.URL) (document, error) {
	k := b.kind()
	if k == binary {
		return document{}, b.unreadable()
	}
	free, err := f.converting.Take(ctx, tools.InvocationFrom(ctx).Owner(), func() func() { return tools.Waiting(ctx) })
	switch {
	case errors.Is(err, fair.ErrFull):
		return document{}, tools.Fail(tools.ErrBusy, "too many pages of this chat wait to be made text", nil).Because(err)
	case err != nil:
		return document{}, err
	}
	defer free()
	body, err := b.text()
	if err != nil {
		return document{}, err
	}
	if k == asText {
		return document{text: clean(string(body)), cut: b.cut}, nil
	}
	limited, cancel := context.WithTimeout(ctx, maxConvert)
	defer cancel()
	d, err := toMarkdown(limited, body, at)
	d.cut = d.cut || b.cut
	if err != nil && ctx.Err() == nil {
		err = tools.TimedOut(maxConvert, "the page is too involved to be made text within "+maxConvert.String(), nil)
	}
	return d, err
}

// show writes the requested part of a document, under a head that describes it.
func show(in fetchArguments, b *body, at *url.URL, d document) (string, error) {
	size := len(d.text)
	if in.Offset > 0 && in.Offset >= size {
		return "", tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("offset %d is behind the end: the text has %d bytes", in.Offset, size), nil)
	}
	from := in.Offset
	for from < size && !utf8.RuneStart(d.text[from]) {
		from++
	}
	part := in.MaxBytes
	if part == 0 {
		part = defaultPart
	}
	shown := text.Head(d.text[from:], part)
	var out strings.Builder
	fmt.Fprintf(&out, "URL: %s\n", at)
	if d.title != "" {
		fmt.Fprintf(&out, "Title: %s\n", d.title)
	}
	fmt.Fprintf(&out, "Type: %s\n\n%s\n", line(b.media, 80), shown)
	switch to := from + len(shown); {
	case to < size:
		fmt.Fprintf(&out, "\n[cut here: bytes %d to %d of %d; for what follows, call web_fetch with offset %d]\n", from, to, size, to)
	case d.cut:
		out.WriteString("\n[cut here: the page is longer than what is read of one]\n")
	case size == 0:
		out.WriteString("[the page has no text]\n")
	}
	return out.String(), nil
}

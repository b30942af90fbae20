package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// adapter is the smallest one: its answers are {"text":…,"last":…}, whole or in frames.
type adapter struct{ client *exchange.Client }

type frame struct {
	Text string `json:"text"`
	Last bool   `json:"last"`
}

// ask sends a body and gives the text of the answer.
func (a adapter) ask(ctx context.Context, stream bool, body *exchange.Body) (text string, err error) {
	ctx, cancel := a.client.Bound(ctx)
	defer cancel()
	err = a.client.Once(ctx, stream, func(ctx context.Context, x *exchange.Exchange) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.client.URL("/ask"), nil)
		if err != nil {
			return err
		}
		req.Header.Set("X-Key", a.client.Key())
		body.Attach(req)
		if err := x.Send(req); err != nil {
			return err
		}
		if x.Frames() == nil {
			var f frame
			err := x.Decode("the answer", &f)
			text = f.Text
			return err
		}
		return x.Stream(x.Frames().Next, func(raw []byte) (bool, error) {
			var f frame
			if err := json.Unmarshal(raw, &f); err != nil {
				return false, exchange.Cut("a frame is not JSON", err)
			}
			text += f.Text
			return f.Last, nil
		})
	})
	return text, a.client.Failure(ctx, "m", err)
}

// reach gives an adapter for a server that ends with the test.
func reach(t *testing.T, h http.HandlerFunc) adapter {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c := exchange.New(exchange.Options{BaseURL: srv.URL + "/", Key: func() string { return " sk-canary\n" }})
	t.Cleanup(c.Close)
	return adapter{c}
}

// TestEnds are the ends of an answer: a proper one gives the text, any other an error of
// its kind and no secret.
func TestEnds(t *testing.T) {
	t.Parallel()
	const sse = "text/event-stream; charset=utf-8"
	for _, c := range []struct {
		name, kind, body, want string
		fails                  providers.ErrorKind
	}{
		{name: "the last frame, then the end", kind: sse, want: "ab", body: "data: {\"text\":\"a\"}\n\ndata: {\"text\":\"b\",\"last\":true}\n\n"},
		{
			name: "frames behind the last one", kind: sse, want: "ab",
			body: "data: {\"text\":\"a\",\"last\":true}\n\ndata: {\"text\":\"b\",\"last\":true}\n\n",
		},
		{name: "[DONE] alone", kind: sse, body: "data: {\"text\":\"a\"}\n\ndata: [DONE]\n\n", want: "a"},
		{
			name: "names, comments, ids and CRLF", kind: sse, want: "a",
			body: ": hi\r\nevent: piece\r\nid: 1\r\ndata:{\"text\":\"a\",\"last\":true}\r\n\r\n",
		},
		{name: "the end without a last frame", kind: sse, body: "data: {\"text\":\"a\"}\n\n", fails: providers.KindCut},
		{name: "the end inside the last frame", kind: sse, body: "data: {\"text\":\"a\",\"last\":tr", fails: providers.KindCut},
		{name: "no frame at all", kind: sse, fails: providers.KindCut},
		{
			name: "an error by its event's name", kind: sse, fails: providers.KindOverloaded,
			body: "data: {\"text\":\"a\"}\n\nevent: error\n" +
				"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"sk-canary\"}}\n\n",
		},
		{
			name: "an error by its field", kind: sse, fails: providers.KindRateLimited,
			body: "data: {\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"sk-canary\"}}\n\n",
		},
		{
			name: "an event in several lines", kind: sse, want: "ab",
			body: "data: {\ndata: \"text\":\"a\"\ndata:}\n\nevent: piece\r\ndata: {\"text\":\"b\",\r\ndata:\r\ndata: \"last\":true}\r\n\r\n",
		},
		{name: "no lines between the events", kind: sse, want: "ab", body: "data: {\"text\":\"a\"}\ndata: {\"text\":\"b\"}\ndata: [DONE]\n"},
		{name: "an event in several lines at the end", kind: sse, want: "a", body: "data: {\"text\":\"a\",\ndata: \"last\":true}"},
		{name: "half of an event in several lines", kind: sse, body: "data: {\"text\":\"a\",\ndata: \"last\":tr", fails: providers.KindCut},
		{name: "several lines that are no frame", kind: sse, body: "data: {\ndata: {\n\ndata: [DONE]\n\n", fails: providers.KindCut},
		{
			name: "an error in several lines", kind: sse, fails: providers.KindRateLimited,
			body: "data: {\"error\":{\ndata: \"code\":429,\"message\":\"sk-canary\"}}\n\n",
		},
		{
			name: "an error in words by its event's name", kind: sse, fails: providers.KindOverloaded,
			body: "event: error\ndata: sk-canary\ndata: is bad",
		},
		{name: "a whole answer", kind: "application/json", body: `{"text":"a"}`, want: "a"},
		{name: "a whole error", kind: "application/json", body: `{"error":{"code":503,"message":"sk-canary"}}`, fails: providers.KindOverloaded},
		{name: "half of a whole answer", kind: "application/json", body: `{"text":"a`, fails: providers.KindCut},
		{name: "a web page", kind: "text/html", body: "<html>sk-canary</html>", fails: providers.KindOverloaded},
	} {
		for _, way := range []string{"at once", "at once, for a stream", "byte by byte, for a stream"} {
			stream := strings.HasSuffix(way, "for a stream")
			t.Run(c.name+", "+way, func(t *testing.T) {
				t.Parallel()
				a := reach(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", c.kind)
					if !strings.HasPrefix(way, "byte") {
						_, _ = io.WriteString(w, c.body)
						return
					}
					for i := range len(c.body) {
						_, _ = io.WriteString(w, c.body[i:i+1])
						_ = http.NewResponseController(w).Flush()
					}
				})
				text, err := a.ask(t.Context(), stream, &exchange.Body{})
				failure, failed := errors.AsType[*providers.Error](err)
				switch {
				case c.fails == "" && (err != nil || text != c.want):
					t.Errorf("%q, %v; want %q", text, err, c.want)
				case c.fails != "" && (!failed || failure.Kind != c.fails || failure.Model != "m" || failure.Server == ""):
					t.Errorf("%q, %v; want %s", text, err, c.fails)
				case strings.Contains(fmt.Sprint(err), "canary"):
					t.Errorf("the error %v holds the key", err)
				}
			})
		}
	}
}

// TestRequestsArriveInTheOrderOfTheirParts has shared bytes and pictures among texts.
func TestRequestsArriveInTheOrderOfTheirParts(t *testing.T) {
	t.Parallel()
	var got []string
	a := reach(t, func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil || int64(len(b)) != r.ContentLength {
			t.Errorf("%d bytes of %d, %v", len(b), r.ContentLength, err)
		}
		got = append(got, r.URL.Path+" "+r.Header.Get("X-Key")+" "+string(b))
		_, _ = io.WriteString(w, `{"text":"a"}`)
	})
	picture := providers.Image{Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader("abc")), 3, nil
	}}
	shared := []byte("<shared>")
	texts, pictured := &exchange.Body{}, &exchange.Body{}
	texts.Share(shared)
	texts.Text = append(texts.Text, "one"...)
	texts.Share(shared)
	texts.Share(shared)
	texts.Text = append(texts.Text, "two"...)
	pictured.Text = append(pictured.Text, "one"...)
	pictured.Share(shared)
	pictured.Text = append(pictured.Text, "two"...)
	pictured.Picture(&picture, 3)
	pictured.Picture(&picture, 3)
	pictured.Share(shared)
	pictured.Text = append(pictured.Text, "three"...)
	for body, want := range map[*exchange.Body]string{
		{}: "", texts: "<shared>one<shared><shared>two", pictured: "one<shared>twoYWJjYWJj<shared>three",
	} {
		for range 2 { // a body may be sent again
			if _, err := a.ask(t.Context(), false, body); err != nil {
				t.Fatal(err)
			}
			if last := got[len(got)-1]; last != "/ask sk-canary "+want {
				t.Errorf("%q arrived, want %q", last, want)
			}
		}
	}
}

// TestCredentialsOfTheBaseURL go along where there is no key, and a key goes in their place;
// requests that share their headers do not share these.
func TestCredentialsOfTheBaseURL(t *testing.T) {
	t.Parallel()
	var got []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if len(r.Cookies()) > 0 {
			t.Error("a cookie came back")
		}
		_, _ = io.WriteString(w, `{"text":"a"}`)
	}))
	t.Cleanup(srv.Close)
	base := strings.Replace(srv.URL, "//", "//name:password@", 1)
	c := exchange.New(exchange.Options{BaseURL: base})
	t.Cleanup(c.Close)
	shared := http.Header{}
	for _, key := range []string{"", "Bearer key", ""} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.URL("/ask"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if req.Header = shared; key != "" {
			req.Header = http.Header{"Authorization": {key}}
		}
		err = c.Once(t.Context(), false, func(ctx context.Context, x *exchange.Exchange) error { return x.Send(req.WithContext(ctx)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"Basic bmFtZTpwYXNzd29yZA==", "Bearer key", "Basic bmFtZTpwYXNzd29yZA=="}, got); d != "" || len(shared) > 0 {
		t.Errorf("%v, -want +got:\n%s", shared, d)
	}
}

// TestMarksOpenForTheirOwnModel: another server or model gets no part of the data.
func TestMarksOpenForTheirOwnModel(t *testing.T) {
	t.Parallel()
	mine := exchange.Mark{Server: "https://one.example", Model: "m"}
	raw := mine.Wrap(map[string]json.RawMessage{"signature": json.RawMessage(`"s"`)})
	if got := string(mine.Unwrap(raw)); got != `{"signature":"s"}` {
		t.Errorf("unwrapped %s", got)
	}
	for _, other := range []exchange.Mark{{Server: mine.Server, Model: "n"}, {Server: "https://two.example", Model: "m"}, {}} {
		if got := other.Unwrap(raw); got != nil {
			t.Errorf("%+v sees %s", other, got)
		}
	}
	for _, bad := range []string{"", "{", `"text"`, `{"server":7}`} {
		if got := mine.Unwrap(json.RawMessage(bad)); got != nil {
			t.Errorf("%q gives %s", bad, got)
		}
	}
	long, _ := json.Marshal(strings.Repeat("x", 300<<10)) //nolint:errchkjson // a string
	if got := mine.Wrap(map[string]json.RawMessage{"signature": long}); got != nil {
		t.Errorf("%d bytes are kept", len(got))
	}
}

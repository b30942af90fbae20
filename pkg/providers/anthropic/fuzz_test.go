package anthropic_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/providers/anthropic"
	"parley/pkg/providers/providertest"
)

// canned is a transport with a server that always sends the same stream.
type canned struct {
	body    string
	oneByte bool
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	var body io.Reader = strings.NewReader(c.body)
	if c.oneByte {
		body = iotest.OneByteReader(body)
	}
	_, _ = io.Copy(io.Discard, r.Body)
	return stream(r, body), nil
}

func stream(r *http.Request, body io.Reader) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(body), Request: r,
	}
}

// FuzzStream reads any bytes as a stream, whole and byte by byte: both give the same
// answer, or both a typed error, and the emitted text is the answer's. An answer can be
// sent back.
func FuzzStream(f *testing.F) {
	shapes := streamShapes()
	for i := range shapes {
		f.Add(shapes[i].body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if strings.Contains(body, "pause_turn") {
			return // each pause asks again
		}
		var first *providers.LLMResponse
		for n, oneByte := range []bool{false, true} {
			p := anthropic.New(anthropic.Options{BaseURL: "http://model.invalid", Transport: &canned{body: body, oneByte: oneByte}})
			shown := ""
			resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "claude-x", nil, func(e providers.StreamEvent) {
				if d, ok := e.(providers.TextDelta); ok {
					shown += d.Text
				}
			})
			var failed *providers.Error
			if err != nil && (!errors.As(err, &failed) || resp != nil) {
				t.Fatalf("%+v, %v: no typed error", resp, err)
			}
			if err == nil {
				checkAnswer(t, resp, shown)
			}
			if n == 0 {
				first = resp
			} else if d := cmp.Diff(first, resp); d != "" {
				t.Fatalf("whole and byte by byte differ:\n%s", d)
			}
		}
	})
}

func checkAnswer(t *testing.T, resp *providers.LLMResponse, shown string) {
	t.Helper()
	if shown != resp.Content {
		t.Fatalf("emitted %q, answered %q", shown, resp.Content)
	}
	ids := map[string]bool{}
	for _, c := range resp.ToolCalls {
		if c.ID == "" || ids[c.ID] {
			t.Fatalf("the id %q is empty or repeated", c.ID)
		}
		ids[c.ID] = true
		if (c.Arguments == nil) != (c.BadArguments != "") {
			t.Fatalf("call %+v: neither arguments nor a reason, or both", c)
		}
	}
}

// recording is a transport that keeps the last request, and says "ok".
type recording struct{ sent *[]byte }

// RoundTrip implements [http.RoundTripper].
func (c recording) RoundTrip(r *http.Request) (*http.Response, error) {
	var err error
	if *c.sent, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	return stream(r, strings.NewReader(says("ok", "end_turn"))), nil
}

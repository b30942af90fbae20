package openai_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// canned is a transport with a server that always sends the same body.
type canned struct {
	kind    string
	body    []byte
	oneByte bool
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	var body io.Reader = bytes.NewReader(c.body)
	if c.oneByte {
		body = iotest.OneByteReader(body)
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(body), Request: r}, nil
}

// FuzzStream reads any bytes as a stream, whole and byte by byte: both give the same
// answer, or both a typed error, and the emitted text is the answer's.
func FuzzStream(f *testing.F) {
	shapes := streamShapes()
	for i := range shapes {
		f.Add([]byte(shapes[i].body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var first *providers.LLMResponse
		for n, oneByte := range []bool{false, true} {
			p := openai.New(openai.Options{BaseURL: "http://model.invalid", Transport: &canned{"text/event-stream", body, oneByte}})
			shown := ""
			resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, func(e providers.StreamEvent) {
				if d, ok := e.(providers.TextDelta); ok {
					shown += d.Text
				}
			})
			var failure *providers.Error
			if err != nil && (!errors.As(err, &failure) || resp != nil) {
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

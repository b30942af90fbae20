package openai_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// FuzzFrames reads frames as they are, and each with a field before its own that no host
// sends. The name of that field alone keeps the frame from being read in the short way. Both
// ways give the same answer with the same events, or both fail.
func FuzzFrames(f *testing.F) {
	shapes := streamShapes()
	for i := range shapes {
		f.Add([]byte(shapes[i].body))
	}
	for _, frame := range []string{
		`{"choices":[{"index":0,"delta":{"content":"a\n\"\u00e9\ud83d\ude00\/b"},"finish_reason":null}],"model":"m","usage":null}`,
		`{"choices":[{"delta":{"Content":"a","content":null,"tool_calls":null}}],"x":[1.5,-2e3,true,{"y":"z"}]}`,
		`{"choices":[{"delta":{"content":"a"},"delta":{"reasoning":"b"}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":7,"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":null}}`,
		`{"choices":[{"delta":{"content":"` + "\xff" + `"}}]} x`, `{"choices":[{"index":01}]}`, `{"choices":[null]}`,
		"{\"model\":\"a\x00\"}",
	} {
		f.Add([]byte("data: " + frame + "\n\ndata: [DONE]\n\n"))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		lines := bytes.SplitAfter(body, []byte("\n"))
		for i, line := range lines {
			if rest, found := bytes.CutPrefix(line, []byte("data: {\"")); found {
				lines[i] = append([]byte("data: {\"\u017f\":0,\""), rest...)
			}
		}
		long := bytes.Join(lines, nil)
		resp, events := hear(t, body)
		again, others := hear(t, long)
		if d := cmp.Diff(again, resp); d != "" {
			t.Errorf("the answer differs (-long way +short way):\n%s", d)
		}
		if d := cmp.Diff(others, events); d != "" {
			t.Errorf("the events differ (-long way +short way):\n%s", d)
		}
	})
}

// hear gives the answer of a stream, nil for a failure, and its events.
func hear(t *testing.T, body []byte) (*providers.LLMResponse, []providers.StreamEvent) {
	t.Helper()
	p := openai.New(openai.Options{BaseURL: "http://model.invalid", Transport: &canned{"text/event-stream", body, false}})
	var events []providers.StreamEvent
	emit := func(e providers.StreamEvent) { events = append(events, e) }
	resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, emit)
	if err != nil {
		return nil, events
	}
	return resp, events
}

// TestLongAnswersTakeLittleMemory reads an answer of many pieces: a piece costs its text
// and the event that shows it, whatever else its frame holds.
func TestLongAnswersTakeLittleMemory(t *testing.T) { //nolint:paralleltest // it counts allocations
	frame := func(n int) []byte {
		piece := `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":null,` +
			`"choices":[{"index":0,"delta":{"content":"a few words "},"logprobs":null,"finish_reason":null}]}`
		return []byte(frames(strings.Split(strings.Repeat(piece+"\n", n)+stop, "\n")...))
	}
	allocations := func(n int) float64 {
		body := frame(n)
		p := openai.New(openai.Options{BaseURL: "http://model.invalid", Transport: &canned{"text/event-stream", body, false}})
		return testing.AllocsPerRun(5, func() {
			if _, err := p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, func(providers.StreamEvent) {}); err != nil {
				t.Fatal(err)
			}
		})
	}
	const more = 1000
	if each := (allocations(1+more) - allocations(1)) / more; each > 5 {
		t.Errorf("a piece costs %.1f allocations", each)
	}
}

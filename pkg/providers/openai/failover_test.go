package openai_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
)

// TestFailoverAtEachCut cuts a stream with a text and a call at each frame and within it:
// the answer is the next model's whole one, and every event before it is void. Behind the
// frame that ends the answer, it is the first model's.
func TestFailoverAtEachCut(t *testing.T) {
	t.Parallel()
	answer := fakemodel.Say("half of an answer")
	answer.ToolCalls = []providers.ToolCall{{ID: "call_1", Name: "probe", RawArguments: `{"n":12345}`}}
	var cut atomic.Int64
	server := fakemodel.New(fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Answer {
		a := answer
		a.Fault.Cut = int(cut.Load())
		return a
	}})
	t.Cleanup(server.Close)
	next := fakemodel.New(fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("the next") }})
	t.Cleanup(next.Close)

	whole := streamOf(t, server.URL())
	end := bytes.Index(whole, []byte(`"finish_reason":"tool_calls"`))
	for from := 0; from < len(whole); {
		size := bytes.Index(whole[from:], []byte("\n\n")) + 2
		for _, at := range []int{from + 1, from + size/2, from + size - 1, from + size} {
			cut.Store(int64(at))
			p := providers.Failover(providers.RetryPolicy{Base: time.Millisecond},
				providers.Target{Provider: openai.New(openai.Options{BaseURL: server.URL()}), Model: "fake"},
				providers.Target{Provider: openai.New(openai.Options{BaseURL: next.URL()}), Model: "next"})
			shown := ""
			resp, err := providers.Stream(t.Context(), p, question(), nil, "fake", nil, func(e providers.StreamEvent) {
				switch e := e.(type) {
				case providers.Restart:
					shown = ""
				case providers.TextDelta:
					shown += e.Text
				}
			})
			if err != nil {
				t.Fatalf("cut at %d of %d: %v", at, len(whole), err)
			}
			first := resp.Content == answer.Content && len(resp.ToolCalls) == 1 && at > end
			second := resp.Content == "the next" && len(resp.ToolCalls) == 0
			if !first && !second || shown != resp.Content {
				t.Errorf("cut at %d of %d: %+v, shown %q", at, len(whole), resp, shown)
			}
		}
		from += size
	}
}

func question() []providers.Message {
	return []providers.Message{{Role: providers.RoleUser, Content: "hello"}}
}

// streamOf is the whole stream that a server answers with.
func streamOf(t *testing.T, base string) []byte {
	t.Helper()
	body := `{"model":"fake","messages":[{"role":"user","content":"hello"}],"stream":true,"stream_options":{"include_usage":true}}`
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

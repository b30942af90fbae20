package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"parley/internal/test/cassette"
	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
)

// claude is a server of the Messages API that thinks before each answer. Its second and
// fourth answers call the tool effect; it is silent at its fifth.
type claude struct {
	t     *testing.T
	hangs chan struct{}

	mu     sync.Mutex
	bodies [][]byte
}

// ServeHTTP implements [http.Handler].
func (c *claude) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c.mu.Lock()
	c.bodies = append(c.bodies, body)
	n := len(c.bodies)
	c.mu.Unlock()
	if r.URL.Path != "/v1/messages" || r.Header.Get("Anthropic-Version") == "" {
		c.t.Errorf("asked for %s with %v", r.URL, r.Header)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if n == 5 {
		_ = http.NewResponseController(w).Flush()
		close(c.hangs)
		<-r.Context().Done()
		return
	}
	stop, block, piece := "end_turn", `{"type":"text","text":""}`, fmt.Sprintf(`{"type":"text_delta","text":"answer %d"}`, n)
	if n == 2 || n == 4 {
		stop, block = "tool_use", fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"effect","input":{}}`, n)
		piece = `{"type":"input_json_delta","partial_json":"{\"text\":\"once\"}"}`
	}
	for _, e := range []string{
		`{"type":"message_start","message":{"type":"message","model":"claude-x","content":[],"usage":{"input_tokens":9}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"hm","signature":""}}`,
		fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"signature%d"}}`, n),
		`{"type":"content_block_start","index":1,"content_block":` + block + `}`,
		`{"type":"content_block_delta","index":1,"delta":` + piece + `}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + stop + `"},"usage":{"output_tokens":5}}`,
		`{"type":"message_stop"}`,
	} {
		_, _ = io.WriteString(w, "data: "+e+"\n\n")
	}
}

// TestAConversationWithClaude goes over several turns and calls. The gateway is killed
// while the model is asked for its answer to a result; the thinking comes back with its
// signatures all the same, each result with its call, and a person reads neither.
func TestAConversationWithClaude(t *testing.T) {
	t.Parallel()
	c := &claude{t: t, hangs: make(chan struct{})}
	w := prepare(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("no") }, rig.Config{})
	w.configure(settings{})
	w.asks("anthropic", "claude-x", serve(t, c))
	w.start()
	t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
	})
	w.say("chat", "hello")
	w.expect("chat", 1, "answer 1")
	w.say("chat", "act")
	w.expect("chat", 2, "answer 3")
	w.say("chat", "act again")
	select {
	case <-c.hangs:
	case <-w.ctx.Done():
		t.Fatal("the model is not asked")
	}
	w.kill()
	w.start()
	w.expect("chat", 3, "answer 6")
	for _, said := range w.texts("chat") {
		if strings.Contains(said, "hm") || strings.Contains(said, "signature") || said == "no" {
			t.Errorf("the person reads %q", said)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	checkClaude(t, c.bodies[len(c.bodies)-1])
}

// checkClaude looks for the thinking, the calls and their results in the last request.
func checkClaude(t *testing.T, body []byte) {
	t.Helper()
	r, err := cassette.ReadRequest(cassette.Anthropic, body)
	if err != nil {
		t.Fatal(err)
	}
	var signatures, calls, results []string
	for i := range r.Entries {
		e := &r.Entries[i]
		signatures = append(signatures, e.Signatures...)
		for _, call := range e.Calls {
			calls = append(calls, call.ID)
		}
		if e.Role == "tool" {
			results = append(results, e.ID)
		}
	}
	want := "thinking hmsignature1 thinking hmsignature2 thinking hmsignature3 thinking hmsignature4"
	if got := strings.Join(signatures, " "); got != want {
		t.Errorf("sent back: %q, want %q", got, want)
	}
	if strings.Join(calls, " ") != "toolu_2 toolu_4" || strings.Join(results, " ") != "toolu_2 toolu_4" {
		t.Errorf("the calls %v have the results %v", calls, results)
	}
	var markers struct{ Tools, System []map[string]any }
	if err := json.Unmarshal(body, &markers); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(body, []byte(`"cache_control"`)); n != 4 || len(markers.Tools) == 0 || len(markers.System) == 0 {
		t.Errorf("%d cache markers in %s", n, body)
	}
}

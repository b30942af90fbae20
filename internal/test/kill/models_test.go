package kill_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/loopchat/server"
	"parley/internal/test/strictmodel"
	"parley/pkg/providers"
)

// relay are models of four wires that answer in turn: each answer comes from the next
// one, and the others refuse.
type relay struct {
	servers []*strictmodel.Server
	next    atomic.Int64
	// config is the block of models, and the names in their order.
	config string
	names  []string
}

func newRelay(t *testing.T) *relay {
	t.Helper()
	r := &relay{}
	for i, m := range []struct {
		wire                 strictmodel.Wire
		provider, path, name string
	}{
		{strictmodel.OpenAI, "openai", "/v1", "gpt-5"},
		{strictmodel.Anthropic, "anthropic", "", "claude-sonnet-4-5"},
		{strictmodel.Gemini, "gemini", "/v1beta", "gemini-3-pro-preview"},
		{strictmodel.Llama, "openai", "/v1", "local"},
	} {
		s := strictmodel.New(m.wire, func(req fakemodel.Request) fakemodel.Answer { return r.answer(i, req) })
		srv := httptest.NewServer(s.Handler())
		t.Cleanup(srv.Close)
		t.Cleanup(srv.CloseClientConnections)
		r.servers, r.names = append(r.servers, s), append(r.names, string(m.wire))
		r.config += fmt.Sprintf("  %s: {provider: %s, model: %s, base_url: %q, api_key: \"env:LLM_KEY\"}\n",
			m.wire, m.provider, m.name, srv.URL+m.path)
	}
	return r
}

// answer gives the relay's next answer: thoughts and calls in three rounds of a turn, and
// then a text.
func (r *relay) answer(i int, req fakemodel.Request) fakemodel.Answer {
	if n := r.next.Load(); n%int64(len(r.servers)) != int64(i) || !r.next.CompareAndSwap(n, n+1) {
		return fakemodel.Fail(400, "content_filter", "another's turn")
	}
	nonce, rounds := "", 0
	for i := range req.Messages {
		switch m := &req.Messages[i]; {
		case m.Role == providers.RoleUser && strings.Contains(m.Content, "nq"):
			_, nonce, _ = strings.Cut(m.Content, "nq")
			rounds = 0
		case m.Role == providers.RoleAssistant && len(m.ToolCalls) > 0:
			rounds++
		}
	}
	if rounds >= 3 {
		return fakemodel.Say("answer rq" + nonce[:min(12, len(nonce))])
	}
	a := fakemodel.Say("a moment")
	a.Reasoning = fmt.Sprintf("thoughts of round %d", rounds)
	for n, tool := range [][]string{{"lookup"}, {"effect"}, {"lookup", "effect_rerun"}}[rounds] {
		a.ToolCalls = append(a.ToolCalls, providers.ToolCall{
			Name: tool, Arguments: map[string]any{"text": fmt.Sprintf("note %s %d %d", nonce, rounds, n)},
		})
	}
	return a
}

// TestKillWhereTheModelChanges kills the gateway within turns in which each answer comes
// from another wire. Each of them takes the conversation at every step, before and after.
func TestKillWhereTheModelChanges(t *testing.T) {
	t.Parallel()
	for first, failpoint := range []string{
		"", "P4:2", "P5:1", "P5:2", "P5:3", "P5:4", "P6:1", "P6:2", "P7:1", "P7:2", "P8:1", "P8:3", "P13:1", "P13:2",
	} {
		t.Run("at "+failpoint, func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t, server.Options{}), newRelay(t)
			r.configure(t, w.gw.ConfigPath())
			r.next.Store(int64(first)) // so each wire begins somewhere
			ask := func() { w.push(question{chat: direct(0), text: "look it up", kind: plain}) }
			p := w.start(failpoint)
			ask()
			if failpoint == "P4:2" || failpoint == "P13:2" { // once in each turn
				w.answered()
				ask()
			}
			if failpoint != "" {
				w.died(p, failpoint)
				p = w.start("")
			}
			for range 3 {
				w.answered()
				ask()
			}
			w.answered()
			w.terminate(p)
			w.storeCheck()
			for _, s := range r.servers {
				for _, v := range s.Violations() {
					t.Error(v)
				}
			}
			if f := w.read(w.messages()); f.inversions+f.misrouted+f.phantoms > 0 {
				t.Errorf("%q", f.examples)
			}
			if m := w.messages(); failpoint == "" && len(m) != 4 {
				t.Errorf("%d messages, want 4", len(m))
			}
		})
	}
}

// configure writes the relay's models over those of a configuration.
func (r *relay) configure(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := bytes.Cut(text, []byte("models:\n"))
	_, after, alsoOK := bytes.Cut(after, []byte("\n")) // the rig's one model
	before = bytes.Replace(before, []byte("{model: main,"),
		[]byte("{model: "+r.names[0]+", fallbacks: ["+strings.Join(r.names[1:], ", ")+"],"), 1)
	if !ok || !alsoOK {
		t.Fatalf("no models in %s", text)
	}
	text = append(append(before, "models:\n"+r.config...), after...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

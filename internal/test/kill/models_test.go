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
	"parley/internal/test/rig"
	"parley/internal/test/strictmodel"
	"parley/internal/test/testtools"
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
// then a text of two messages.
func (r *relay) answer(i int, req fakemodel.Request) fakemodel.Answer {
	if n := r.next.Load(); n%int64(len(r.servers)) != int64(i) || !r.next.CompareAndSwap(n, n+1) {
		return fakemodel.Fail(400, "content_filter", "another's turn")
	}
	nonce, rounds := "", 0
	for i := range req.Messages {
		switch m := &req.Messages[i]; {
		case m.Role == providers.RoleUser && strings.Contains(m.Content, "nq"):
			_, nonce, _ = strings.Cut(m.Content, "nq")
			nonce, rounds = nonce[:min(12, len(nonce))], 0
		case m.Role == providers.RoleAssistant && len(m.ToolCalls) > 0:
			rounds++
		}
	}
	if rounds >= 3 {
		return fakemodel.Say("answer rq" + nonce + strings.Repeat(" w"+nonce, 400))
	}
	a := fakemodel.Say("a moment")
	a.Reasoning = fmt.Sprintf("thoughts of round %d", rounds)
	for n, tool := range [][]string{{"lookup"}, {"effect", "say"}, {"lookup", "effect_rerun"}}[rounds] {
		a.ToolCalls = append(a.ToolCalls, providers.ToolCall{
			Name: tool, Arguments: map[string]any{"text": fmt.Sprintf("note %s %d %d", nonce, rounds, n)},
		})
	}
	return a
}

// betweenModels are the places of a turn of the relay, and of the next one, at which another
// wire answers before than after. Places before the first answer (P1:1 to P3:1) have no model
// before them. The points of tasks and jobs (T, J) are of other turns, which ask their models
// anew: TestKillBackgroundWorkOnTelegram and its like die there.
func betweenModels() []string {
	hits := []struct {
		name        string
		first, last int
	}{
		{"P1", 2, 2}, {"P2", 2, 2}, {"P3", 2, 2}, // the next question, behind the first turn
		{"P4", 1, 2},                               // the second is the next turn's
		{"P5", 1, 4},                               // each answer
		{"P6", 1, 5},                               // each call
		{"P7", 1, 2},                               // each call with an effect
		{"P8", 1, 5},                               // each result
		{"P9", 1, 3}, {"P10", 1, 3}, {"P11", 1, 3}, // the tool's word and the two parts of the answer
		{"P12", 1, 1}, // between these two
		{"P13", 1, 2}, // the tool's word, and the answer
	}
	var all []string
	for _, p := range hits {
		for n := p.first; n <= p.last; n++ {
			all = append(all, fmt.Sprint(p.name, ":", n))
		}
	}
	return all
}

// TestKillWhereTheModelChanges kills the gateway within turns in which each answer comes
// from another wire, and between them; in one run it dies in its recovery as well. Each of
// the wires takes the conversation at every step, before and after.
func TestKillWhereTheModelChanges(t *testing.T) {
	t.Parallel()
	for first, failpoint := range append(betweenModels(), "", "P5:2 "+inRecovery+":1") {
		t.Run("at "+failpoint, func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t, server.Options{}), newRelay(t)
			r.configure(t, w.gw.ConfigPath())
			r.next.Store(int64(first)) // so each wire begins somewhere
			ask := func() { w.push(question{chat: direct(0), text: "look it up", kind: plain}) }
			ask()
			var p *rig.Process
			for i, point := range strings.Fields(failpoint) {
				p = w.start(point)
				for i == 0 && len(w.asks) < 3 && !w.diesBefore(p, w.allAnswered) {
					ask() // the point is passed in the next turn
				}
				w.died(p, point)
			}
			p = w.start("")
			for len(w.asks) < 4 {
				w.answered()
				ask()
			}
			w.answered()
			w.wait("the last part", w.allParts)
			w.terminate(p)
			w.storeCheck()
			r.checked(w)
		})
	}
}

// allParts says whether the platform has the last part of every answer.
func (w *world) allParts() bool {
	parts := 0
	for _, m := range w.messages() {
		if strings.Contains(m.text, " w") {
			parts++
		}
	}
	return parts >= 2*len(w.asks)
}

// checked looks at the requests and the messages of a world that has come to rest.
func (r *relay) checked(w *world) {
	w.t.Helper()
	for _, s := range r.servers {
		for _, v := range s.Violations() {
			w.t.Error(v)
		}
	}
	if f := w.read(w.messages()); f.inversions+f.misrouted+f.phantoms > 0 {
		w.t.Errorf("%q", f.examples)
	}
	if window, doubled, _ := w.doubles(w.messages()); doubled > 0 || window > len(w.crashes) {
		w.t.Errorf("%d messages came twice in the window of %d crashes, and %d elsewhere", window, len(w.crashes), doubled)
	}
	effects, err := testtools.ReadEffects(w.effects)
	if err != nil {
		w.t.Fatal(err)
	}
	ran := map[string]int{}
	for _, e := range effects {
		if ran[e.Text]++; e.Tool == "effect" && ran[e.Text] > 1 {
			w.t.Errorf("effect ran again: %+v", e)
		}
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

package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
)

// nextModel is the model that steps in.
const nextModel = "next"

// checkNext cuts a stream with thoughts, text and calls behind each frame and within it,
// properly and not, with a next model to be asked: the caller gets that one's whole answer,
// or the first one's where it was complete before the cut, and nothing of the other, neither
// in the answer nor in the events behind the last Restart.
func checkNext(t *testing.T, h HTTP) {
	t.Helper()
	s := newSwitch(t, h)
	body, switched := "", 0
	for n, frame := range s.frames {
		for _, at := range []int{0, len(frame) / 2} {
			for _, breaks := range []bool{true, false} {
				if s.cut(t, fmt.Sprintf("frame %d, byte %d, breaks %v", n, at, breaks), body+frame[:at], breaks) {
					switched++
				}
			}
		}
		body += frame
	}
	if tail := 3; switched < 4*(len(s.frames)-tail) {
		t.Errorf("the next model answered after %d of %d cuts", switched, 4*len(s.frames))
	}
}

// modelSwitch is a model whose streams are cut, and the one that steps in.
type modelSwitch struct {
	first, next    providers.LLMProvider
	script         func(http.HandlerFunc)
	asked, stepped atomic.Int64
	frames         []string // of the first model's answer
	whole, other   string   // the answers of the two models
	complete       bool     // a cut one was: so are all that are cut later
}

func newSwitch(t *testing.T, h HTTP) *modelSwitch {
	t.Helper()
	s := &modelSwitch{}
	var say func(http.HandlerFunc)
	s.first, s.script = scripted(t, h)
	s.next, say = scripted(t, h)
	broken, good := full(), full()
	broken.Reasoning, good.Reasoning = "The first one thinks.", "The next one does not think alike."
	good.Content, good.ToolCalls = "I am the next.", []providers.ToolCall{
		{ID: "call_n1", Type: "function", Name: "probe", RawArguments: `{"n":3}`},
	}
	s.frames = h.Answer(broken, true)
	say(sends(&s.stepped, strings.Join(h.Answer(good, true), ""), false))
	s.script(sends(&s.asked, strings.Join(s.frames, ""), false))
	s.whole, s.other = alone(t, h, s.first, Model, broken, false), alone(t, h, s.next, nextModel, good, true)
	return s
}

// sends answers with the beginning of a stream.
func sends(count *atomic.Int64, body string, breaks bool) http.HandlerFunc { //nolint:revive // the way of the end
	return func(w http.ResponseWriter, _ *http.Request) {
		count.Add(1)
		begin(w, true)
		write(w, body)
		if breaks {
			panic(http.ErrAbortHandler)
		}
	}
}

// cut asks with a stream that ends behind body, and says whether the next model answered.
func (s *modelSwitch) cut(t *testing.T, where, body string, breaks bool) bool {
	t.Helper()
	s.script(sends(&s.asked, body, breaks))
	s.asked.Store(0)
	s.stepped.Store(0)
	p := providers.Failover(providers.RetryPolicy{Base: time.Millisecond},
		providers.Target{Provider: s.first, Model: Model}, providers.Target{Provider: s.next, Model: nextModel})
	resp, events, err := ask(t, t.Context(), p, true, Question())
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	switched := s.stepped.Load() > 0
	want, times := s.whole, int64(1)
	if switched {
		want, times = s.other, 2
	}
	if d := cmp.Diff(want, written(t, resp, switched)); d != "" {
		t.Errorf("%s: the answer (-alone +behind a cut):\n%s", where, d)
	}
	if s.asked.Load() != times || s.stepped.Load() > 1 || s.complete && switched {
		t.Errorf("%s: asked %d times, and the next %d times; complete before: %v", where, s.asked.Load(), s.stepped.Load(), s.complete)
	}
	s.complete = s.complete || !switched
	remains(t, events, resp)
	return switched
}

// alone is the written answer of a provider that is asked without another one.
func alone(t *testing.T, h HTTP, p providers.LLMProvider, model string, meant *providers.LLMResponse, use bool) string {
	t.Helper()
	resp, err := providers.Stream(t.Context(), p, Question(), Tools(), model, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.same(t, meant, resp)
	if resp.Reasoning != meant.Reasoning {
		t.Errorf("it thought %q, meant is %q", resp.Reasoning, meant.Reasoning)
	}
	return written(t, resp, use)
}

// written is an answer with all that is kept of it; a stream that was cut behind its answer
// need not have told the use.
func written(t *testing.T, resp *providers.LLMResponse, use bool) string { //nolint:revive // a part of it
	t.Helper()
	r := *resp
	if !use {
		r.Usage = providers.Usage{}
	}
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// remains checks that the events behind the last Restart are those of the answer alone.
func remains(t *testing.T, events []providers.StreamEvent, resp *providers.LLMResponse) {
	t.Helper()
	reasoning, calls := "", map[int]string{}
	for _, e := range events {
		switch e := e.(type) {
		case providers.Restart:
			reasoning, calls = "", map[int]string{}
		case providers.ReasoningDelta:
			reasoning += e.Text
		case providers.ToolCallDelta:
			calls[e.Index] += e.ID
		}
	}
	if got := shown(events); got != resp.Content || reasoning != resp.Reasoning {
		t.Errorf("emitted %q and %q, answered %q and %q", reasoning, got, resp.Reasoning, resp.Content)
	}
	for i, id := range calls {
		if i >= len(resp.ToolCalls) || resp.ToolCalls[i].ID != id {
			t.Errorf("call %d was emitted with the id %q, answered are %+v", i, id, resp.ToolCalls)
		}
	}
}

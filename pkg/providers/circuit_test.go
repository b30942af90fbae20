package providers_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/providers"
)

func (p *pair) ask(t *testing.T, turn string) string {
	t.Helper()
	resp, err := p.Chat(t.Context(), nil, nil, "m", map[string]any{"turn": turn})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Content
}

// TestFailoverLeavesOutAModelThatKeepsFailing opens the circuit after failures in a row,
// lets one request at a time probe the model, and comes back to it when it answers.
func TestFailoverLeavesOutAModelThatKeepsFailing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := step{err: fail(providers.KindOverloaded)}
		p := newPair([]step{down, down, down, down, {takes: time.Second, err: fail(providers.KindOverloaded)}, {text: "one"}},
			[]step{{text: "two"}}, 0)
		asks := func(want string, times int) {
			t.Helper()
			if got := p.ask(t, ""); got != want || len(p.first.models) != times {
				t.Errorf("%q, the first model asked %d times; want %q, %d", got, len(p.first.models), want, times)
			}
		}
		asks("two", 2) // with the quick retry
		asks("two", 3) // the third in a row
		asks("two", 3)
		<-time.After(29 * time.Second)
		asks("two", 3)
		<-time.After(time.Second)
		asks("two", 4) // a probe
		asks("two", 4)
		<-time.After(31 * time.Second)
		asks("two", 4) // twice as long
		<-time.After(30 * time.Second)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { _ = p.ask(t, "") })
		}
		wg.Wait()
		if n := len(p.first.models); n != 5 {
			t.Errorf("%d probes at once, want one", n-4)
		}
		<-time.After(2*time.Minute + time.Second)
		asks("one", 6)
		asks("one", 7)
	})
}

// TestFailoverAsksAModelThatRestsWhenNoOtherAnswers prefers an attempt to a refusal.
func TestFailoverAsksAModelThatRestsWhenNoOtherAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPair([]step{{takes: time.Minute, err: fail(providers.KindTimeout)}, {text: "one"}},
			[]step{{text: "two"}, {err: fail(providers.KindQuota)}}, 0)
		if got := p.ask(t, ""); got != "two" {
			t.Errorf("%q", got)
		}
		began := time.Now()
		if got := p.ask(t, ""); got != "one" || time.Since(began) != 0 {
			t.Errorf("%q after %v", got, time.Since(began))
		}
		if got := p.ask(t, ""); got != "one" || len(p.second.models) != 2 {
			t.Errorf("%q: an answer ends the rest", got)
		}
	})
}

// TestFailoverIsNotLedByOneRequest: a refusal that concerns one request alone does not
// keep others from the model, and neither does a caller that leaves.
func TestFailoverIsNotLedByOneRequest(t *testing.T) {
	t.Parallel()
	for _, kind := range []providers.ErrorKind{providers.KindInvalid, providers.KindFiltered, providers.KindTooLong} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				refused := step{err: fail(kind)}
				p := newPair([]step{refused, refused, refused, refused, {text: "one"}}, []step{{text: "two"}}, 0)
				for range 4 {
					_, _ = p.Chat(t.Context(), nil, nil, "m", nil)
				}
				if got := p.ask(t, ""); got != "one" {
					t.Errorf("%q", got)
				}
			})
		})
	}
}

// TestFailoverStaysWithinATurn keeps a turn at the model that answered it, although
// another turn is back at the first.
func TestFailoverStaysWithinATurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := step{text: "one"}
		p := newPair([]step{{err: fail(providers.KindInvalid)}, one, one, one, {err: fail(providers.KindQuota)}, one},
			[]step{{text: "two"}, {text: "two"}, {err: fail(providers.KindQuota)}, {text: "two"}}, 0)
		for i, ask := range [][2]string{
			{"a", "two"},
			{"b", "one"},
			{"a", "two"},
			{"", "one"},
			{"a", "one"}, // the second is out of quota
			{"b", "two"}, // and now the first
		} {
			if got := p.ask(t, ask[0]); got != ask[1] {
				t.Errorf("request %d: %q, want %q", i, got, ask[1])
			}
		}
	})
}

// TestFailoverForgetsOldTurns bounds the memory of turns.
func TestFailoverForgetsOldTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		steps := make([]step, 5001)
		for i := range 5000 {
			steps[i] = step{err: fail(providers.KindInvalid)}
		}
		steps[5000] = step{text: "one"}
		p := newPair(steps, []step{{text: "two"}}, 0)
		for i := range 5000 {
			_ = p.ask(t, strconv.Itoa(i))
		}
		if old, recent := p.ask(t, "0"), p.ask(t, "4999"); old != "one" || recent != "two" {
			t.Errorf("the oldest turn asks %q, the newest %q", old, recent)
		}
	})
}

// TestFailoversShareTheHealthOfAModel has a model rest for all failovers that ask it.
func TestFailoversShareTheHealthOfAModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := &script{steps: []step{{takes: time.Minute, err: fail(providers.KindTimeout)}, {text: "one"}}}
		shared := providers.Target{Provider: first, Health: &providers.Health{}}
		var got []string
		for range 2 {
			p := providers.Failover(providers.RetryPolicy{}, shared, providers.Target{Provider: &script{steps: []step{{text: "two"}}}})
			resp, err := p.Chat(t.Context(), nil, nil, "m", nil)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, resp.Content)
		}
		if len(first.models) != 1 {
			t.Errorf("answers %q, the model that rests was asked %d times", got, len(first.models))
		}
	})
}

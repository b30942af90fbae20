package providers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
)

// demand is a refusal of a server that names a pause.
func demand(kind providers.ErrorKind, after time.Duration) *providers.Error {
	return &providers.Error{Kind: kind, RetryAfter: after}
}

// pair is a failover of two models, and its log.
type pair struct {
	providers.LLMProvider

	first, second *script
	log           []string
}

func newPair(first, second []step, total time.Duration) *pair {
	p := &pair{first: &script{steps: first}, second: &script{steps: second}}
	p.LLMProvider = providers.Failover(
		providers.RetryPolicy{OnRetry: func(r providers.Retried) {
			p.log = append(p.log, fmt.Sprintf("%d %s, then %s", r.Attempt, r.Err.Kind, r.Next))
		}},
		providers.Target{Provider: p.first, Model: "one", Total: total},
		providers.Target{Provider: p.second, Model: "two", Total: total})
	return p
}

// TestFailoverSwitches fails the first model in each way: the next one answers, at the
// time that the way allows.
func TestFailoverSwitches(t *testing.T) {
	t.Parallel()
	const idle, total = 60 * time.Second, 300 * time.Second
	for name, c := range map[string]struct {
		first  []step
		times  int // that the first is asked
		at     time.Duration
		within time.Duration // after at
	}{
		"429":                   {[]step{{err: fail(providers.KindRateLimited)}}, 2, 0, time.Second},
		"429, soon":             {[]step{{err: demand(providers.KindRateLimited, 5*time.Second)}}, 2, 5 * time.Second, time.Second},
		"429, at the limit":     {[]step{{err: demand(providers.KindRateLimited, 14*time.Second)}}, 2, 14 * time.Second, time.Second},
		"429, above":            {[]step{{err: demand(providers.KindRateLimited, 15*time.Second)}}, 1, 0, 0},
		"529, above":            {[]step{{err: demand(providers.KindOverloaded, time.Minute)}}, 1, 0, 0},
		"500":                   {[]step{{err: fail(providers.KindOverloaded)}}, 2, 0, time.Second},
		"quota":                 {[]step{{err: fail(providers.KindQuota)}}, 1, 0, 0},
		"bad key":               {[]step{{err: fail(providers.KindAuth)}}, 1, 0, 0},
		"unknown model":         {[]step{{err: fail(providers.KindNotFound)}}, 1, 0, 0},
		"refused":               {[]step{{err: fail(providers.KindInvalid)}}, 1, 0, 0},
		"cut":                   {[]step{{takes: time.Second, err: fail(providers.KindCut)}}, 2, 2 * time.Second, time.Second},
		"cut late":              {[]step{{takes: 16 * time.Second, err: fail(providers.KindCut)}}, 1, 16 * time.Second, 0},
		"hang":                  {[]step{{takes: idle, err: fail(providers.KindTimeout)}}, 1, idle, 0},
		"drip":                  {[]step{{takes: time.Hour}}, 1, total, 0},
		"a short failure, hang": {[]step{{err: fail(providers.KindCut)}, {takes: idle, err: fail(providers.KindTimeout)}}, 2, idle, time.Second},
		"empty":                 {[]step{{text: " "}}, 1, 0, 0},
		"nowhere":               {[]step{{err: fail(providers.KindUnreachable)}}, 2, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPair(c.first, []step{{text: "answer"}}, total)
				began := time.Now()
				resp, err := p.Chat(t.Context(), nil, nil, "m", nil)
				took := time.Since(began)
				if err != nil || resp.Content != "answer" {
					t.Fatalf("%+v, %v", resp, err)
				}
				if len(p.first.models) != c.times || len(p.second.models) != 1 || len(p.log) != c.times {
					t.Errorf("asked %d and %d times, log %v", len(p.first.models), len(p.second.models), p.log)
				}
				if took < c.at || took > c.at+c.within {
					t.Errorf("it took %v, want %v and at most %v more", took, c.at, c.within)
				}
			})
		})
	}
}

// TestFailoverWaitsForTheModelThatRecovers has both models fail: the one that recovers first answers.
func TestFailoverWaitsForTheModelThatRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPair([]step{{err: demand(providers.KindRateLimited, 100*time.Second)}},
			[]step{{err: demand(providers.KindRateLimited, 50*time.Second)}, {text: "back"}}, 300*time.Second)
		began := time.Now()
		resp, err := p.Chat(t.Context(), nil, nil, "m", nil)
		if err != nil || resp.Content != "back" {
			t.Fatalf("%+v, %v", resp, err)
		}
		if took := time.Since(began); took < 50*time.Second || took > 51*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestFailoverIsBounded counts the attempts at models that never answer, and the time.
func TestFailoverIsBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step  step
		times [2]int
		most  time.Duration
	}{
		"overloaded": {step{err: fail(providers.KindOverloaded)}, [2]int{3, 3}, time.Minute},
		"hangs":      {step{takes: time.Minute, err: fail(providers.KindTimeout)}, [2]int{2, 2}, 5 * time.Minute},
		"drips":      {step{takes: time.Hour}, [2]int{1, 1}, 10 * time.Minute},
		"slow cuts":  {step{takes: 2 * time.Minute, err: fail(providers.KindCut)}, [2]int{3, 3}, 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPair([]step{c.step}, []step{c.step}, 5*time.Minute)
				began := time.Now()
				resp, err := p.Chat(t.Context(), nil, nil, "m", nil)
				if failure, ok := errors.AsType[*providers.Error](err); resp != nil || !ok || !failure.Retryable() {
					t.Fatalf("%+v, %v", resp, err)
				}
				// Pauses are drawn, so that one model may come back before the other.
				first, second := len(p.first.models), len(p.second.models)
				if first+second != c.times[0]+c.times[1] || min(first, second) < min(c.times[0], 2) {
					t.Errorf("%d and %d attempts, want %v", first, second, c.times)
				}
				if took := time.Since(began); took > c.most {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// TestFailoverTooLongIsForTheCaller has the first model find the conversation too long at
// once, or no model answer: the error in front is the one that the caller can cure.
func TestFailoverTooLongIsForTheCaller(t *testing.T) {
	t.Parallel()
	long := step{err: fail(providers.KindTooLong)}
	for name, c := range map[string]struct {
		first, second step
		says          []string
	}{
		"the first":  {long, step{text: "second"}, []string{"too_long"}},
		"the second": {step{err: fail(providers.KindQuota)}, long, []string{"too_long", "quota"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPair([]step{c.first}, []step{c.second}, 0)
				_, err := p.Chat(t.Context(), nil, nil, "m", nil)
				if failure, ok := errors.AsType[*providers.Error](err); !ok || failure.Kind != providers.KindTooLong {
					t.Fatalf("%v, want the one that the caller can cure in front", err)
				}
				for _, kind := range c.says {
					if !strings.Contains(err.Error(), kind) {
						t.Errorf("%q does not tell of %s", err, kind)
					}
				}
			})
		})
	}
}

// TestFailoverPassesAModelWithASmallContext has a model step in that finds the conversation
// too long: the request goes on as it would without that model.
func TestFailoverPassesAModelWithASmallContext(t *testing.T) {
	t.Parallel()
	long := step{err: fail(providers.KindTooLong)}
	first := []step{{err: demand(providers.KindRateLimited, 16*time.Second)}, {text: "first"}}
	for name, c := range map[string]struct {
		models [][]step
		want   string
		at     time.Duration
	}{
		"the first one recovers":    {[][]step{first, {long}}, "first", 16 * time.Second},
		"a further one steps in":    {[][]step{first, {long}, {{text: "third"}}}, "third", 0},
		"the further one is no use": {[][]step{first, {long}, {{err: fail(providers.KindQuota)}}}, "first", 16 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var targets []providers.Target
				for _, steps := range c.models {
					targets = append(targets, providers.Target{Provider: &script{steps: steps}})
				}
				began := time.Now()
				resp, err := providers.Failover(providers.RetryPolicy{}, targets...).Chat(t.Context(), nil, nil, "m", nil)
				if err != nil || resp.Content != c.want {
					t.Fatalf("%+v, %v", resp, err)
				}
				if took := time.Since(began); took < c.at || took > c.at+time.Second {
					t.Errorf("it took %v, want about %v", took, c.at)
				}
			})
		})
	}
}

// TestFailoverReturnsToTheFirstModelWithinATurn has a turn outgrow the model that stepped in.
func TestFailoverReturnsToTheFirstModelWithinATurn(t *testing.T) {
	t.Parallel()
	p := newPair([]step{{err: fail(providers.KindInvalid)}, {text: "one"}}, []step{{text: "two"}, {err: fail(providers.KindTooLong)}}, 0)
	for _, want := range []string{"two", "one"} {
		if got := p.ask(t, "turn"); got != want {
			t.Errorf("%q answered, want %q; log %v", got, want, p.log)
		}
	}
}

// TestFailoverBillsAUselessAnswer has the model that stays with a turn answer without use,
// and the first one find the conversation too long: the answer was paid for.
func TestFailoverBillsAUselessAnswer(t *testing.T) {
	t.Parallel()
	p := newPair([]step{{err: fail(providers.KindInvalid)}, {err: fail(providers.KindTooLong)}}, []step{{text: "two"}, {text: " "}}, 0)
	for _, want := range []string{"two", " "} {
		resp, err := p.Chat(t.Context(), nil, nil, "m", map[string]any{"turn": "turn"})
		if err != nil || resp.Content != want || resp.Usage.TotalTokens != 1 {
			t.Fatalf("%+v, %v; want %q with its tokens", resp, err, want)
		}
	}
}

// TestFailoverKeys asks a model with its further keys, and lets a refused key rest.
func TestFailoverKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    *providers.Error
		second []int // how often the second key was asked after each request
	}{
		"rate":             {demand(providers.KindRateLimited, time.Minute), []int{1, 2, 2}},
		"rate, no pause":   {fail(providers.KindRateLimited), []int{1, 2, 2}},
		"quota":            {fail(providers.KindQuota), []int{1, 2, 2}},
		"bad key":          {fail(providers.KindAuth), []int{1, 2, 2}},
		"the server fails": {fail(providers.KindOverloaded), []int{0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first, second := &script{steps: []step{{err: c.err}, {text: "first"}}}, &script{steps: []step{{text: "second"}}}
				p := providers.Failover(providers.RetryPolicy{}, providers.Target{Provider: first, Spares: []providers.LLMProvider{second}})
				for i, want := range c.second {
					if i == 2 {
						<-time.After(6 * time.Minute)
					}
					began := time.Now()
					resp, err := p.Chat(t.Context(), nil, nil, "m", nil)
					if err != nil || resp.Content == "" || time.Since(began) > time.Second {
						t.Fatalf("request %d: %+v, %v after %v", i, resp, err, time.Since(began))
					}
					if len(second.models) != want {
						t.Errorf("request %d: the second key was asked %d times, want %d", i, len(second.models), want)
					}
				}
			})
		})
	}
}

// TestFailoverKeysBeforeModels asks all keys of a model before the next model, and keys
// of all models before a pause.
func TestFailoverKeysBeforeModels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		limited := demand(providers.KindRateLimited, time.Minute)
		key := func() *script { return &script{steps: []step{{err: limited}, {text: "late"}}} }
		p := providers.Failover(
			providers.RetryPolicy{OnRetry: func(r providers.Retried) {
				order = append(order, fmt.Sprintf("%s/%d at %s/%d", r.Err.Kind, r.Key, r.Next, r.NextKey))
			}},
			providers.Target{Provider: key(), Spares: []providers.LLMProvider{key(), key()}, Model: "one"},
			providers.Target{Provider: key(), Spares: []providers.LLMProvider{key()}, Model: "two"})
		resp, err := p.Chat(t.Context(), nil, nil, "m", nil)
		if err != nil || resp.Content != "late" {
			t.Fatalf("%+v, %v", resp, err)
		}
		want := []string{"rate_limited/1 at one/2", "rate_limited/2 at one/3", "rate_limited/3 at two/1", "rate_limited/1 at two/2"}
		if d := cmp.Diff(want, order[:min(4, len(order))]); d != "" || len(order) != 5 {
			t.Errorf("%v: %s", order, d)
		}
	})
}

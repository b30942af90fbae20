package providers_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
)

// step is one answer of a script: what it emits, then after a while text, calls or an error.
type step struct {
	emits []string
	takes time.Duration
	text  string
	calls []providers.ToolCall
	err   error
}

// script is a streaming provider that answers by its steps, the last one for ever.
type script struct {
	steps []step

	mu     sync.Mutex // guards what follows; tests read it when all requests are over
	models []string
	times  []time.Time
}

func (s *script) Chat(
	ctx context.Context, messages []providers.Message,
	tools []providers.ToolDefinition, model string, options map[string]any,
) (*providers.LLMResponse, error) {
	return s.ChatStream(ctx, messages, tools, model, options, func(providers.StreamEvent) {})
}

func (s *script) ChatStream(
	ctx context.Context, _ []providers.Message, _ []providers.ToolDefinition,
	model string, _ map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	s.mu.Lock()
	now := s.steps[min(len(s.models), len(s.steps)-1)]
	s.models = append(s.models, model)
	s.times = append(s.times, time.Now())
	s.mu.Unlock()
	for _, e := range now.emits {
		emit(providers.TextDelta{Text: e})
	}
	select {
	case <-time.After(now.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if now.err != nil {
		return nil, now.err
	}
	return &providers.LLMResponse{
		Content: now.text, ToolCalls: now.calls, FinishReason: providers.FinishStop, Usage: providers.Usage{TotalTokens: 1},
	}, nil
}

// plain hides that a provider streams.
type plain struct{ providers.LLMProvider }

func fail(kind providers.ErrorKind) *providers.Error { return &providers.Error{Kind: kind} }

// asked is what a caller of ChatStream sees.
type asked struct {
	Text   string
	Events []providers.StreamEvent
}

func stream(ctx context.Context, p providers.LLMProvider) (asked, error) {
	var a asked
	resp, err := providers.Stream(ctx, p, nil, nil, "caller's", nil, func(e providers.StreamEvent) { a.Events = append(a.Events, e) })
	if resp != nil {
		a.Text = resp.Content
	}
	return a, err
}

func TestRetryAttempts(t *testing.T) {
	t.Parallel()
	foreign := errors.New("foreign")
	slow := fail(providers.KindRateLimited)
	slow.RetryAfter = 3 * time.Minute
	for _, c := range []struct {
		name     string
		policy   providers.RetryPolicy
		steps    []step
		attempts int
		ok       bool
	}{
		{"at once", providers.RetryPolicy{}, []step{{text: "a"}}, 1, true},
		{
			"third time",
			providers.RetryPolicy{},
			[]step{{err: fail(providers.KindOverloaded)}, {err: fail(providers.KindRateLimited)}, {text: "a"}},
			3, true,
		},
		{"never", providers.RetryPolicy{}, []step{{err: fail(providers.KindOverloaded)}}, 5, false},
		{"never, two attempts", providers.RetryPolicy{Attempts: 2}, []step{{err: fail(providers.KindUnreachable)}}, 2, false},
		{"cut", providers.RetryPolicy{}, []step{{err: fail(providers.KindCut)}, {text: "a"}}, 2, true},
		{"time limit", providers.RetryPolicy{}, []step{{err: fail(providers.KindTimeout)}}, 2, false},
		{"quota", providers.RetryPolicy{}, []step{{err: fail(providers.KindQuota)}}, 1, false},
		{"auth", providers.RetryPolicy{}, []step{{err: fail(providers.KindAuth)}}, 1, false},
		{"invalid", providers.RetryPolicy{}, []step{{err: fail(providers.KindInvalid)}}, 1, false},
		{"too long", providers.RetryPolicy{}, []step{{err: fail(providers.KindTooLong)}}, 1, false},
		{"not found", providers.RetryPolicy{}, []step{{err: fail(providers.KindNotFound)}}, 1, false},
		{"filtered", providers.RetryPolicy{}, []step{{err: fail(providers.KindFiltered)}}, 1, false},
		{"foreign error", providers.RetryPolicy{}, []step{{err: foreign}}, 1, false},
		{"a longer wait than patience", providers.RetryPolicy{}, []step{{err: slow}}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: c.steps}
				told := 0
				c.policy.OnRetry = func(r providers.Retried) {
					told++
					if r.Err == nil || r.Attempt != told || r.Wait <= 0 || r.Next != "m" || r.Key != 1 || r.NextKey != 1 {
						t.Errorf("told %+v as number %d", r, told)
					}
				}
				resp, err := providers.Retry(s, c.policy).Chat(t.Context(), nil, nil, "m", nil)
				if (err == nil) != c.ok || (resp != nil) != c.ok {
					t.Errorf("%+v, %v", resp, err)
				}
				if len(s.models) != c.attempts || told != c.attempts-1 {
					t.Errorf("%d attempts, told of %d; want %d", len(s.models), told, c.attempts)
				}
				if last := c.steps[len(c.steps)-1].err; !c.ok && !errors.Is(err, last) {
					t.Errorf("%v, want %v", err, last)
				}
			})
		})
	}
}

// TestRetryTotal bounds all attempts together: those that hang, those that fail after
// a while, and the pauses that a server demands.
func TestRetryTotal(t *testing.T) {
	t.Parallel()
	demand := fail(providers.KindRateLimited)
	demand.RetryAfter = 40 * time.Second
	hangs := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	after := func(d time.Duration, err error) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			select {
			case <-time.After(d):
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	for name, c := range map[string]struct {
		attempt  func(ctx context.Context) error
		attempts int
		kind     providers.ErrorKind
		least    time.Duration
	}{
		"hangs":               {hangs, 1, providers.KindTimeout, 100 * time.Second},
		"fails after a while": {after(40*time.Second, fail(providers.KindOverloaded)), 3, providers.KindTimeout, 100 * time.Second},
		"time limits":         {after(60*time.Second, fail(providers.KindTimeout)), 2, providers.KindTimeout, 100 * time.Second},
		"demands pauses":      {after(0, demand), 3, providers.KindRateLimited, 80 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began, attempts := time.Now(), 0
				p := providers.Retry(asking(func(ctx context.Context) error { attempts++; return c.attempt(ctx) }),
					providers.RetryPolicy{Total: 100 * time.Second})
				_, err := p.Chat(t.Context(), nil, nil, "m", nil)
				failure, ok := errors.AsType[*providers.Error](err)
				if !ok || failure.Kind != c.kind || attempts != c.attempts {
					t.Errorf("%d attempts, want %d: %v", attempts, c.attempts, err)
				}
				if took := time.Since(began); took < c.least || took > 100*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := providers.Retry(asking(hangs), providers.RetryPolicy{Total: 100 * time.Second}).Chat(ctx, nil, nil, "m", nil)
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*providers.Error)) {
			t.Errorf("the caller's own end is told as %v", err)
		}
	})
}

// asking is a provider that fails as the function says.
type asking func(ctx context.Context) error

func (a asking) Chat(
	ctx context.Context, _ []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	return nil, a(ctx)
}

// TestRetryWaits draws many waits: each lies below the doubled base and the
// maximum, at least at what the server demands, and they differ.
func TestRetryWaits(t *testing.T) {
	t.Parallel()
	demand := fail(providers.KindRateLimited)
	demand.RetryAfter = 37 * time.Second
	for _, c := range []struct {
		name     string
		err      *providers.Error
		min, max [4]time.Duration
	}{
		{"jitter", fail(providers.KindOverloaded), [4]time.Duration{}, [4]time.Duration{100, 200, 250, 250}},
		{"on top of a demand", demand, [4]time.Duration{37000, 37000, 37000, 37000}, [4]time.Duration{37100, 37200, 37250, 37250}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				different := map[time.Duration]bool{}
				for range 50 {
					s := &script{steps: []step{{err: c.err}}}
					p := providers.Retry(s, providers.RetryPolicy{Base: 100 * time.Millisecond, Max: 250 * time.Millisecond})
					if _, err := p.Chat(t.Context(), nil, nil, "m", nil); err == nil {
						t.Fatal("no error")
					}
					for i := range 4 {
						wait := s.times[i+1].Sub(s.times[i])
						different[wait] = true
						if wait < c.min[i]*time.Millisecond || wait > c.max[i]*time.Millisecond+1 {
							t.Errorf("wait %d was %v, want %v to %v ms", i, wait, c.min[i], c.max[i])
						}
					}
				}
				if len(different) < 20 {
					t.Errorf("only %d different waits of 200", len(different))
				}
			})
		})
	}
}

func TestRetryEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		demand := fail(providers.KindRateLimited)
		demand.RetryAfter = time.Minute
		s := &script{steps: []step{{err: demand}}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := providers.Retry(s, providers.RetryPolicy{}).Chat(ctx, nil, nil, "m", nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second || len(s.models) != 1 {
			t.Errorf("%v after %v and %d attempts", err, time.Since(start), len(s.models))
		}
	})
}

func TestRetryStreams(t *testing.T) {
	t.Parallel()
	text := func(s string) providers.StreamEvent { return providers.TextDelta{Text: s} }
	for _, c := range []struct {
		name  string
		steps []step
		plain bool
		want  asked
	}{
		{"no failure", []step{{emits: []string{"a", "b"}, text: "ab"}}, false, asked{"ab", []providers.StreamEvent{text("a"), text("b")}}},
		{
			"nothing was shown",
			[]step{{err: fail(providers.KindOverloaded)}, {emits: []string{"a"}, text: "a"}},
			false,
			asked{"a", []providers.StreamEvent{text("a")}},
		},
		{
			"twice cut",
			[]step{
				{emits: []string{"x"}, err: fail(providers.KindCut)},
				{err: fail(providers.KindOverloaded)},
				{emits: []string{"y"}, err: fail(providers.KindCut)},
				{emits: []string{"a"}, text: "a"},
			},
			false,
			asked{"a", []providers.StreamEvent{text("x"), providers.Restart{Reason: "cut"}, text("y"), providers.Restart{Reason: "cut"}, text("a")}},
		},
		{
			"no stream below",
			[]step{{err: fail(providers.KindOverloaded)}, {emits: []string{"hidden"}, text: "a"}},
			true,
			asked{"a", []providers.StreamEvent{text("a")}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var p providers.LLMProvider = &script{steps: c.steps}
				if c.plain {
					p = plain{p}
				}
				got, err := stream(t.Context(), providers.Retry(p, providers.RetryPolicy{}))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

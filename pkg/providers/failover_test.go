package providers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
)

func TestFailoverGoesOn(t *testing.T) {
	t.Parallel()
	for kind, goesOn := range map[providers.ErrorKind]bool{
		providers.KindRateLimited: true, providers.KindOverloaded: true, providers.KindUnreachable: true, providers.KindCut: true,
		providers.KindTimeout: true, providers.KindAuth: true, providers.KindQuota: true,
		providers.KindNotFound: true, providers.KindFiltered: true,
		providers.KindInvalid: true, providers.KindTooLong: false,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			first, second := &script{steps: []step{{err: fail(kind)}}}, &script{steps: []step{{text: "second"}}}
			p := providers.Failover(providers.RetryPolicy{}, providers.Target{Provider: first}, providers.Target{Provider: second, Model: "other"})
			resp, err := p.Chat(t.Context(), nil, nil, "caller's", nil)
			if (err == nil) != goesOn || goesOn && resp.Content != "second" {
				t.Errorf("%+v, %v", resp, err)
			}
			if d := cmp.Diff([]string{"caller's"}, slices.Compact(first.models)); d != "" {
				t.Errorf("the first target's models: %s", d)
			}
			if goesOn && !cmp.Equal([]string{"other"}, second.models) {
				t.Errorf("the second target's models: %v", second.models)
			}
		})
	}
}

// TestFailoverAllFail keeps every failure, and the first one in front.
func TestFailoverAllFail(t *testing.T) {
	t.Parallel()
	var targets []providers.Target
	for _, kind := range []providers.ErrorKind{providers.KindQuota, providers.KindOverloaded, providers.KindUnreachable} {
		targets = append(targets, providers.Target{Provider: &script{steps: []step{{err: fail(kind)}}}})
	}
	_, err := providers.Failover(providers.RetryPolicy{}, targets...).Chat(t.Context(), nil, nil, "m", nil)
	var failure *providers.Error
	if !errors.As(err, &failure) || failure.Kind != providers.KindQuota {
		t.Errorf("%v, want the first failure in front", err)
	}
	for _, kind := range []string{"quota", "overloaded", "unreachable"} {
		if !strings.Contains(err.Error(), kind) {
			t.Errorf("%q does not tell of %s", err, kind)
		}
	}
	if _, err := providers.Failover(providers.RetryPolicy{}).Chat(t.Context(), nil, nil, "m", nil); !errors.As(err, &failure) {
		t.Errorf("no targets: %v", err)
	}
}

func TestFailoverEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	second := &script{steps: []step{{text: "second"}}}
	p := providers.Failover(providers.RetryPolicy{},
		providers.Target{Provider: &script{steps: []step{{err: ctx.Err()}}}}, providers.Target{Provider: second})
	if _, err := p.Chat(ctx, nil, nil, "m", nil); !errors.Is(err, context.Canceled) || len(second.models) != 0 {
		t.Errorf("%v, second asked %d times", err, len(second.models))
	}
}

// TestFailoverStreams gives one Restart for each answer that is void.
func TestFailoverStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := &script{
			steps: []step{{emits: []string{"x"}, err: fail(providers.KindCut)}, {emits: []string{"y"}, err: fail(providers.KindQuota)}},
		}
		second := &script{steps: []step{{err: fail(providers.KindOverloaded)}, {emits: []string{"a"}, text: "a"}}}
		p := providers.Failover(providers.RetryPolicy{}, providers.Target{Provider: first}, providers.Target{Provider: second})
		got, err := stream(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		want := asked{"a", []providers.StreamEvent{
			providers.TextDelta{Text: "x"},
			providers.Restart{Reason: "cut"},
			providers.TextDelta{Text: "y"},
			providers.Restart{Reason: "quota"},
			providers.TextDelta{Text: "a"},
		}}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// TestFailoverReplacesAUselessAnswer voids an answer that was shown and is of no use, and
// shows it again where no model has a better one.
func TestFailoverReplacesAUselessAnswer(t *testing.T) {
	t.Parallel()
	text := func(s string) providers.StreamEvent { return providers.TextDelta{Text: s} }
	bad := []providers.ToolCall{{ID: "1", Name: "tool", RawArguments: "{", BadArguments: "it ends too early"}}
	first := step{emits: []string{"see"}, text: "see", calls: bad}
	for name, c := range map[string]struct {
		second step
		want   asked
		tokens int
	}{
		"a good one": {
			step{emits: []string{"good"}, text: "good"},
			asked{"good", []providers.StreamEvent{text("see"), providers.Restart{Reason: "unusable"}, text("good")}},
			2,
		},
		"none": {
			step{emits: []string{"x"}, err: fail(providers.KindQuota)},
			asked{"see", []providers.StreamEvent{
				text("see"), providers.Restart{Reason: "unusable"}, text("x"), providers.Restart{Reason: "quota"}, text("see"),
			}},
			1,
		},
		"one that finds it too long": {
			step{err: fail(providers.KindTooLong)},
			asked{"see", []providers.StreamEvent{text("see"), providers.Restart{Reason: "unusable"}, text("see")}},
			1,
		},
		"another useless one": {
			step{},
			asked{"", []providers.StreamEvent{text("see"), providers.Restart{Reason: "unusable"}}},
			2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := providers.Failover(providers.RetryPolicy{},
				providers.Target{Provider: &script{steps: []step{first}}}, providers.Target{Provider: &script{steps: []step{c.second}}})
			var events []providers.StreamEvent
			resp, err := providers.Stream(t.Context(), p, nil, nil, "m", nil, func(e providers.StreamEvent) { events = append(events, e) })
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, asked{resp.Content, events}); d != "" {
				t.Error(d)
			}
			if resp.Usage.TotalTokens != c.tokens {
				t.Errorf("%d tokens, want those of all answers, %d", resp.Usage.TotalTokens, c.tokens)
			}
		})
	}
}

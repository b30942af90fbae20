package providers_test

import (
	"context"
	"errors"
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
		providers.KindInvalid: false, providers.KindTooLong: false,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			first, second := &script{steps: []step{{err: fail(kind)}}}, &script{steps: []step{{text: "second"}}}
			p := providers.Failover(providers.Target{Provider: first}, providers.Target{Provider: second, Model: "other"})
			resp, err := p.Chat(t.Context(), nil, nil, "caller's", nil)
			if (err == nil) != goesOn || goesOn && resp.Content != "second" {
				t.Errorf("%+v, %v", resp, err)
			}
			if d := cmp.Diff([]string{"caller's"}, first.models); d != "" {
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
	_, err := providers.Failover(targets...).Chat(t.Context(), nil, nil, "m", nil)
	var failure *providers.Error
	if !errors.As(err, &failure) || failure.Kind != providers.KindQuota {
		t.Errorf("%v, want the first failure in front", err)
	}
	for _, kind := range []string{"quota", "overloaded", "unreachable"} {
		if !strings.Contains(err.Error(), kind) {
			t.Errorf("%q does not tell of %s", err, kind)
		}
	}
	if _, err := providers.Failover().Chat(t.Context(), nil, nil, "m", nil); !errors.As(err, &failure) {
		t.Errorf("no targets: %v", err)
	}
}

func TestFailoverEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	second := &script{steps: []step{{text: "second"}}}
	p := providers.Failover(providers.Target{Provider: &script{steps: []step{{err: ctx.Err()}}}}, providers.Target{Provider: second})
	if _, err := p.Chat(ctx, nil, nil, "m", nil); !errors.Is(err, context.Canceled) || len(second.models) != 0 {
		t.Errorf("%v, second asked %d times", err, len(second.models))
	}
}

// TestFailoverStreams puts Failover over Retry: one Restart for each answer that is void.
func TestFailoverStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := &script{
			steps: []step{{emits: []string{"x"}, err: fail(providers.KindCut)}, {emits: []string{"y"}, err: fail(providers.KindQuota)}},
		}
		second := &script{steps: []step{{err: fail(providers.KindOverloaded)}, {emits: []string{"a"}, text: "a"}}}
		p := providers.Failover(
			providers.Target{Provider: providers.Retry(first, providers.RetryPolicy{})},
			providers.Target{Provider: providers.Retry(second, providers.RetryPolicy{})})
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

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/providers"
)

// longTalk has a conversation that outgrows the history several times, in a bubble of synctest;
// summary answers the requests for a summary. It gives the last request for an answer, and the requests
// for summaries as texts.
func longTalk(
	t *testing.T, summary func(ctx context.Context, n int) (*providers.LLMResponse, error),
) (answered []providers.Message, summarised []string) {
	t.Helper()
	const turns = 60
	filler := strings.Repeat("words and ", 20)
	requests := make(chan []providers.Message, 10*turns)
	sources := make(chan string, turns)
	asked := make(chan struct{}, turns)
	w := newWorld(t, script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if m := last(msgs); strings.HasPrefix(m.Content, "Summarise this") {
			asked <- struct{}{}
			sources <- strings.Join(users(msgs), "\n")
			return summary(ctx, len(asked))
		}
		requests <- msgs
		return say("heard " + filler)
	}), nil, withOptions(func(o *agent.Options) { o.Limits.ContextTokens = 2400 }))
	for i := range turns {
		w.write("1", "1", fmt.Sprintf("question %d. %s", i+1, filler))
		if got := w.expect().Text; !strings.HasPrefix(got, "heard") {
			t.Fatalf("turn %d: %q", i+1, got)
		}
		synctest.Wait()
	}
	w.settled()
	close(requests)
	close(sources)
	for r := range requests {
		answered = r
	}
	for s := range sources {
		summarised = append(summarised, s)
	}
	return answered, summarised
}

// TestTheOldestPartIsSummarisedOnce when it falls out of the history: later requests have
// the summary, and a later summary is made of the earlier one too.
func TestTheOldestPartIsSummarisedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answered, summarised := longTalk(t, func(_ context.Context, n int) (*providers.LLMResponse, error) {
			return say(fmt.Sprintf("SUMMARY %d", n))
		})
		n := len(summarised)
		if n < 4 {
			t.Fatalf("%d summaries", n)
		}
		said, newest := strings.Join(users(answered), "\n"), fmt.Sprintf("SUMMARY %d", n)
		if strings.Contains(said, "question 1.") || !strings.Contains(said, newest) {
			t.Errorf("the last request has the messages %.2000s", said)
		}
		all := strings.Join(summarised, "\n")
		for i := 1; i <= 30; i++ {
			if c := strings.Count(all, fmt.Sprintf("question %d.", i)); c != 1 {
				t.Errorf("question %d is in %d of %d summaries", i, c, n)
			}
		}
		if !strings.Contains(all, "SUMMARY 1") {
			t.Errorf("the first summary was forgotten: %.3000s", all)
		}
	})
}

// TestASummaryHoldsUpNoAnswer, also where it fails or hangs; the requests are cut all the same.
func TestASummaryHoldsUpNoAnswer(t *testing.T) {
	t.Parallel()
	for name, summary := range map[string]func(context.Context, int) (*providers.LLMResponse, error){
		"one that fails": func(context.Context, int) (*providers.LLMResponse, error) { return nil, errors.New("down") },
		"one that hangs": func(ctx context.Context, _ int) (*providers.LLMResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"one that panics": func(context.Context, int) (*providers.LLMResponse, error) { panic("a bug") },
		"an empty one":    func(context.Context, int) (*providers.LLMResponse, error) { return say(" ") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				answered, summarised := longTalk(t, summary)
				if time.Since(began) > time.Second || len(summarised) == 0 {
					t.Errorf("with %d summaries the answers took %s", len(summarised), time.Since(began))
				}
				if said := strings.Join(users(answered), "\n"); strings.Contains(said, "question 1.") || len(answered) > 60 {
					t.Errorf("the last request has %d messages: %.2000s", len(answered), said)
				}
			})
		})
	}
}

// TestCompactReadsAllOfAFullHistory: the oldest part, which the next turn would have
// summarised, is in the summary that replaces the conversation.
func TestCompactReadsAllOfAFullHistory(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("words and ", 20)
	source := make(chan string, 8)
	w := newWorld(t, script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case strings.HasPrefix(m.Content, "Summarise our"):
			source <- strings.Join(users(msgs), "\n")
			return say("the summary")
		case strings.HasPrefix(m.Content, "Summarise this"):
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return say("heard " + strings.Repeat(filler, 4))
	}), nil, withOptions(func(o *agent.Options) { o.Limits.ContextTokens = 2400 }))
	const turns = 10 // the last of them goes beyond the bound
	for i := range turns {
		w.write("1", "1", fmt.Sprintf("question %d. %s", i+1, filler))
		w.expect()
	}
	w.write("1", "1", "/compact")
	w.expect()
	said := <-source
	for i := range turns {
		if q := fmt.Sprintf("question %d.", i+1); !strings.Contains(said, q) {
			t.Errorf("%s is no part of the summary", q)
		}
	}
	w.settled()
}

// TestATurnWithoutWordsKeepsNoSummary of a part that is still in the history: the request after
// the cut has the only one.
func TestATurnWithoutWordsKeepsNoSummary(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("words and ", 80)
	var summaries, kept atomic.Int64
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		m := last(msgs)
		kept.Store(int64(strings.Count(strings.Join(users(msgs), "\n"), "THE SUMMARY")))
		switch {
		case strings.HasPrefix(m.Content, "Summarise this"):
			summaries.Add(1)
			return say("THE SUMMARY")
		case m.Content == "silence":
			return say("")
		}
		return say("heard " + filler)
	}), nil, withOptions(func(o *agent.Options) { o.Limits.ContextTokens = 2400 }))
	for range 12 {
		w.write("1", "1", "hello")
		w.expect()
		if summaries.Load() > 0 {
			break
		}
		w.write("1", "1", "silence")
		w.expect()
	}
	w.summarised("1", 1)
	w.write("1", "1", "hello")
	w.expect()
	if n, in := summaries.Load(), kept.Load(); n == 0 || in != 1 {
		t.Errorf("%d summaries were made, and %d are in the history", n, in)
	}
	w.settled()
}

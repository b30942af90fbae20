package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"parley/pkg/agent"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// sums is a model that repeats what it reads; of a request for a summary, sources get the words that
// it is made of, and the summary has the number of the request.
func sums(sources chan<- string) script {
	return func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if !strings.HasPrefix(last(msgs).Content, "Summarise") {
			return echo(ctx, msgs, defs)
		}
		var b strings.Builder
		for i := range msgs {
			b.WriteString(msgs[i].Content + "\n")
		}
		sources <- b.String()
		return say(fmt.Sprint("SUMMARY ", len(sources)))
	}
}

// TestUndoBesideASummary: what was taken out is in no summary made later, the exchanges behind a
// summary can be taken out, and those that it was made of cannot. All of that holds after a restart.
func TestUndoBesideASummary(t *testing.T) {
	t.Parallel()
	sources := make(chan string, 9)
	w := newWorld(t, sums(sources), nil)
	w.says("1", "one")
	w.says("1", "canary two")
	contains(t, w.says("1", "/undo"), "“canary two”")
	contains(t, w.says("1", "/compact"), "SUMMARY 1")
	w.restart()
	w.says("1", "canary three")
	contains(t, w.says("1", "/undo"), "“canary three”")
	said := w.says("1", "four")
	contains(t, said, "SUMMARY 1", "four")
	lacks(t, said, "canary", "one|")
	w.says("1", "canary five")
	contains(t, w.says("1", "/undo"), "“canary five”")
	contains(t, w.says("1", "/compact"), "SUMMARY 2")
	w.restart()
	for range 2 {
		contains(t, w.says("1", "/undo"), "There is no exchange to take out", "begins with a summary")
	}
	contains(t, w.says("1", "/retry"), "There is no question to ask again")
	said = w.says("1", "six")
	contains(t, said, "SUMMARY 2", "six")
	lacks(t, said, "canary", "four", "SUMMARY 1")
	shown := w.says("1", "/history")
	contains(t, shown, "You: one", "You: four", "You: six")
	lacks(t, shown, "You: canary")
	contains(t, w.says("1", "/undo"), "“six”")
	if said = w.says("1", "seven"); strings.Contains(said, "six") || !strings.Contains(said, "SUMMARY 2") {
		t.Errorf("the model read %q", said)
	}
	w.settled()
	close(sources)
	n := 0
	for source := range sources {
		n++
		lacks(t, source, "canary")
	}
	if n != 2 {
		t.Errorf("%d summaries were made", n)
	}
}

// TestUndoInALongConversation: exchanges are taken out while the oldest parts fall out of the history
// and are summarised. No request and no summary behind an /undo has their words.
func TestUndoInALongConversation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const turns = 60
		filler := strings.Repeat("words and ", 20)
		sources := make(chan string, 9*turns)
		requests := make(chan string, 9*turns)
		w := newWorld(t, script(func(
			ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
		) (*providers.LLMResponse, error) {
			if strings.HasPrefix(last(msgs).Content, "Summarise") {
				return sums(sources)(ctx, msgs, defs)
			}
			requests <- strings.Join(users(msgs), "\n")
			return say("heard " + filler)
		}), nil, withOptions(func(o *agent.Options) { o.Limits.ContextTokens = 2400 }))
		for i := range turns {
			w.says("1", fmt.Sprintf("question %d. %s", i+1, filler))
			if said := <-requests; strings.Contains(said, "canary") {
				t.Fatalf("request %d has %q", i+1, said)
			}
			if i%4 == 3 {
				w.says("1", fmt.Sprintf("canary %d. %s", i+1, filler))
				<-requests
				contains(t, w.says("1", "/undo"), fmt.Sprintf("“canary %d.", i+1))
			}
			synctest.Wait()
		}
		w.settled()
		close(sources)
		n := 0
		for source := range sources {
			n++
			lacks(t, source, "canary")
		}
		if n < 4 {
			t.Errorf("only %d summaries", n)
		}
	})
}

// TestUndoEndsASummary that is being made of a part of the exchange: nothing of it is stored, and the
// next one is made without.
func TestUndoEndsASummary(t *testing.T) {
	t.Parallel()
	const reports = 12
	filler := strings.Repeat("words and ", 40)
	begin := make(chan struct{})
	sources := make(chan string, 99)
	asked, release, after := make(chan struct{}, 99), make(chan struct{}), atomic.Bool{}
	var heard overheard
	work := until(begin, *tools.NewToolResult("canary " + filler))
	w := newWorld(t, heard.noted(func(
		ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case strings.HasPrefix(m.Content, "Summarise") && !after.Load():
			asked <- struct{}{}
			select {
			case <-release:
				return say("a summary of the canary")
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case strings.HasPrefix(m.Content, "Summarise"):
			return sums(sources)(ctx, msgs, defs)
		case strings.HasPrefix(m.Content, "canary"):
			var all []string
			for range reports {
				all = append(all, "work", "{}")
			}
			return calls(all...)
		default:
			return say("heard " + filler)
		}
	}), []tools.Tool{work}, withOptions(func(o *agent.Options) { o.Limits.ContextTokens = 2400 }))
	w.says("1", "before")
	w.says("1", "canary")
	close(begin)
	for range reports {
		w.expect()
	}
	<-asked
	heard.take()
	contains(t, w.says("1", "/undo"), "“canary”")
	after.Store(true)
	close(release)
	for i := range 20 {
		w.says("1", fmt.Sprintf("question %d. %s", i, filler))
	}
	w.summarised("1", 1)
	lacks(t, heard.take(), "canary")
	w.settled()
	for range len(sources) {
		lacks(t, <-sources, "canary")
	}
}

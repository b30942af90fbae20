package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent/summary"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// lateTalk is a conversation with a summary model that takes its time.
type lateTalk struct {
	*world

	// takes is how long a summary takes, in nanoseconds; asked counts the requests for one,
	// and ended those that were given up.
	takes        atomic.Int64
	asked, ended atomic.Int64
	fails        atomic.Bool
	turns        int
	// first are the first messages of the requests for answers.
	first []string
}

const (
	latePrice = 1000
	lateWords = 20
)

// newLateTalk is to be called in a bubble of synctest.
func newLateTalk(t *testing.T, takes time.Duration, opts ...option) *lateTalk {
	t.Helper()
	l := &lateTalk{}
	l.takes.Store(int64(takes))
	model := func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if strings.HasPrefix(last(msgs).Content, "Summarise our") {
			return say("all of it")
		}
		if !strings.HasPrefix(last(msgs).Content, "Summarise this") {
			l.mu.Lock()
			l.first = append(l.first, users(msgs)[0][:12])
			l.mu.Unlock()
			resp, err := say("heard " + strings.Repeat("words and ", lateWords))
			resp.Usage = providers.Usage{PromptTokens: 1}
			return resp, err
		}
		n := l.asked.Add(1)
		if l.fails.Load() {
			return nil, errors.New("down")
		}
		select {
		case <-time.After(time.Duration(l.takes.Load())):
		case <-ctx.Done():
			l.ended.Add(1)
			return nil, ctx.Err()
		}
		resp, err := say(fmt.Sprintf("SUMMARY %d", n))
		resp.Usage = providers.Usage{PromptTokens: latePrice}
		return resp, err
	}
	l.world = newWorld(t, script(model), nil, append([]option{withTokens(2400)}, opts...)...)
	return l
}

// turn is one question with its answer, and all that follows at once.
func (l *lateTalk) turn() {
	l.t.Helper()
	l.turns++
	l.write("1", "1", fmt.Sprintf("question %d. %s", l.turns, strings.Repeat("words and ", lateWords)))
	if got := l.expect().Text; !strings.HasPrefix(got, "heard") {
		l.t.Fatalf("turn %d: %q", l.turns, got)
	}
	synctest.Wait()
}

// untilAsked goes on until the model was asked for one more summary.
func (l *lateTalk) untilAsked() {
	l.t.Helper()
	for before := l.asked.Load(); l.asked.Load() == before; {
		if l.turn(); l.turns > 200 {
			l.t.Fatal("nobody asks for a summary")
		}
	}
}

// summaries are those in the chat's present conversation, and where its history begins.
func (l *lateTalk) summaries() (texts []string, from uint64) {
	l.t.Helper()
	info, err := l.eng.Sessions().Lookup(l.t.Context(), chatAddr("1"))
	if err != nil {
		l.t.Fatal(err)
	}
	err = l.eng.Sessions().All(l.t.Context(), info.Session, func(e session.Entry) error {
		if _, text, found := strings.Cut(e.Message.Content, "SUMMARY "); found && e.Summary {
			texts = append(texts, text)
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return texts, info.CompactedTo
}

// used is the use of the chat.
func (l *lateTalk) used() session.Usage {
	l.t.Helper()
	return l.spending("1", time.Now().UTC().Format(time.DateOnly))[session.ForPeople]
}

// TestASummaryMayTakeLongerThanItsTurn: it is asked and paid once, the turns meanwhile go
// on, and the history is cut when it comes.
func TestASummaryMayTakeLongerThanItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLateTalk(t, 90*time.Second)
		l.untilAsked()
		began := time.Now()
		for range 2 {
			l.turn()
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("two turns took %s", took)
		}
		<-time.After(80 * time.Second)
		l.turn()
		if texts, from := l.summaries(); len(texts) != 0 || from != 0 {
			t.Errorf("before its end the history has %q and begins at %d", texts, from)
		}
		<-time.After(20 * time.Second)
		l.turn()
		texts, from := l.summaries()
		if len(texts) != 1 || from == 0 || l.asked.Load() != 1 {
			t.Errorf("%d requests gave the summaries %q; the history begins at %d", l.asked.Load(), texts, from)
		}
		want := session.Usage{Turns: l.turns, Input: l.turns + latePrice}
		if got := l.used(); got.Turns != want.Turns || got.Input != want.Input {
			t.Errorf("the chat used %+v, want %+v", got, want)
		}
		l.settled()
	})
}

// TestASummaryThatComesTooLate is not stored: the conversation was left, replaced or forgotten
// while it was made. Its request ends, and the next conversation has its own.
func TestASummaryThatComesTooLate(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(l *lateTalk){
		"/new":     func(l *lateTalk) { l.write("1", "1", "/new"); l.expect() },
		"/compact": func(l *lateTalk) { l.write("1", "1", "/compact"); l.expect() },
		"forget": func(l *lateTalk) {
			info, err := l.eng.Sessions().Lookup(l.t.Context(), chatAddr("1"))
			if err == nil {
				err = l.eng.Sessions().Forget(l.t.Context(), info.Session)
			}
			if err != nil {
				l.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLateTalk(t, 90*time.Second)
				l.untilAsked()
				end(l)
				synctest.Wait()
				if ended := l.ended.Load() == 1; ended != (name != "forget") {
					t.Errorf("the request ended at once: %v", ended)
				}
				l.turn()
				<-time.After(10 * time.Minute)
				synctest.Wait()
				texts, from := l.summaries()
				if len(texts) != 0 || (from != 0) != (name == "/compact") {
					t.Errorf("the next conversation has the summaries %q and begins at %d", texts, from)
				}
				l.takes.Store(int64(time.Second))
				l.untilAsked()
				<-time.After(time.Minute)
				synctest.Wait()
				if texts, after := l.summaries(); len(texts) != 1 || after <= from {
					t.Errorf("the next conversation has the summaries %q and begins at %d then", texts, after)
				}
				l.settled()
			})
		})
	}
}

// TestARestartCostsOneSummaryAtMost: a stop waits for one a few seconds, and no longer than for
// a turn, and drops it then; the next turn asks again.
func TestARestartCostsOneSummaryAtMost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		takes, grace time.Duration
		asked        int64
		within       time.Duration
	}{
		"it waits": {8 * time.Second, time.Minute, 1, 9 * time.Second},
		"it drops": {30 * time.Second, time.Minute, 2, 11 * time.Second},
		"the turn": {8 * time.Second, time.Second, 2, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLateTalk(t, c.takes, withGrace(c.grace))
				l.untilAsked()
				began := time.Now()
				l.restart()
				if took := time.Since(began); took > c.within {
					t.Errorf("the restart took %s", took)
				}
				for range 3 {
					l.turn()
					<-time.After(40 * time.Second)
					synctest.Wait()
				}
				texts, from := l.summaries()
				if l.asked.Load() != c.asked || len(texts) != 1 || from == 0 {
					t.Errorf("%d requests gave the summaries %q; the history begins at %d", l.asked.Load(), texts, from)
				}
				if got := l.used(); got.Input != l.turns+latePrice || got.Turns != l.turns {
					t.Errorf("%d turns and a summary used %+v", l.turns, got)
				}
				l.settled()
			})
		})
	}
}

// TestASummaryEndsAtItsDeadline: it is asked for again by a later turn, and the requests begin
// alike meanwhile.
func TestASummaryEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLateTalk(t, time.Hour)
		l.untilAsked()
		<-time.After(summary.AskFor - time.Second)
		if l.turn(); l.asked.Load() != 1 || l.ended.Load() != 0 {
			t.Errorf("%d requests, %d ended before the deadline", l.asked.Load(), l.ended.Load())
		}
		<-time.After(2 * time.Second)
		if l.turn(); l.asked.Load() != 1 || l.ended.Load() != 1 {
			t.Errorf("%d requests, %d ended at the deadline", l.asked.Load(), l.ended.Load())
		}
		l.takes.Store(int64(time.Second))
		<-time.After(time.Minute)
		l.turn()
		<-time.After(2 * time.Second)
		synctest.Wait()
		if texts, from := l.summaries(); len(texts) != 1 || from == 0 || l.asked.Load() != 2 {
			t.Errorf("%d requests gave the summaries %q; the history begins at %d", l.asked.Load(), texts, from)
		}
		begins := l.begins()
		if first := begins[len(begins)-1]; first == begins[0] || begins[len(begins)-3] != first {
			t.Errorf("the requests began with %q", begins)
		}
		l.settled()
	})
}

// TestASummaryThatFailsRests: a model that makes no summaries is asked less and less often,
// and the first one that it makes is stored.
func TestASummaryThatFailsRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLateTalk(t, time.Second)
		l.fails.Store(true)
		l.untilAsked()
		began, last := time.Now(), time.Now()
		var rests []int // in minutes
		for time.Since(began) < 5*time.Hour {
			<-time.After(time.Minute)
			before := l.asked.Load()
			if l.turn(); l.asked.Load() > before {
				rests = append(rests, int(time.Since(last).Round(time.Minute)/time.Minute))
				last = time.Now()
			}
		}
		if want := []int{1, 2, 4, 8, 16, 32, 60, 60, 60}; !slices.Equal(rests, want) {
			t.Errorf("the conversation rested for %v minutes, want %v", rests, want)
		}
		l.fails.Store(false)
		<-time.After(time.Hour)
		l.turn()
		<-time.After(2 * time.Second)
		synctest.Wait()
		if texts, from := l.summaries(); len(texts) != 1 || from == 0 {
			t.Errorf("the history has the summaries %q and begins at %d", texts, from)
		}
		l.settled()
	})
}

// begins are the first messages of the requests for answers.
func (l *lateTalk) begins() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(all, l.first...)
}

// TestSummariesOfManyChatsTakeTurns: eight are made at once, and each chat gets its own.
func TestSummariesOfManyChatsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const chats, turns, places = 20, 8, 8
		var now, most, asked atomic.Int64
		w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if !strings.HasPrefix(last(msgs).Content, "Summarise this") {
				return say("heard " + strings.Repeat("words and ", lateWords))
			}
			asked.Add(1)
			most.Store(max(most.Load(), now.Add(1)))
			<-time.After(time.Minute)
			now.Add(-1)
			return say("SUMMARY")
		}), nil, withTokens(600))
		for range turns {
			for chat := range chats {
				w.write(fmt.Sprint(chat), "1", "go on "+strings.Repeat("words and ", lateWords))
				w.expect()
			}
		}
		synctest.Wait()
		if now.Load() != places {
			t.Errorf("%d summaries are made at once", now.Load())
		}
		<-time.After(4 * time.Minute)
		synctest.Wait()
		if most.Load() != places || asked.Load() != chats {
			t.Errorf("%d summaries were made for %d chats, %d at once", asked.Load(), chats, most.Load())
		}
		for chat := range chats {
			w.summarised(fmt.Sprint(chat), 1)
		}
		w.settled()
	})
}

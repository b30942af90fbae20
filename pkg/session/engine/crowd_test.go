package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// crowd is more chats than are at work at once.
const crowd = 4500

// opened opens a store until the test ends.
func opened(t *testing.T, dir string) *local.Engine {
	t.Helper()
	e, err := local.Open(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// results are background results for as many chats as there are in a crowd.
func results(from int) []session.Item {
	items := make([]session.Item, crowd)
	for i := range items {
		id := fmt.Sprint("task/", from+i)
		items[i] = session.Item{
			ID:      id,
			Kind:    session.ItemTask,
			Address: inCrowd(fmt.Sprint("crowd", i)),
			TaskID:  id,
			Solo:    true,
			Time:    time.Now(),
		}
	}
	return items
}

// TestResultsOfACrowdLeaveLanesToPeople lets more background results wait than chats
// may be at work, and hold their lanes: a newcomer's turn begins all the same, whether
// the results were there at the start or came later, and a turn of the crowd hears of
// it when somebody writes there.
func TestResultsOfACrowdLeaveLanesToPeople(t *testing.T) {
	t.Parallel()
	e := opened(t, t.TempDir())
	put(t, e, results(0)...)
	put(t, e, message("before", "before", "hello"))
	ctx, cancel := context.WithCancel(t.Context())
	people, awaited, ended := make(chan string, 10), make(chan string, 10), make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			info := turn.Info()
			if info.Items[0].Kind == session.ItemMessage {
				<-info.Awaited
				people <- info.Address.Chat
				return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
			}
			select {
			case <-info.Awaited:
				awaited <- info.Address.Chat
				return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	expect(t, people, "before")
	put(t, e, message("after", "after", "hello"))
	expect(t, people, "after")
	last := fmt.Sprint("crowd", crowd-1) // no lane has come to it yet
	put(t, e, message(last, "late", "hello"))
	expect(t, awaited, last)
	expect(t, people, last)
}

// TestUnaskedMessagesOfACrowdLeaveLanesToAnswers is the same for messages that leave.
func TestUnaskedMessagesOfACrowdLeaveLanesToAnswers(t *testing.T) {
	t.Parallel()
	e := opened(t, t.TempDir())
	put(t, e, message("home", "first", "hello"))
	queueAll(t, e, func(session.TurnInfo) []channels.Outbound {
		out := make([]channels.Outbound, crowd)
		for i := range out {
			id := fmt.Sprint("crowd", i)
			out[i] = channels.Outbound{ID: id, Address: inCrowd(id), Text: id, Unasked: channels.ByTask}
		}
		return append(out, channels.Outbound{ID: "before", Address: inCrowd("before"), Text: "before"})
	})
	ctx, cancel := context.WithCancel(t.Context())
	sent, ended := make(chan string, 10), make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.Outbox().RunOutbox(ctx, "test", "bot", func(ctx context.Context, d channels.Delivery) error {
			info := d.Info()
			select {
			case <-info.Awaited:
				sent <- info.Outbound.ID
				return d.Settle(ctx, channels.Outcome{State: channels.Delivered})
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	expect(t, sent, "before")
	last := fmt.Sprint("crowd", crowd-1)
	put(t, e, message("home", "later", "hello"))
	queueAll(t, e, func(session.TurnInfo) []channels.Outbound {
		return []channels.Outbound{{ID: "after", Address: inCrowd("after"), Text: "after"}, {ID: "reply", Address: inCrowd(last), Text: "reply"}}
	})
	got := map[string]bool{}
	for range 3 {
		got[<-sent] = true
	}
	for _, id := range []string{"after", last, "reply"} {
		if !got[id] {
			t.Errorf("%s did not leave; %v did", id, got)
		}
	}
}

// queueAll lets the next turn commit messages.
func queueAll(t *testing.T, e *local.Engine, f func(session.TurnInfo) []channels.Outbound) {
	t.Helper()
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		return true, turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Outbox: f(turn.Info())})
	})
}

func expect(t *testing.T, got <-chan string, want string) {
	t.Helper()
	select {
	case g := <-got:
		if g != want {
			t.Errorf("%s, want %s", g, want)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("nothing of %s", want)
	}
}

func inCrowd(chat string) channels.Address {
	return channels.Address{Channel: "test", Account: "bot", Chat: chat}
}

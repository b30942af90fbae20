package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// TestLongQueuesAreForgottenInPieces forgets a chat with long queues, in and out, for a
// caller that does not wait for the end. A later process hands out no item of it while
// another chat is served, also one at the same address; the housekeeping removes the
// rest.
func TestLongQueuesAreForgottenInPieces(t *testing.T) {
	t.Parallel()
	const many = 700
	for name, c := range map[string]struct{ in, out int }{"inbox": {in: many}, "outbox": {out: many}, "both": {many, many}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			e := open(t, dir)
			first := message("long", "first", "hello")
			put(t, e, first)
			queueAll(t, e, func(info session.TurnInfo) (out []channels.Outbound) {
				for n := range c.out {
					out = append(out, channels.Outbound{ID: fmt.Sprint("out", n), Address: info.Address, Text: "words"})
				}
				return out
			})
			var items []session.Item
			for n := range c.in {
				items = append(items, message("long", fmt.Sprint("in", n), "words"))
			}
			must(t, e.Inbox().Append(t.Context(), items, nil))
			info, err := e.Sessions().Lookup(t.Context(), first.Address)
			must(t, err)
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if err := e.Sessions().Forget(gone, info.Session); !errors.Is(err, context.Canceled) {
				t.Fatalf("Forget: %v", err)
			}
			must(t, e.Close())
			if report := checkStore(t, dir); report.Waiting+report.Sending == 0 {
				t.Error("one transaction removed all of it")
			}
			e = open(t, dir)
			t.Cleanup(func() { must(t, e.Close()) })
			serves(t, e, first.Address)
			engine.LookAfter(e.Engine)
			report, err := e.Check(t.Context())
			if err = errors.Join(err, report.Err()); err != nil || report.Waiting+report.Sending > 0 {
				t.Errorf("%d items and %d messages are left in the end, %v", report.Waiting, report.Sending, err)
			}
		})
	}
}

// serves lets another chat, and then one at an address, say something, and finds that
// their turns and answers are all that is handed out.
func serves(t *testing.T, e *local.Engine, at channels.Address) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	turns, sent, ended := make(chan string, 10), make(chan string, 10), make(chan struct{}, 2)
	go func() {
		_ = e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			id := turn.Info().Items[0].ID
			turns <- id
			return turn.Commit(ctx, session.Commit{
				Outcome: session.OutcomeAnswered,
				Outbox:  []channels.Outbound{{ID: "re " + id, Address: turn.Info().Address, Text: "yes"}},
			})
		})
		ended <- struct{}{}
	}()
	go func() {
		_ = e.Outbox().RunOutbox(ctx, at.Channel, at.Account, func(ctx context.Context, d channels.Delivery) error {
			err := d.Settle(ctx, channels.Outcome{State: channels.Delivered})
			sent <- d.Info().Outbound.ID // now, because the end of the test cancels ctx
			return err
		})
		ended <- struct{}{}
	}()
	for _, chat := range []string{"other", at.Chat} {
		put(t, e, message(chat, "new in "+chat, "hello"))
		expect(t, turns, "new in "+chat)
		expect(t, sent, "re new in "+chat)
	}
	cancel()
	<-ended
	<-ended
}

package piped_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/gateway/piped"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

func said(channel, id string, edit session.EditRule) session.Item {
	at := channels.Address{Channel: channel, Chat: "chat"}
	return session.Item{
		ID: channel + "//" + id, Kind: session.ItemMessage, Address: at, Edit: edit, Time: time.Now(),
		Inbound: &channels.Inbound{
			ID:        id,
			Kind:      channels.KindMessage,
			Address:   at,
			Sender:    channels.Sender{ID: "1"},
			Text:      "hello",
			MessageID: id,
		},
	}
}

// TestAPipedConsoleWaitsForItsOwn: it ignores the messages of other channels, some of
// which no turn ever sees, and their fate.
func TestAPipedConsoleWaitsForItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := local.Open(t.Context(), local.Options{Dir: dir, Log: zerolog.Nop(), SnapshotEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		books := piped.New(store)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()

		if err := books.Inbox().Append(ctx, []session.Item{said("telegram", "1", ""), said("telegram", "2", session.EditDrop)}, nil); err != nil {
			t.Fatal(err)
		}
		at := channels.Address{Channel: "telegram", Account: "7", Chat: "42"}
		if _, err := store.Pairs().AskPair(ctx, session.PairRequest{
			Code: "ABCDEFGH", Address: at, Sender: channels.Sender{ID: "42"}, Expires: time.Now().Add(time.Hour),
		},
			channels.Outbound{ID: "o", Address: at, Text: "no"}, session.PairBounds{Open: 1}); err != nil {
			t.Fatal(err)
		}
		sending, stop := context.WithCancel(ctx)
		err = books.Outbox().RunOutbox(sending, "telegram", "7", func(ctx context.Context, d channels.Delivery) error {
			defer stop()
			return d.Settle(ctx, channels.Outcome{State: channels.Refused, Reason: "gone"})
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if failed, err := books.Wait(ctx); failed || err != nil {
			t.Errorf("with nothing of its own: failed %v, %v", failed, err)
		}

		word := session.Item{
			ID: "decision/X", Kind: session.ItemDecision, Address: channels.Address{Channel: console.Name, Chat: "chat"},
			Decision: &session.Decision{Approval: "X"}, Solo: true, Time: time.Now(),
		}
		if err := books.Inbox().Append(ctx, []session.Item{word}, nil); err != nil {
			t.Fatal(err)
		}
		short, enough := context.WithTimeout(ctx, time.Minute)
		defer enough()
		if _, err := books.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with the operator's word on a question of its own: %v", err)
		}
		answered, stop := context.WithCancel(ctx)
		_ = books.Inbox().Run(answered, func(ctx context.Context, turn session.Turn) error {
			if turn.Info().Items[0].Kind == session.ItemDecision {
				defer stop()
			}
			return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
		})
		if failed, err := books.Wait(ctx); failed || err != nil {
			t.Errorf("after the decision: failed %v, %v", failed, err)
		}

		if err := books.Inbox().Append(ctx, []session.Item{said(console.Name, "1", "")}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := books.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a line that nobody answers: %v", err)
		}
	})
}

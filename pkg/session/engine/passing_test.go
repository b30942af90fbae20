package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// TestAChatOfOneRequestPasses: it is forgotten after 48 hours, its use counts in the chat of
// its person, and chats with other names stay.
func TestAChatOfOneRequestPasses(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := options(t, t.TempDir())
	o.Now = func() time.Time { return now }
	e, err := local.Open(t.Context(), o)
	must(t, err)
	t.Cleanup(func() { must(t, e.Close()) })
	at := func(chat string) channels.Address { return channels.Address{Channel: "web", Chat: chat} }
	passing := []channels.Address{at("web:ada.once-1"), at("web:ada.once-2")}
	lasting := []channels.Address{at("web:ada.main"), at("once-3"), at("web:a.once-4.main")}
	for _, a := range append(passing, lasting...) {
		it := message("id"+a.Chat, a.Chat, "hello")
		it.Address, it.Inbound.Address = a, a
		put(t, e, it)
	}
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		err := turn.Commit(ctx, session.Commit{
			Outcome: session.OutcomeAnswered, Messages: []providers.Message{{Role: "user", Content: "hello"}},
			Spent: &session.Spent{Day: "2026-03-01", Purpose: session.ForPeople, Person: "ada", Usage: session.Usage{Turns: 1, Input: 5}},
		})
		st, _ := e.Status(ctx)
		return st.Waiting == 0, err
	})
	purse, err := e.Sessions().Lookup(t.Context(), at("web:ada.once"))
	must(t, err)
	spent, err := e.Chats().Spending(t.Context(), purse.Chat, "2026-03-01")
	must(t, err)
	if got := spent[session.ForPeople]; got.Turns != 2 || got.Input != 10 {
		t.Errorf("the person's chats of one request count %+v", got)
	}
	for range 100 {
		now = now.Add(time.Hour)
		engine.LookAfter(e.Engine)
	}
	for _, a := range passing {
		if _, err := e.Sessions().Lookup(t.Context(), a); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%s: %v", a.Chat, err)
		}
	}
	for _, a := range append(lasting, at("web:ada.once")) {
		if _, err := e.Sessions().Lookup(t.Context(), a); err != nil {
			t.Errorf("%s: %v", a.Chat, err)
		}
	}
}

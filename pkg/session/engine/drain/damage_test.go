package drain_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
	"parley/pkg/session/kv/kvtest"
)

// quiet opens an engine that hands out neither turns nor messages yet. The function runs
// it, until the test ends.
func quiet(t *testing.T) (e *engine.Engine, store kv.Store, run func(...func(context.Context) error)) {
	t.Helper()
	store = kvtest.NewMemory()
	e, err := engine.Open(t.Context(), store, engine.Options{Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() {
		stop()
		running.Wait()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, store, func(loops ...func(context.Context) error) {
		for _, loop := range loops {
			running.Go(func() { _ = loop(ctx) }) // ended by the test
		}
	}
}

func at(channel string) channels.Address {
	return channels.Address{Channel: channel, Account: "a", Chat: "c"}
}

func write(t *testing.T, e *engine.Engine, to channels.Address, ids ...string) {
	t.Helper()
	items := make([]session.Item, len(ids))
	for i, id := range ids {
		items[i] = session.Item{
			ID: id, Kind: session.ItemMessage, Address: to, Time: time.Now(),
			Inbound: &channels.Inbound{Address: to, MessageID: id, Text: "x"},
		}
	}
	if err := e.Inbox().Append(t.Context(), items, nil); err != nil {
		t.Fatal(err)
	}
}

// answering hands out turns that are answered by one message each.
func answering(e *engine.Engine) func(context.Context) error {
	return func(ctx context.Context) error {
		return e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			info := turn.Info()
			return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Outbox: []channels.Outbound{
				{ID: "to-" + info.Items[0].ID, Address: info.Address, Text: "x"},
			}})
		})
	}
}

// sending hands out the messages of a channel.
func sending(e *engine.Engine, channel string) func(context.Context) error {
	return func(ctx context.Context) error {
		return e.Outbox().RunOutbox(ctx, channel, "a", func(ctx context.Context, d channels.Delivery) error {
			return d.Settle(ctx, channels.Outcome{State: channels.Delivered})
		})
	}
}

// damage spoils the first record of a bucket.
func damage(t *testing.T, s kv.Store, b table.Bucket) {
	t.Helper()
	if err := s.Update(func(k kv.Tx) error {
		key, v := k.Cursor(b).Seek(nil)
		if key == nil {
			return fmt.Errorf("the bucket %s is empty", b)
		}
		key, v = bytes.Clone(key), bytes.Clone(v)
		v[len(v)-1] ^= 1
		return k.Put(b, key, v)
	}); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedRecordsEndTheWait: a record that cannot be read is waited for until it is set
// aside, and is a failure of its channel.
func TestDamagedRecordsEndTheWait(t *testing.T) {
	t.Parallel()
	for name, spoilt := range map[string][]table.Bucket{
		"an item": {table.Inbox}, "an item and its chat": {table.Inbox, table.Chats}, "a chat": {table.Chats},
		"a message": {table.Outbox}, "a message and its chat": {table.Outbox, table.Chats},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, store, run := quiet(t)
			write(t, e, at("test"), "1")
			if spoilt[0] == table.Outbox {
				run(answering(e))
				for { // until the answer waits
					if st, err := e.Status(t.Context()); err != nil || st.Sending == 1 {
						break
					}
				}
			}
			for _, b := range spoilt {
				damage(t, store, b)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := e.Inbox().Drained(ended, channels.Address{Channel: "test"}); !errors.Is(err, context.Canceled) {
				t.Errorf("before it is met: %v", err)
			}
			if spoilt[0] != table.Outbox {
				run(answering(e))
			}
			run(sending(e, "test"))
			failed, err := e.Inbox().Drained(t.Context(), channels.Address{Channel: "test"})
			if want := spoilt[0] != table.Chats; err != nil || failed != want {
				t.Errorf("drained with failures: %t, want %t, %v", failed, want, err)
			}
		})
	}
}

// TestDamageElsewhere: a damaged chat of another channel, on which no message leaves, holds
// up none.
func TestDamageElsewhere(t *testing.T) {
	t.Parallel()
	e, store, run := quiet(t)
	write(t, e, at("other"), "1")
	run(answering(e))
	for {
		if st, err := e.Status(t.Context()); err != nil || st.Sending == 1 {
			break
		}
	}
	damage(t, store, table.Chats)
	if failed, err := e.Inbox().Drained(t.Context(), channels.Address{Channel: "test"}); err != nil || failed {
		t.Errorf("drained with failures: %t, %v", failed, err)
	}
}

// TestAForgottenQueueHoldsUpNothing while its last pieces are removed.
func TestAForgottenQueueHoldsUpNothing(t *testing.T) {
	t.Parallel()
	e, _, _ := quiet(t)
	ids := make([]string, 1500)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	write(t, e, at("test"), ids...)
	info, err := e.Sessions().Lookup(t.Context(), at("test"))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Sessions().Forget(t.Context(), info.Session); err != nil {
		t.Fatal(err)
	}
	if failed, err := e.Inbox().Drained(t.Context(), channels.Address{Channel: "test"}); err != nil || failed {
		t.Errorf("drained with failures: %t, %v", failed, err)
	}
}

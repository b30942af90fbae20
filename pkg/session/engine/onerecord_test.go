package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/kv"
	"parley/pkg/session/local"
)

// closing opens a store for f and closes it in order.
func closing(t *testing.T, dir string, f func(e *local.Engine)) {
	t.Helper()
	e, err := local.Open(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	f(e)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// spoil damages one record of a closed store.
func spoil(t *testing.T, dir, bucket string, n int) {
	t.Helper()
	withStore(t, dir, func(s kv.Store) error { return engine.DamageRecord(s, bucket, n) })
}

func put(t *testing.T, e *local.Engine, items ...session.Item) {
	t.Helper()
	if err := e.Inbox().Append(t.Context(), items, nil); err != nil {
		t.Fatal(err)
	}
}

// run hands turns to h, in all chats one after the other, until h says that it is enough.
func run(t *testing.T, e *local.Engine, h func(ctx context.Context, turn session.Turn) (enough bool, err error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	one := make(chan struct{}, 1)
	err := e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		one <- struct{}{}
		defer func() { <-one }()
		enough, err := h(ctx, turn)
		if enough {
			cancel()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func idsOf(items []session.Item) (ids []string) {
	for i := range items {
		ids = append(ids, items[i].ID)
	}
	return ids
}

func oneCorrupt(t *testing.T, e *local.Engine) {
	t.Helper()
	engine.Settle(e.Engine)
	if st, err := e.Status(t.Context()); err != nil || st.Corrupt != 1 {
		t.Errorf("%d damaged records are counted, want 1, %v", st.Corrupt, err)
	}
}

// failedOf lists the items of a chat that ended without an answer.
func failedOf(t *testing.T, e *local.Engine, chat string) []session.FailedItem {
	t.Helper()
	info, err := e.Sessions().Lookup(t.Context(), message(chat, "", "").Address)
	if err != nil {
		t.Fatal(err)
	}
	return info.Failed
}

// TestDamagedStep: a turn of which a step is damaged is lost for good, also
// after the step was set aside; its chat and the others go on.
func TestDamagedStep(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]int{"first": 0, "middle": 1, "last": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			closing(t, dir, func(e *local.Engine) {
				put(t, e, message("a", "1", ""))
				run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
					for range 3 {
						if err := turn.Record(ctx, session.Step{Kind: session.StepBegun, Await: true}); err != nil {
							t.Error(err)
						}
					}
					return true, errors.New("interrupted")
				})
				put(t, e, message("b", "2", ""))
			})
			spoil(t, dir, "steps", step)
			for range 2 { // the step is set aside in the first round
				closing(t, dir, func(e *local.Engine) {
					run(t, e, func(_ context.Context, turn session.Turn) (bool, error) {
						info := turn.Info()
						lost := info.Address.Chat == "a"
						if lost != (info.Lost >= 3) {
							t.Errorf("chat %s: lost %d", info.Address.Chat, info.Lost)
						}
						return lost, errors.New("not yet")
					})
					oneCorrupt(t, e)
				})
			}
			e := open(t, dir)
			answered := map[string]int{}
			run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
				info := turn.Info()
				c := session.Commit{Outcome: session.OutcomeAnswered}
				if info.Lost >= 3 {
					c.Outcome = session.OutcomeQuarantined
					if err := e.Inbox().Append(ctx, []session.Item{message("a", "3", "")}, nil); err != nil {
						t.Error(err)
					}
				}
				answered[info.Items[0].ID]++
				return len(answered) == 3, turn.Commit(ctx, c)
			})
			if d := cmp.Diff(map[string]int{"1": 1, "2": 1, "3": 1}, answered); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if failed := failedOf(t, e, "a"); len(failed) != 1 || failed[0].ID != "1" {
				t.Errorf("failed are %+v", failed)
			}
			oneCorrupt(t, e)
		})
	}
}

// TestDamagedItem: an item that is damaged is listed as failed by its first reader, and
// the items beside it are answered.
func TestDamagedItem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		damaged int
		want    []string
	}{
		"the head":      {0, []string{"solo", "last", "other"}},
		"behind a turn": {2, []string{"head", "solo", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			closing(t, dir, func(e *local.Engine) {
				solo := message("a", "solo", "")
				solo.Solo = true
				put(t, e, message("a", "head", ""), solo, message("a", "last", ""), message("b", "other", ""))
			})
			spoil(t, dir, "inbox", tt.damaged)
			e := open(t, dir)
			got := map[string]bool{}
			run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
				if _, err := turn.Waiting(ctx); err != nil {
					t.Error(err)
				}
				for _, id := range idsOf(turn.Info().Items) {
					got[id] = true
				}
				err := turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
				return len(got) == len(tt.want), err
			})
			for _, id := range tt.want {
				if !got[id] {
					t.Errorf("%s was not handed out", id)
				}
			}
			if failed := failedOf(t, e, "a"); len(failed) != 1 || failed[0].Outcome != session.OutcomeFailed {
				t.Errorf("failed are %+v", failed)
			}
			oneCorrupt(t, e)
		})
	}
}

// TestDamagedChat: a chat with a damaged record answers its items, under a new session,
// and the other chats go on.
func TestDamagedChat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closing(t, dir, func(e *local.Engine) {
		put(t, e, message("a", "1", ""), message("b", "2", ""))
	})
	spoil(t, dir, "chats", 0)
	e := open(t, dir)
	put(t, e, message("a", "3", ""))
	got := map[string][]string{}
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		info := turn.Info()
		got[info.Address.Chat] = idsOf(info.Items)
		return len(got) == 2, turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
	})
	if d := cmp.Diff(map[string][]string{"a": {"1", "3"}, "b": {"2"}}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	oneCorrupt(t, e)
}

// TestDamagedDelivery: an outgoing message that is damaged is passed over, and
// those behind it leave.
func TestDamagedDelivery(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closing(t, dir, func(e *local.Engine) {
		queue(t, e, "a", "o1", "o2")
		queue(t, e, "b", "o3")
	})
	spoil(t, dir, "outbox", 0)
	e := open(t, dir)
	got := map[string]bool{}
	send(t, e, func(ctx context.Context, d channels.Delivery) (bool, error) {
		got[d.Info().Outbound.ID] = true
		return len(got) == 2, d.Settle(ctx, channels.Outcome{State: channels.Delivered})
	})
	if d := cmp.Diff(map[string]bool{"o2": true, "o3": true}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	oneCorrupt(t, e)
}

// queue makes a chat's turn put messages in the outbox.
func queue(t *testing.T, e *local.Engine, chat string, ids ...string) {
	t.Helper()
	put(t, e, message(chat, "for "+ids[0], ""))
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		c := session.Commit{Outcome: session.OutcomeAnswered}
		for _, id := range ids {
			c.Outbox = append(c.Outbox, channels.Outbound{ID: id, Address: turn.Info().Address, Text: id})
		}
		return true, turn.Commit(ctx, c)
	})
}

// send hands deliveries to h, one after the other, until h says that it is enough.
func send(t *testing.T, e *local.Engine, h func(ctx context.Context, d channels.Delivery) (enough bool, err error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	one := make(chan struct{}, 1)
	err := e.Outbox().RunOutbox(ctx, "test", "bot", func(ctx context.Context, d channels.Delivery) error {
		one <- struct{}{}
		defer func() { <-one }()
		enough, err := h(ctx, d)
		if enough {
			cancel()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

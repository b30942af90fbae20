package channels_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
)

// TestEgressWithTheEngine sends through the real store: messages of many chats in
// parts, a store that is closed while a part is of unknown fate, and the rest
// after it was opened again.
func TestEgressWithTheEngine(t *testing.T) {
	t.Parallel()
	const chats, each = 5, 4
	dir := t.TempDir()
	plat := &platform{box: newOutbox(), limits: channels.Limits{MaxLen: 10}}
	e := open(t, dir)
	for m := range each {
		for c := range chats {
			chat := fmt.Sprintf("chat%d", c)
			queue(t, e, fmt.Sprintf("%s/%d", chat, m), channels.Outbound{
				ID: fmt.Sprintf("%s/%d/out", chat, m), Address: address(chat), Text: fmt.Sprintf("message %d\nsecond of %d", m, m),
			})
		}
	}
	var cut atomic.Bool
	hanging := make(chan struct{})
	plat.answer = func(ctx context.Context, part channels.Part) error {
		if part.Address.Chat == "chat0" && part.ID == "chat0/1/out" && part.Index == 1 && cut.CompareAndSwap(false, true) {
			close(hanging)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	stop := egress(t, e, plat)
	<-hanging
	settled(t, e, each-1) // what chat0 still has
	stop()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	e = open(t, dir)
	stop = egress(t, e, plat)
	settled(t, e, 0)
	stop()
	for c := range chats {
		chat := fmt.Sprintf("chat%d", c)
		var want []string
		for m := range each {
			want = append(want, fmt.Sprintf("message %d", m))
			for n, part := range channels.SplitText(fmt.Sprintf("second of %d", m), 10, nil) {
				want = append(want, part)
				if chat == "chat0" && m == 1 && n == 0 {
					want = append(want, part) // the one of unknown fate, once more
				}
			}
		}
		if diff := cmp.Diff(want, plat.texts(chat)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", chat, diff)
		}
	}
	st, err := e.Status(t.Context())
	if err != nil || st.Ambiguous == 0 || st.Unsettled != 0 || st.Refused != 0 {
		t.Errorf("status %+v, %v", st, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func open(t *testing.T, dir string) *bolt.Engine {
	t.Helper()
	e, err := bolt.Open(t.Context(), bolt.Options{Dir: dir, Log: zerolog.Nop(), SnapshotEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// queue commits a turn whose answer is o.
func queue(t *testing.T, e *bolt.Engine, id string, o channels.Outbound) {
	t.Helper()
	in := channels.Inbound{ID: id, Kind: channels.KindMessage, Address: o.Address, Text: "hi", Time: time.Now()}
	item := session.Item{ID: id, Kind: session.ItemMessage, Address: o.Address, Inbound: &in, Time: in.Time}
	if err := e.Append(t.Context(), []session.Item{item}, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := e.Run(ctx, func(ctx context.Context, turn session.Turn) error {
		defer cancel()
		return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Outbox: []channels.Outbound{o}})
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// egress runs one over e until stop.
func egress(t *testing.T, e *bolt.Engine, plat *platform) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	out := channels.NewEgress(channels.EgressOptions{Outbox: e, Channel: plat, Log: zerolog.Nop(), Grace: time.Millisecond})
	go func() { ended <- out.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

// settled waits until no more than left messages are queued.
func settled(t *testing.T, e *bolt.Engine, left int) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		st, err := e.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if st.Sending <= left {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d messages are still queued", st.Sending)
		}
	}
}

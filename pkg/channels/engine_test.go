package channels_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/session/local"
)

// TestEgressWithTheEngine sends through the real store: messages of many chats in
// parts, a store that is closed while a part is of unknown fate, and the rest
// after it was opened again.
func TestEgressWithTheEngine(t *testing.T) {
	t.Parallel()
	const chats, each = 5, 4
	dir := t.TempDir()
	plat := &platform{box: newOutbox(), limits: channels.Limits{MaxLen: 10}}
	e := outboxtest.Open(t, dir)
	for m := range each {
		for c := range chats {
			chat := fmt.Sprintf("chat%d", c)
			outboxtest.Queue(t, e, channels.Outbound{
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
	outboxtest.Await(t, e, each-1) // the rest of chat0
	stop()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	e = outboxtest.Open(t, dir)
	stop = egress(t, e, plat)
	outboxtest.Await(t, e, 0)
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

// egress sends the queue of e to plat, until stop.
func egress(t *testing.T, e *local.Engine, plat *platform) (stop func()) {
	t.Helper()
	return outboxtest.Send(t, channels.EgressOptions{Outbox: e.Outbox(), Channel: plat, Log: zerolog.Nop(), Grace: time.Millisecond})
}

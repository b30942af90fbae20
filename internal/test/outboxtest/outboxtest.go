package outboxtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// patience bounds every wait; a test that passes ends long before.
const patience = time.Minute

// Open opens the store in dir until the test ends. It may be closed before.
func Open(tb testing.TB, dir string) *local.Engine {
	tb.Helper()
	return OpenAt(tb, dir, time.Now)
}

// OpenAt does the same with another clock.
func OpenAt(tb testing.TB, dir string, now func() time.Time) *local.Engine {
	tb.Helper()
	e, err := local.Open(tb.Context(), local.Options{Dir: dir, Log: zerolog.Nop(), SnapshotEvery: -1, Now: now})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// Queue commits a turn with the answer o.
func Queue(tb testing.TB, e *local.Engine, o channels.Outbound) {
	tb.Helper()
	in := channels.Inbound{ID: o.ID, Kind: channels.KindMessage, Address: o.Address, Text: "hi", Time: time.Now()}
	item := session.Item{ID: o.ID, Kind: session.ItemMessage, Address: o.Address, Inbound: &in, Time: in.Time}
	if err := e.Inbox().Append(tb.Context(), []session.Item{item}, nil); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	err := e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		defer cancel()
		return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Outbox: []channels.Outbound{o}})
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		tb.Fatal(err)
	}
}

// Send runs an egress until stop, which waits for its end.
func Send(tb testing.TB, opt channels.EgressOptions) (stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- channels.NewEgress(opt).Run(ctx) }()
	return func() {
		tb.Helper()
		cancel()
		if err := <-ended; err != nil {
			tb.Errorf("Run: %v", err)
		}
	}
}

// Await waits until no more than left messages are queued.
func Await(tb testing.TB, e *local.Engine, left int) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		st, err := e.Status(tb.Context())
		if err != nil {
			tb.Fatal(err)
		}
		if st.Sending <= left {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			tb.Fatalf("%d messages are still queued", st.Sending)
		}
	}
}

// Whole is a message of one part, as Egress hands it over.
func Whole(at channels.Address, text string) channels.Part {
	return channels.Part{Outbound: channels.Outbound{ID: "turn/0", Address: at, Text: text}, Count: 1}
}

// Edits is p in place of the message id.
func Edits(p channels.Part, id string) channels.Part {
	p.Edits = id
	return p
}

// SendAll sends a text as Egress does and returns the receipts.
func SendAll(tb testing.TB, c interface {
	channels.Channel
	channels.Splitter
}, at channels.Address, text string,
) []channels.Receipt {
	tb.Helper()
	parts := c.Split(text)
	receipts := make([]channels.Receipt, len(parts))
	for i, p := range parts {
		part := Whole(at, p)
		part.Index, part.Count = i, len(parts)
		r, err := c.Send(tb.Context(), part)
		if err != nil {
			tb.Fatalf("part %d of %d: %v", i, len(parts), err)
		}
		receipts[i] = r
	}
	return receipts
}

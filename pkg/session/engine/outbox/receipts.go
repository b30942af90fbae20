package outbox

import (
	"context"
	"fmt"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// Receipt waits until a message is delivered.
func (o *Outbox) Receipt(ctx context.Context, outboundID string) (channels.Receipt, error) {
	settled, leave := o.receipts.watch(outboundID) // before the look: nothing is missed in between
	defer leave()
	receipt, known, err := o.receiptOf(outboundID)
	if known || err != nil {
		return receipt, err
	}
	select {
	case <-settled:
	case <-ctx.Done():
		return channels.Receipt{}, context.Cause(ctx)
	case <-o.done:
		return channels.Receipt{}, writer.ErrClosed
	}
	receipt, _, err = o.receiptOf(outboundID)
	return receipt, err
}

// receiptOf looks once; it is not known yet while the message is queued.
func (o *Outbox) receiptOf(outboundID string) (r channels.Receipt, known bool, err error) {
	err = o.w.View(func(t *table.Tx) error {
		rec, err := table.Get[table.SentRecord](t, table.Sent, table.IDKey(outboundID))
		if err != nil {
			return fmt.Errorf("receipt of %s: %w", outboundID, err)
		}
		switch {
		case rec.State == "":
			return nil
		case rec.State != channels.Delivered || len(rec.Receipts) == 0:
			return fmt.Errorf("receipt of %s, which is %s: %w: %w", outboundID, rec.State, session.ErrEnded, session.ErrNotFound)
		}
		r, known = rec.Receipts[0], true
		return nil
	})
	return r, known, err
}

// finishedBy is the message that a delivery takes over, "" when its chat has none. A
// message that was put for another address than the chat has by now finishes no other:
// a chat that moved has other messages under the same ids.
func finishedBy(t *table.Tx, rec *table.OutRecord, chat uint64, to channels.Address) string {
	if rec.Outbound.Finishes == "" || rec.Outbound.Address != to {
		return ""
	}
	of, err := table.Get[table.SentRecord](t, table.Sent, table.IDKey(rec.Outbound.Finishes))
	if err != nil || of.Chat != chat || of.State != channels.Delivered || len(of.Receipts) == 0 {
		return ""
	}
	return of.Receipts[0].MessageID
}

// receipts are the messages that callers wait for; the zero value is ready.
type receipts struct {
	mu sync.Mutex
	by map[string]*watched
}

// watched is a message with its waiting callers.
type watched struct {
	watchers int
	settled  chan struct{} // closed when it is settled
}

// watch says when a message is settled from now on, until leave.
func (a *receipts) watch(id string) (settled <-chan struct{}, leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.by[id]
	if w == nil {
		w = &watched{settled: make(chan struct{})}
		if a.by == nil {
			a.by = map[string]*watched{}
		}
		a.by[id] = w
	}
	w.watchers++
	return w.settled, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if w.watchers--; w.watchers == 0 && a.by[id] == w {
			delete(a.by, id)
		}
	}
}

// settled wakes the callers that wait for a message.
func (a *receipts) settled(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.by[id]; w != nil {
		close(w.settled)
		delete(a.by, id)
	}
}

package engine

import (
	"bytes"
	"fmt"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/table"
)

// A message that finds its chat idle is handed out while the transaction that stores it
// is on its way to the disk, so that its turn thinks meanwhile. The writes and messages
// of such a turn last or leave only after its message is durable: all of them go
// through the same committer, behind the message. When the message could not be stored,
// every write of the turn fails.

// arrival is an item that a transaction put, and the turn that it starts early.
type arrival struct {
	e         *Engine
	chat, seq uint64
	item      *session.Item
	turn      *turn // nil when it does not start one
}

// errNotStored is the error of work that began early for a message that could not be
// stored.
var errNotStored = fmt.Errorf("the message could not be stored: %w", session.ErrFenced)

// Start begins the item's turn, unless the item has to wait for its transaction.
func (a *arrival) Start(x *table.Tx) {
	e := a.e
	if e.w.State.Held() != "" || !e.w.State.Healthy() {
		return
	}
	e.lanes.mu.Lock()
	s := e.lanes.inbox
	e.lanes.mu.Unlock()
	if s == nil || !s.Idle(a.chat) {
		return
	}
	if t := e.earlyTurn(x, a); t != nil && e.lanes.add(t) {
		a.turn = t
		s.Signal(a.chat, lane.ForPerson, a.item.Time)
	}
}

// Publish has no work left: the turn reads only the item, which is durable by now.
func (a *arrival) Publish() {}

// Rollback makes every write of the turn fail.
func (a *arrival) Rollback() {
	if a.turn != nil {
		a.turn.Fail(errNotStored)
	}
}

// earlyTurn is the turn that an item starts, or nil for a turn that needs more than the
// item and the facts of its chat.
func (e *Engine) earlyTurn(x *table.Tx, a *arrival) *turn {
	if a.item.Kind != session.ItemMessage || slices.Contains(x.Fresh, a.chat) || x.Has(table.Suspects, table.NumKey(a.chat)) {
		return nil
	}
	prefix := table.NumKey(a.chat)
	c := x.Cursor(table.Inbox)
	if k, _ := c.Seek(prefix); table.Num(k, 1) != a.seq {
		return nil
	}
	if k, _ := c.Next(); bytes.HasPrefix(k, prefix) {
		return nil
	}
	chat, err := table.ReadChat(x, a.chat)
	if err != nil {
		return nil
	}
	t := e.newTurn(a.chat)
	t.early, t.head, t.taken = true, a.seq, []uint64{a.seq}
	t.claims.add(t.taken)
	t.limit.takes(a.item)
	t.info.Items = []session.Item{*a.item}
	t.describe(x, chat)
	return t
}

// A message that leaves at once is handed out in the same way, while it is being
// stored: it is cut and laid out meanwhile. [delivery.Plan] returns once it is durable.

// verdict is the outcome of a transaction.
type verdict struct {
	reached chan struct{}
	err     error // set before reached is closed
}

// sendEarly hands out a message that this transaction marks as being sent.
func (e *Engine) sendEarly(x *table.Tx, key []byte, o *channels.Outbound) {
	d := &delivery{e: e, key: key, rec: table.OutRecord{Outbound: *o, Mark: x.Epoch}, stored: &verdict{reached: make(chan struct{})}}
	d.describe(x, table.Num(key, 0))
	x.Speculative = append(x.Speculative, d)
}

// Start offers the delivery to its lane.
func (d *delivery) Start(*table.Tx) {
	e := d.e
	s := e.outRunner(d.info.Outbound.Address)
	if s == nil || !e.w.State.Healthy() {
		return
	}
	chat := table.Num(d.key, 0)
	e.lanes.mu.Lock()
	e.lanes.sends[chat] = d
	e.lanes.mu.Unlock()
	d.offered = true
	s.Signal(chat, urgencyOut(&d.rec.Outbound), d.rec.Outbound.Asked)
}

// takeEarly is the chat's delivery that begins early, or nil.
func (e *Engine) takeEarly(own account, chat uint64) *delivery {
	e.lanes.mu.Lock()
	defer e.lanes.mu.Unlock()
	d := e.lanes.sends[chat]
	if d == nil || accountOf(d.info.Outbound.Address) != own {
		return nil
	}
	delete(e.lanes.sends, chat)
	return d
}

// Publish lets the delivery leave. One that no lane took is read from the store, like
// every waiting message.
func (d *delivery) Publish() {
	taken := d.offered && d.e.withdraw(d)
	close(d.stored.reached)
	if !taken {
		d.e.signalOutbox(d.info.Outbound.Address, table.Num(d.key, 0), urgencyOut(&d.rec.Outbound), d.rec.Outbound.Asked)
	}
}

// withdraw takes back a delivery that was offered; true when somebody has taken it.
func (e *Engine) withdraw(d *delivery) (taken bool) {
	e.lanes.mu.Lock()
	defer e.lanes.mu.Unlock()
	chat := table.Num(d.key, 0)
	if e.lanes.sends[chat] != d {
		return true
	}
	delete(e.lanes.sends, chat)
	return false
}

// Rollback keeps the delivery from being planned or ended.
func (d *delivery) Rollback() {
	d.e.withdraw(d)
	d.over.Store(true)
	d.stored.err = errNotStored
	close(d.stored.reached)
}

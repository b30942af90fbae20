package engine

import (
	"bytes"
	"fmt"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
)

// A message that finds its chat idle is handed out while the transaction that
// stores it is on its way to the disk, so that its turn thinks meanwhile. Nothing
// that such a turn does lasts or leaves before its message is durable: all of it
// goes through the same committer, behind the message. When the message could not
// be stored, every write of the turn fails.

// arrival is an item that a transaction put.
type arrival struct {
	chat, seq uint64
	item      *session.Item
}

// errNotStored is what becomes of what began early and could not be stored.
var errNotStored = fmt.Errorf("the message could not be stored: %w", session.ErrFenced)

// handOutEarly begins the turns of what a write has put that need not wait for
// the transaction.
func (e *Engine) handOutEarly(x *tx) {
	arrived := x.arrived
	x.arrived = nil
	if len(arrived) == 0 || e.held() != "" || !e.wellWritten() {
		return
	}
	e.lanes.mu.Lock()
	s := e.lanes.inbox
	e.lanes.mu.Unlock()
	if s == nil {
		return
	}
	for _, a := range arrived {
		if !s.Idle(a.chat) {
			continue
		}
		if t := e.earlyTurn(x, a); t != nil && e.lanes.add(t) {
			x.early = append(x.early, t)
			s.Signal(a.chat, lane.ForPerson, a.item.Time)
		}
	}
}

// wellWritten says that this process has written and that its last transaction
// did not fail: else a turn would ask the model for what may not be stored.
func (e *Engine) wellWritten() bool {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	return e.begun && e.writeErr == nil
}

// earlyTurn is the turn that an item starts, nil when there is more to it than
// the item and what is known of its chat.
func (e *Engine) earlyTurn(x *tx, a arrival) *turn {
	if a.item.Kind != session.ItemMessage || slices.Contains(x.fresh, a.chat) || x.has(bkSuspects, numKey(a.chat)) {
		return nil
	}
	prefix := numKey(a.chat)
	c := x.k.Cursor(bkInbox)
	if k, _ := c.Seek(prefix); num(k, 1) != a.seq {
		return nil
	}
	if k, _ := c.Next(); bytes.HasPrefix(k, prefix) {
		return nil
	}
	chat, err := x.chat(a.chat)
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

// verdict is what becomes of a transaction.
type verdict struct {
	reached chan struct{}
	err     error // set before reached is closed
}

// sendsEarly notes a message that this transaction marks as being sent.
func (e *Engine) sendsEarly(x *tx, key []byte, o *channels.Outbound) {
	d := &delivery{e: e, key: key, rec: outRec{Outbound: *o, Mark: x.epoch}, stored: &verdict{reached: make(chan struct{})}}
	d.describe(x, num(key, 0))
	x.sends = append(x.sends, d)
}

// sendEarly hands out what a write has marked as being sent.
func (e *Engine) sendEarly(x *tx) {
	if !e.wellWritten() {
		return
	}
	for _, d := range x.sends {
		s := e.outRunner(d.info.Outbound.Address)
		if s == nil || d.offered {
			continue
		}
		chat := num(d.key, 0)
		e.lanes.mu.Lock()
		e.lanes.sends[chat] = d
		e.lanes.mu.Unlock()
		d.offered = true
		s.Signal(chat, urgencyOut(&d.rec.Outbound), d.rec.Outbound.Asked)
	}
}

// takeEarly is the chat's delivery that begins early, nil for none.
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

// letGo lets what was handed out early leave. What nobody took is read from
// the store, like everything that waits.
func (e *Engine) letGo(x *tx) {
	for _, d := range x.sends {
		taken := d.offered && e.withdraw(d)
		close(d.stored.reached)
		if !taken {
			e.signalOutbox(d.info.Outbound.Address, num(d.key, 0), urgencyOut(&d.rec.Outbound), d.rec.Outbound.Asked)
		}
	}
}

// withdraw takes back a delivery that was offered; true when somebody has taken it.
func (e *Engine) withdraw(d *delivery) (taken bool) {
	e.lanes.mu.Lock()
	defer e.lanes.mu.Unlock()
	chat := num(d.key, 0)
	if e.lanes.sends[chat] != d {
		return true
	}
	delete(e.lanes.sends, chat)
	return false
}

// abandon lets nothing come true of what began early in a transaction that failed.
func (e *Engine) abandon(x *tx) {
	if x == nil {
		return
	}
	for _, t := range x.early {
		t.fail(errNotStored)
	}
	for _, d := range x.sends {
		e.withdraw(d)
		d.over.Store(true)
		d.stored.err = errNotStored
		close(d.stored.reached)
	}
}

package bolt

import (
	"bytes"
	"fmt"
	"slices"

	"parley/pkg/session"
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

// errNotStored is what a turn gets whose message could not be stored.
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
		if !s.idle(a.chat) {
			continue
		}
		if t := e.earlyTurn(x, a); t != nil && e.lanes.add(t) {
			x.early = append(x.early, t)
			s.signal(a.chat)
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
	c := x.in(bkInbox).Cursor()
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
	t.describe(chat)
	return t
}

// abandon lets nothing of the turns come true that began early in a transaction
// that failed.
func (x *tx) abandon() {
	for _, t := range x.early {
		t.fail(errNotStored)
	}
}

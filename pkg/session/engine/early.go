package engine

import (
	"bytes"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/lane"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// A message that finds its chat idle is handed out while the transaction that stores it
// is on its way to the disk, so that its turn thinks meanwhile. The writes and messages
// of such a turn last or leave only after its message is durable: all of them go
// through the same committer, behind the message. When the message could not be stored,
// every write of the turn fails.

// arrival is an item that a transaction put, and the turn that it starts early.
type arrival struct {
	ib        *inbox
	chat, seq uint64
	item      *session.Item
	turn      *turn // nil when it does not start one
}

// Start begins the item's turn, unless the item has to wait for its transaction.
func (a *arrival) Start(x *table.Tx) {
	ib := a.ib
	if ib.w.State.Held() != "" || !ib.w.State.Healthy() {
		return
	}
	ib.lanes.mu.Lock()
	s := ib.lanes.inbox
	ib.lanes.mu.Unlock()
	if s == nil || !s.Idle(a.chat) {
		return
	}
	t := ib.earlyTurn(x, a)
	if t == nil {
		return
	}
	if !ib.lanes.add(t) {
		t.loan.End()
		return
	}
	a.turn = t
	s.Signal(a.chat, lane.ForPerson, a.item.Time)
}

// Publish has no work left: the turn reads only the item, which is durable by now.
func (a *arrival) Publish() {}

// Rollback makes every write of the turn fail.
func (a *arrival) Rollback() {
	if a.turn != nil {
		a.turn.Fail(writer.ErrNotStored)
		a.turn.loan.Refuse()
	}
}

// earlyTurn is the turn that an item starts, or nil for a turn that needs more than the
// item and the facts of its chat.
func (ib *inbox) earlyTurn(x *table.Tx, a *arrival) *turn {
	fresh, agent := slices.Contains(x.Fresh, a.chat), a.item.Address.Channel == session.AgentChannel
	if a.item.Kind != session.ItemMessage || fresh && agent || x.Has(table.Suspects, table.NumKey(a.chat)) {
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
	t := ib.newTurn(a.chat)
	t.early, t.head, t.taken = true, a.seq, []uint64{a.seq}
	t.claims.add(t.taken)
	t.limit.takes(a.item)
	t.info.Items = []session.Item{*a.item}
	t.describe(x, chat)
	if fresh {
		t.loan = ib.w.Lend(x, prefix, []byte(t.info.Session))
	}
	return t
}

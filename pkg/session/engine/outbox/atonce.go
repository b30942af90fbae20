package outbox

import (
	"sync"

	"parley/pkg/channels"
	"parley/pkg/session/engine/table"
)

// A text of a channel that people read in the store is delivered by the transaction that puts it: it is
// never in the queue, and costs no transaction of its own.

// atOnce are the accounts with such texts. The zero value has none.
type atOnce struct {
	mu    sync.Mutex
	ready map[account]func(*channels.Outbound) (show func(), ok bool)
	// doubts are the messages of commits that failed, by id: they may be stored, and were not shown.
	doubts map[string]func()
}

// AtOnce implements [session.Outbox].
func (o *Outbox) AtOnce(channel, acct string, ready func(*channels.Outbound) (show func(), ok bool)) (over func()) {
	own := account{channel: channel, account: acct}
	o.atOnce.mu.Lock()
	defer o.atOnce.mu.Unlock()
	if o.atOnce.ready == nil {
		o.atOnce.ready = map[account]func(*channels.Outbound) (func(), bool){}
	}
	o.atOnce.ready[own] = ready
	return func() {
		o.atOnce.mu.Lock()
		defer o.atOnce.mu.Unlock()
		delete(o.atOnce.ready, own)
	}
}

// shows are the ways to show messages, nil for those that are to be handed out.
func (a *atOnce) shows(msgs []channels.Outbound) []func() {
	shows := make([]func(), len(msgs))
	for i := range msgs {
		a.mu.Lock()
		ready := a.ready[accountOf(msgs[i].Address)]
		a.mu.Unlock()
		if ready == nil {
			continue
		}
		if show, ok := ready(&msgs[i]); ok {
			shows[i] = show
		}
	}
	return shows
}

// showsNow says whether a message may be delivered by this transaction: its chat is where the message
// is addressed to, and nothing waits there or holds it.
func (o *Outbox) showsNow(x *table.Tx, chat uint64, to channels.Address) bool {
	if x.Meta.Held != "" || o.runner(to) == nil || o.held.holding(chat) || table.IsSuspended(x, chat) || table.IsGone(x, chat) {
		return false
	}
	if at, err := table.AddressOf(x, chat); err != nil || at != to {
		return false
	}
	k, _ := x.First(table.Outbox, table.NumKey(chat))
	return k == nil
}

// doubted notes a message whose commit has failed; told is called if it is stored all the same.
func (a *atOnce) doubted(id string, told func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.doubts == nil {
		a.doubts = map[string]func(){}
	}
	a.doubts[id] = told
}

// certain forgets that a message was in doubt.
func (a *atOnce) certain(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.doubts, id)
}

// lookAtDoubts shows the messages in doubt that are stored. The others are put again, or given up, by their turns.
func lookAtDoubts(o *Outbox) {
	o.atOnce.mu.Lock()
	doubts := o.atOnce.doubts
	o.atOnce.doubts = nil
	o.atOnce.mu.Unlock()
	for id, told := range doubts {
		if _, known, err := o.receiptOf(id); known && err == nil {
			told()
		}
	}
}

// deliver stores a message as delivered, which is shown once that is durable.
func deliver(o *Outbox, x *table.Tx, chat, seq uint64, msg *channels.Outbound, show func()) error {
	told := func() {
		o.atOnce.certain(msg.ID)
		o.receipts.settled(msg.ID)
		show()
	}
	sent := &table.SentRecord{
		Chat: chat, Seq: seq, State: channels.Delivered, Receipts: []channels.Receipt{{MessageID: msg.ID, Time: x.Now}}, Time: x.Now,
	}
	if err := x.Put(table.Sent, table.IDKey(msg.ID), sent); err != nil {
		return err
	}
	x.OnCommit = append(x.OnCommit, told)
	x.OnDoubt = append(x.OnDoubt, func() { o.atOnce.doubted(msg.ID, told) })
	return keep(x, chat, seq, msg, x.Now)
}

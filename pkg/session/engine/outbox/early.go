package outbox

import (
	"parley/pkg/channels"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// A message that leaves at once is handed out in the same way, while it is being
// stored: it is cut and laid out meanwhile. [delivery.Plan] returns once it is durable.

// verdict is the outcome of a transaction.
type verdict struct {
	reached chan struct{}
	err     error // set before reached is closed
}

// sendEarly hands out a message that this transaction marks as being sent.
func (o *Outbox) sendEarly(x *table.Tx, key []byte, msg *channels.Outbound) {
	d := &delivery{o: o, key: key, rec: table.OutRecord{Outbound: *msg, Mark: x.Epoch}, stored: &verdict{reached: make(chan struct{})}}
	d.describe(x, table.Num(key, 0))
	x.Speculative = append(x.Speculative, d)
}

// Start offers the delivery to its lane.
func (d *delivery) Start(*table.Tx) {
	o := d.o
	s := o.runner(d.info.Outbound.Address)
	if s == nil || !o.w.State.Healthy() {
		return
	}
	chat := table.Num(d.key, 0)
	o.mu.Lock()
	o.sends[chat] = d
	o.mu.Unlock()
	d.offered = true
	s.Signal(chat, urgencyOut(&d.rec.Outbound), d.rec.Outbound.Asked)
}

// takeEarly is the chat's delivery that begins early, or nil.
func (o *Outbox) takeEarly(own account, chat uint64) *delivery {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := o.sends[chat]
	if d == nil || accountOf(d.info.Outbound.Address) != own {
		return nil
	}
	delete(o.sends, chat)
	return d
}

// Publish lets the delivery leave. One that no lane took is read from the store, like
// every waiting message.
func (d *delivery) Publish() {
	taken := d.offered && d.o.withdraw(d)
	close(d.stored.reached)
	if !taken {
		d.o.Signal(d.info.Outbound.Address, table.Num(d.key, 0), urgencyOut(&d.rec.Outbound), d.rec.Outbound.Asked)
	}
}

// withdraw takes back a delivery that was offered; true when somebody has taken it.
func (o *Outbox) withdraw(d *delivery) (taken bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	chat := table.Num(d.key, 0)
	if o.sends[chat] != d {
		return true
	}
	delete(o.sends, chat)
	return false
}

// Rollback keeps the delivery from being planned or ended.
func (d *delivery) Rollback() {
	d.o.withdraw(d)
	d.over.Store(true)
	d.stored.err = writer.ErrNotStored
	close(d.stored.reached)
}

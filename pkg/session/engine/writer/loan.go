package writer

import (
	"bytes"
	"context"
	"sync"

	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// Loan lets a turn that began before its chat was durable read the records of the chat,
// which are not in the store yet. All methods of a nil one may be called.
type Loan struct {
	of    *loans
	names []string
	// stored ends when the chat could not be stored.
	stored context.Context //nolint:containedctx // it spans the turn, which has another one
	refuse context.CancelCauseFunc
}

// loans are the records that are lent.
type loans struct {
	mu      sync.RWMutex
	records map[string][]byte
}

// Lend lends the records of a chat, and of its session, to its turn. End ends that.
func (w *Writer) Lend(x *table.Tx, chat, session []byte) *Loan {
	l := &Loan{of: &w.loans}
	l.stored, l.refuse = context.WithCancelCause(context.Background()) //nolint:forbidigo // the transaction ends it, beyond any request
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	if l.of.records == nil {
		l.of.records = map[string][]byte{}
	}
	l.put(x, table.Chats, chat)
	l.put(x, table.Sessions, session)
	return l
}

// put lends one record; the lock is held.
func (l *Loan) put(x *table.Tx, b table.Bucket, key []byte) {
	name := string(b) + string(key)
	l.of.records[name] = bytes.Clone(x.Value(b, key))
	l.names = append(l.names, name)
}

// Bind is ctx, and ends as well when the chat could not be stored.
func (l *Loan) Bind(ctx context.Context) (bound context.Context, release func()) {
	if l == nil {
		return ctx, func() {}
	}
	bound, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.stored, func() { cancel(ErrNotStored) })
	return bound, func() {
		stop()
		cancel(nil)
	}
}

// Refuse says that the chat could not be stored: its turn ends, and reads nothing of it.
func (l *Loan) Refuse() {
	if l != nil {
		l.End()
		l.refuse(ErrNotStored)
	}
}

// End ends the loan.
func (l *Loan) End() {
	if l == nil {
		return
	}
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	for _, name := range l.names {
		delete(l.of.records, name)
	}
}

// over is k with the records that are lent: those that k does not have.
func (o *loans) over(k kv.Reader) kv.Reader {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if len(o.records) == 0 {
		return k
	}
	return lent{k, o}
}

// lent is a reader that finds lent records too.
type lent struct {
	kv.Reader

	loans *loans
}

// Get implements [kv.Reader].
func (r lent) Get(b kv.Bucket, key []byte) []byte {
	rec := r.Reader.Get(b, key)
	if rec != nil || b != table.Chats && b != table.Sessions {
		return rec
	}
	r.loans.mu.RLock()
	defer r.loans.mu.RUnlock()
	return r.loans.records[string(b)+string(key)]
}

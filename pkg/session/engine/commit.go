package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// maxFailed is how many failed items a chat lists.
const maxFailed = 20

// Record appends a step to the turn's ledger.
func (t *turn) Record(ctx context.Context, s session.Step) error {
	if err := t.usable(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.record(ctx, &stepRec{Step: s})
}

// record queues a step; the lock is held, so that steps keep their order.
func (t *turn) record(ctx context.Context, rec *stepRec) error {
	if t.steps == 0 {
		rec.Start = append([]uint64(nil), t.taken[:len(t.info.Items)]...)
	}
	payload, err := encode(rec)
	if err != nil {
		return err
	}
	out, err := encodeOutbox(rec.Step.Outbox)
	if err != nil {
		return err
	}
	key := binary.BigEndian.AppendUint32(numKey(t.chat, t.head), 0)
	key = binary.BigEndian.AppendUint32(key, t.steps)
	w := &write{turn: t, size: len(payload) + total(out), done: func(error) {}, run: func(x *tx) error {
		if err := t.fence(x); err != nil {
			return err
		}
		if err := x.putRaw(bkSteps, key, payload); err != nil {
			return err
		}
		for i := range rec.Step.Tasks {
			if err := x.addTask(&rec.Step.Tasks[i]); err != nil {
				return err
			}
		}
		if err := x.putApprovals(rec.Step.Approvals, rec.Step.Grants); err != nil {
			return err
		}
		return t.e.putOutbox(x, t.chat, rec.Step.Outbox, out)
	}}
	t.steps++
	if rec.Step.Await {
		return t.e.await(ctx, w)
	}
	if err := t.e.submit(ctx, w); err != nil {
		t.fail(err)
		return err
	}
	return nil
}

// fence checks, before anything is written, that the turn is still this
// attempt's and that its items are still there.
func (t *turn) fence(x *tx) error {
	gone := t.over.Load() || t.committed.Load() || !x.has(bkInbox, numKey(t.chat, t.head)) || x.isGone(t.chat)
	if gone {
		return fmt.Errorf("turn %s: %w", t.info.ID, session.ErrFenced)
	}
	return nil
}

// Commit ends the turn.
func (t *turn) Commit(ctx context.Context, c session.Commit) error {
	if err := t.usable(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &commitWrite{turn: t, c: &c}
	var err error
	if p.out, err = encodeOutbox(c.Outbox); err != nil {
		return err
	}
	return t.e.await(ctx, &write{turn: t, final: true, size: p.size(), run: p.run})
}

// commitWrite is a commit under way.
type commitWrite struct {
	turn *turn
	c    *session.Commit
	out  [][]byte
}

// size is about how many bytes it stores.
func (p *commitWrite) size() int {
	size := total(p.out)
	for i := range p.c.Messages {
		size += len(p.c.Messages[i].Content)
	}
	return size
}

// total is how many bytes encoded records have together.
func total(encoded [][]byte) (n int) {
	for _, b := range encoded {
		n += len(b)
	}
	return n
}

func (p *commitWrite) run(x *tx) error {
	t, c := p.turn, p.c
	if err := t.fence(x); err != nil {
		return err
	}
	chat, err := x.chat(t.chat)
	if err != nil {
		return err
	}
	ended := &turnRec{Session: chat.Session, Outcome: c.Outcome, Reason: c.Reason, Seqs: t.taken, Messages: t.messages(), Time: x.now}
	if err := p.consume(x, chat); err != nil {
		return err
	}
	key := numKey(t.chat, t.head)
	if err := x.put(bkTurns, key, ended); err != nil {
		return err
	}
	x.added++
	if err := p.history(x, chat); err != nil {
		return err
	}
	if err := x.ran(c.Ran); err != nil {
		return err
	}
	if err := x.spend(t.chat, c.Spent); err != nil {
		return err
	}
	if err := x.putApprovals(c.Approvals, nil); err != nil {
		return err
	}
	if err := t.e.putOutbox(x, t.chat, c.Outbox, p.out); err != nil {
		return err
	}
	if c.NewSession {
		if err := x.leaveSession(t.chat, chat); err != nil {
			return err
		}
	}
	next, _ := x.first(bkInbox, numKey(t.chat))
	x.after = append(x.after, func() {
		t.more = next != nil
		t.committed.Store(true)
	})
	return x.put(bkChats, numKey(t.chat), chat)
}

// consume takes the turn's items out of the inbox, and its ledger with them.
func (p *commitWrite) consume(x *tx, chat *chatRec) error {
	t, c := p.turn, p.c
	for _, seq := range t.taken {
		key := numKey(t.chat, seq)
		if c.Outcome != session.OutcomeAnswered {
			item, err := get[session.Item](x, bkInbox, key)
			if err != nil {
				item = &session.Item{ID: fmt.Sprintf("%s-%d", chatID(t.chat), seq)}
			}
			chat.addFailed(session.FailedItem{ID: item.ID, Outcome: c.Outcome, Reason: c.Reason, Time: x.now})
		}
		if err := x.del(bkInbox, key); err != nil {
			return err
		}
	}
	if c.Outcome == session.OutcomeQuarantined {
		x.meta.Quarantined += uint64(len(t.taken))
	}
	if t.steps > 0 {
		if err := x.delAll(bkSteps, numKey(t.chat, t.head)); err != nil {
			return err
		}
	}
	if t.suspect != nil {
		return x.del(bkSuspects, numKey(t.chat))
	}
	return nil
}

// addFailed lists an item that ended otherwise than answered.
func (c *chatRec) addFailed(f session.FailedItem) {
	c.Failed = append(c.Failed, f)
	if over := len(c.Failed) - maxFailed; over > 0 {
		c.Failed = append([]session.FailedItem(nil), c.Failed[over:]...)
	}
}

// history appends the commit's messages and moves the compaction point, which
// only moves forward.
func (p *commitWrite) history(x *tx, chat *chatRec) error {
	for i := range p.c.Messages {
		chat.Entries++
		entry := session.Entry{Seq: chat.Entries, Turn: p.turn.info.ID, Time: x.now, Message: p.c.Messages[i]}
		payload, err := encodeEntry(&entry)
		if err != nil {
			return err
		}
		if err := x.putRaw(bkHistory, numKey(chat.Session, chat.Entries), payload); err != nil {
			return err
		}
	}
	chat.Active = x.now
	if to := p.c.CompactTo; to > chat.CompactedTo {
		chat.CompactedTo = min(to, chat.Entries+1)
	}
	return nil
}

// leaveSession keeps what is known of the present session and begins a new one.
func (t *tx) leaveSession(n uint64, c *chatRec) error {
	past := t.info(n, c)
	past.Current = false
	if err := t.put(bkSessions, []byte(past.Session), &sessionRec{Chat: n, Past: &past}); err != nil {
		return err
	}
	return t.newSession(n, c)
}

// encodeOutbox encodes messages outside of the committer.
func encodeOutbox(msgs []channels.Outbound) ([][]byte, error) {
	out := make([][]byte, len(msgs))
	for i := range msgs {
		if err := storable(msgs[i].ID, msgs[i].Address); err != nil {
			return nil, fmt.Errorf("outgoing message: %w", err)
		}
		var err error
		if out[i], err = encode(&msgs[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// putOutbox queues messages, each id once, most of them for the chat home.
func (e *Engine) putOutbox(x *tx, home uint64, msgs []channels.Outbound, encoded [][]byte) error {
	for i := range msgs {
		if err := e.putOne(x, home, &msgs[i], encoded[i]); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) putOne(x *tx, home uint64, o *channels.Outbound, encoded []byte) error {
	id := idKey(o.ID)
	if x.has(bkSent, id) {
		return nil
	}
	chat, err := x.chatFor(o.Address, home)
	if err != nil {
		return err
	}
	seq, err := x.next()
	if err != nil {
		return err
	}
	var mark uint64
	if e.sendsNow(x, chat, o) {
		mark = x.epoch
		x.marked[chat] = true
		// Noted before the commit: from then on a lane may take it. When the
		// transaction fails the note says nothing, for no such delivery is marked.
		e.noteIdle(seq)
	}
	key := numKey(chat, seq)
	if err := x.putRaw(bkOutbox, key, outPayload(encoded, mark)); err != nil {
		return err
	}
	if err := x.put(bkSent, id, &sentRec{Chat: chat, Seq: seq, Time: x.now}); err != nil {
		return err
	}
	if chat != home {
		if err := x.touch(chat); err != nil {
			return err
		}
	}
	x.added++
	if mark != 0 {
		e.sendsEarly(x, key, o)
		return nil
	}
	x.after = append(x.after, func() { e.signalOutbox(o.Address, chat, urgencyOut(o), o.Asked) })
	return nil
}

// outPayload is an outRec around an encoded message.
func outPayload(outbound []byte, mark uint64) []byte {
	var b bytes.Buffer
	b.WriteString(`{"outbound":`)
	b.Write(outbound)
	if mark != 0 {
		fmt.Fprintf(&b, `,"mark":%d`, mark)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// chatFor is the chat at a message's address. The chat at home is known by its
// own record even when the index entry of its address is damaged.
func (t *tx) chatFor(a channels.Address, home uint64) (uint64, error) {
	n, err := t.chatAt(a)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, session.ErrCorrupt) && home != 0 {
		if c, err := t.chat(home); err == nil && slices.Contains(c.Aliases, a) {
			return home, nil
		}
	}
	return t.ensureChat(a)
}

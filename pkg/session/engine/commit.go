package engine

import (
	"context"
	"encoding/binary"
	"fmt"

	"parley/pkg/session"
	"parley/pkg/session/engine/outbox"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// Record appends a step to the turn's ledger.
func (t *turn) Record(ctx context.Context, s session.Step) error {
	if err := t.usable(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.record(ctx, &table.StepRecord{Step: s})
}

// record queues a step; the lock is held, so that steps keep their order.
func (t *turn) record(ctx context.Context, rec *table.StepRecord) error {
	if t.steps == 0 {
		rec.Start = append([]uint64(nil), t.taken[:len(t.info.Items)]...)
	}
	payload, err := table.Encode(rec)
	if err != nil {
		return err
	}
	out, err := t.ib.out.Prepare(rec.Step.Outbox)
	if err != nil {
		return err
	}
	key := binary.BigEndian.AppendUint32(table.NumKey(t.chat, t.head), 0)
	key = binary.BigEndian.AppendUint32(key, t.steps)
	w := &writer.Write{Owner: t, Size: len(payload) + out.Size(), Done: func(error) {}, Run: func(x *table.Tx) error {
		if err := t.fence(x); err != nil {
			return err
		}
		if err := x.PutRaw(table.Steps, key, payload); err != nil {
			return err
		}
		for i := range rec.Step.Tasks {
			if err := rules.AddTask(x, &rec.Step.Tasks[i]); err != nil {
				return err
			}
		}
		t.ib.drains.Began(x, rec.Step.Tasks)
		if err := rules.PutApprovals(x, rec.Step.Approvals, rec.Step.Grants); err != nil {
			return err
		}
		return t.ib.out.Put(x, t.chat, out)
	}}
	t.steps++
	if rec.Step.Await {
		return t.ib.w.Await(ctx, w)
	}
	if err := t.ib.w.Submit(ctx, w); err != nil {
		t.Fail(err)
		return err
	}
	return nil
}

// fence checks, before anything is written, that the turn is still this
// attempt's and that its items are still there.
func (t *turn) fence(x *table.Tx) error {
	gone := t.over.Load() || t.committed.Load() || !x.Has(table.Inbox, table.NumKey(t.chat, t.head)) || table.IsGone(x, t.chat)
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
	if p.out, err = t.ib.out.Prepare(c.Outbox); err != nil {
		return err
	}
	return t.ib.w.Await(ctx, &writer.Write{Owner: t, Final: true, Size: p.size(), Run: p.run})
}

// commitWrite is a commit under way.
type commitWrite struct {
	turn *turn
	c    *session.Commit
	out  outbox.Prepared
}

// size is about how many bytes it stores.
func (p *commitWrite) size() int {
	size := p.out.Size()
	if s := p.c.Summary; s != nil {
		size += len(s.Message.Content)
	}
	for i := range p.c.Messages {
		size += len(p.c.Messages[i].Content)
	}
	return size
}

func (p *commitWrite) run(x *table.Tx) error {
	t, c := p.turn, p.c
	if err := t.fence(x); err != nil {
		return err
	}
	chat, err := table.ReadChat(x, t.chat)
	if err != nil {
		return err
	}
	ended := &table.TurnRecord{Session: chat.Session, Outcome: c.Outcome, Reason: c.Reason, Seqs: t.taken, Messages: t.messages(), Time: x.Now}
	if err := p.consume(x, chat); err != nil {
		return err
	}
	key := table.NumKey(t.chat, t.head)
	if err := x.Put(table.Turns, key, ended); err != nil {
		return err
	}
	x.Added++
	if err := p.history(x, chat); err != nil {
		return err
	}
	if err := rules.NoteRun(x, c.Ran); err != nil {
		return err
	}
	if err := p.spend(x, key); err != nil {
		return err
	}
	if err := p.program(x, key); err != nil {
		return err
	}
	if err := rules.SetModel(x, t.chat, c.Model); err != nil {
		return err
	}
	if err := rules.Decide(x, t.info.Chat, c); err != nil {
		return err
	}
	if err := rules.Move(x, t.chat, chat, c); err != nil {
		return err
	}
	if err := x.Put(table.Chats, table.NumKey(t.chat), chat); err != nil {
		return err
	}
	next, _ := x.First(table.Inbox, table.NumKey(t.chat))
	x.OnCommit = append(x.OnCommit, func() {
		t.more = next != nil
		t.committed.Store(true)
	})
	return t.ib.out.Put(x, t.chat, p.out)
}

// spend stores the turn's use of models, and counts it unless it is counted already.
func (p *commitWrite) spend(x *table.Tx, turn []byte) error {
	if p.c.Spent == nil {
		return nil
	}
	x.Added++
	if err := x.Put(table.Uses, turn, (*table.UseRecord)(p.c.Spent)); err != nil || p.c.Counted {
		return err
	}
	return rules.Spend(x, p.turn.chat, p.c.Spent)
}

// program stores which program asked for the turn.
func (p *commitWrite) program(x *table.Tx, turn []byte) error {
	if p.c.Program == nil {
		return nil
	}
	x.Added++
	kept := *p.c.Program
	kept.Ended = x.Now
	return x.Put(table.Programs, turn, &kept)
}

// consume takes the turn's items out of the inbox, and its ledger with them.
func (p *commitWrite) consume(x *table.Tx, chat *table.ChatRecord) error {
	t, c := p.turn, p.c
	for _, seq := range t.taken {
		key := table.NumKey(t.chat, seq)
		if c.Outcome != session.OutcomeAnswered {
			item, err := table.Get[session.Item](x, table.Inbox, key)
			if err != nil {
				item = &session.Item{ID: fmt.Sprintf("%s-%d", table.ChatID(t.chat), seq)}
			}
			chat.AddFailed(session.FailedItem{ID: item.ID, Outcome: c.Outcome, Reason: c.Reason, Time: x.Now})
			t.ib.drains.Unanswered(x, chat.Address.Channel, seq, item.Kind)
		}
		if err := x.Delete(table.Inbox, key); err != nil {
			return err
		}
	}
	if c.Outcome == session.OutcomeQuarantined {
		x.Meta.Quarantined += uint64(len(t.taken))
	}
	if t.steps > 0 {
		if err := x.DeleteAll(table.Steps, table.NumKey(t.chat, t.head)); err != nil {
			return err
		}
	}
	if t.suspect != nil {
		return x.Delete(table.Suspects, table.NumKey(t.chat))
	}
	return nil
}

// history appends the commit's messages and moves the compaction point, which
// only moves forward.
func (p *commitWrite) history(x *table.Tx, chat *table.ChatRecord) error {
	turn := p.turn.info.ID
	if s := p.c.Summary; s != nil {
		if err := rules.AppendEntry(x, chat, rules.SummaryEntry(turn, s)); err != nil {
			return err
		}
	}
	start := p.c.Start
	for i := range p.c.Messages {
		e := &session.Entry{Turn: turn, Message: p.c.Messages[i], Outside: p.c.Outside, Start: start}
		if err := rules.AppendEntry(x, chat, e); err != nil {
			return err
		}
		start = session.StartMessage // the first one has the mark
	}
	chat.Active = x.Now
	if to := p.c.CompactTo; to > chat.CompactedTo {
		chat.CompactedTo = min(to, chat.Entries+1)
	}
	return nil
}

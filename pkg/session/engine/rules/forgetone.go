package rules

import (
	"bytes"
	"errors"
	"strings"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// ForgetAlone deletes a session and its tasks, and no more: a chat whose present one it is begins a new one.
// A session that is gone is no error.
func ForgetAlone(t *table.Tx, id string) error {
	info, err := table.ReadSession(t, id)
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrCorrupt) { // its chat may be so
		return ForgetSession(t, id)
	}
	if err != nil {
		return err
	}
	n, err := table.ParseID("c", info.Chat)
	if err != nil {
		return err
	}
	if err := forgetOne(t, n, id); err != nil || !info.Current {
		return err
	}
	c, err := table.ReadChat(t, n)
	if err != nil {
		return err
	}
	return errors.Join(newSession(t, n, c), t.Put(table.Chats, table.NumKey(n), c))
}

// ForgetPast deletes a session as ForgetAlone does, from an older state of the store. There it may be the present
// one of its chat: then the messages that wait are its words too. They were read, or sent, since.
func ForgetPast(t *table.Tx, n uint64, id string) error {
	if c, err := table.ReadChat(t, n); err == nil && table.SessionID(c.Session) == id {
		if err := forgetWaiting(t, n, c.Session); err != nil {
			return err
		}
	}
	return ForgetAlone(t, id)
}

// forgetWaiting deletes the messages that wait in a chat, as a turn of a session would have taken them.
func forgetWaiting(t *table.Tx, n, of uint64) error {
	turn := &table.TurnRecord{Session: of, Outcome: session.OutcomeStopped, Reason: "its conversation was forgotten", Time: t.Now}
	for _, k := range t.Keys(table.Inbox, table.NumKey(n)) {
		turn.Seqs = append(turn.Seqs, table.Num(k, 1))
		if err := t.Delete(table.Inbox, k); err != nil {
			return err
		}
	}
	for _, k := range t.Keys(table.Outbox, table.NumKey(n)) {
		if err := dropMessage(t, k); err != nil {
			return err
		}
	}
	for _, b := range []table.Bucket{table.Steps, table.Inbox, table.Outbox, table.Suspects} { // of two of them none is left
		if err := errors.Join(t.DeleteAll(b, table.NumKey(n)), removeBad(t, b, table.NumKey(n))); err != nil {
			return err
		}
	}
	if len(turn.Seqs) == 0 {
		return nil
	}
	return t.Put(table.Turns, table.NumKey(n, turn.Seqs[0]), turn)
}

// forgetOne deletes a session of a chat with its tasks, its questions, its answers that wait to be sent, and what
// programs brought along for it.
func forgetOne(t *table.Tx, n uint64, id string) error {
	var tasks [][]byte
	of := map[string]bool{}
	for _, key := range TasksOf(t, n) {
		if task, err := table.Get[session.Task](t, table.Tasks, key); err == nil && task.Session == id {
			tasks, of[task.ID] = append(tasks, key), true
		}
	}
	for _, k := range questionsOf(t, func(a *session.Approval) bool { return a.Session == id || of[a.Task] }) {
		if err := t.Delete(table.Approvals, k); err != nil {
			return err
		}
	}
	if err := forgetTurns(t, n, id); err != nil {
		return err
	}
	return errors.Join(ForgetSession(t, id), DropTasks(t, tasks))
}

// forgetTurns deletes what is left of the turns of a session: answers, and what programs brought along.
func forgetTurns(t *table.Tx, n uint64, id string) error {
	num, err := table.SessionNum(id)
	if err != nil {
		return err
	}
	has := func(turn []byte) bool {
		rec, err := table.Get[table.TurnRecord](t, table.Turns, turn)
		return err == nil && rec.Session == num
	}
	for _, k := range t.Keys(table.Programs, table.NumKey(n)) {
		if has(k) {
			if err := t.Delete(table.Programs, k); err != nil {
				return err
			}
		}
	}
	for _, k := range t.Keys(table.Outbox, table.NumKey(n)) {
		rec, err := table.Get[table.OutRecord](t, table.Outbox, k)
		if err != nil {
			continue
		}
		id, _, _ := strings.Cut(rec.Outbound.ID, "/")
		if turn, ok := table.TurnKey(n, id); ok && has(turn) {
			if err := dropMessage(t, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropMessage deletes a message that waits to be sent, if it is there.
func dropMessage(t *table.Tx, k []byte) error {
	if rec, err := table.Get[table.OutRecord](t, table.Outbox, k); err == nil {
		gone := &table.SentRecord{Chat: table.Num(k, 0), Seq: table.Num(k, 1), State: table.Forgotten, Time: t.Now}
		if err := t.Put(table.Sent, table.IDKey(rec.Outbound.ID), gone); err != nil {
			return err
		}
	}
	return t.Delete(table.Outbox, k)
}

// questionsOf are the keys of some questions.
func questionsOf(t *table.Tx, of func(a *session.Approval) bool) (keys [][]byte) {
	t.Each(table.Approvals, nil, func(k, _ []byte) bool {
		if a, err := table.Get[session.Approval](t, table.Approvals, k); err == nil && of(a) {
			keys = append(keys, bytes.Clone(k))
		}
		return true
	})
	return keys
}

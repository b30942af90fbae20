package engine_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// TestWriteOldStore writes the store that TestOldStore reads, as this build stores it.
func TestWriteOldStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := local.Open(t.Context(), oldOptions(t, dir, oldNow()))
	if err != nil {
		t.Fatal(err)
	}
	w := storeWriter{t: t, e: e, ctx: t.Context()}
	w.conversations()
	w.undone()
	w.facts()
	w.background()
	w.approvals()
	w.pairs()
	w.waiting()
	w.interrupted()
	e.Crash()
	content, err := os.ReadFile(filepath.Join(dir, "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(content)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	path := *writeStore
	if path == "" {
		path = filepath.Join(t.TempDir(), "parley.db.gz")
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	checkStore(t, unpacked(t, path))
}

// facts tells a fact of the chat and one of its person.
func (w storeWriter) facts() {
	w.t.Helper()
	info, err := w.e.Sessions().Lookup(w.ctx, oldAddr("talk"))
	w.must(err)
	all := oldFacts(info.Chat)
	for i := range all {
		_, err := local.Facts(w.e).Remember(w.ctx, all[i], "")
		w.must(err)
	}
}

// oldFacts are those of a chat and its person, without what the engine adds.
func oldFacts(chat string) []session.Fact {
	f := session.Fact{Chat: chat, Text: "tea", By: ada(), Item: "m1", Call: "turn/1-0", Outside: true}
	of := f
	of.Person, of.Text, of.Call, of.Outside = "test:bot:ada", "vegetarian", "turn/1-1", false
	return []session.Fact{f, of}
}

type storeWriter struct {
	t   *testing.T
	e   *local.Engine
	ctx context.Context
}

func (w storeWriter) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w storeWriter) append(items ...session.Item) {
	w.t.Helper()
	w.must(w.e.Inbox().Append(w.ctx, items, nil))
}

// turn appends an item and lets h have the turn of its chat.
func (w storeWriter) turn(it session.Item, h func(session.Turn) error) session.TurnInfo {
	w.t.Helper()
	w.append(it)
	ctx, cancel := context.WithCancel(w.ctx)
	var info session.TurnInfo
	w.must(w.e.Inbox().Run(ctx, func(_ context.Context, turn session.Turn) error {
		defer cancel()
		info = turn.Info()
		return h(turn)
	}))
	return info
}

// answer commits the turn of an item with c.
func (w storeWriter) answer(it session.Item, c session.Commit) session.TurnInfo {
	w.t.Helper()
	c.Outcome = session.OutcomeAnswered
	return w.turn(it, func(turn session.Turn) error { return turn.Commit(w.ctx, c) })
}

// deliver hands the next message to h.
func (w storeWriter) deliver(h func(channels.Delivery) error) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.ctx)
	w.must(w.e.Outbox().RunOutbox(ctx, "test", "bot", func(_ context.Context, d channels.Delivery) error {
		defer cancel()
		return h(d)
	}))
}

// conversations writes one with all that belongs to it, one that /new began anew, and
// messages of which one has left in part.
func (w storeWriter) conversations() {
	w.t.Helper()
	hello := oldMessage("talk", "t1", "hello")
	w.must(w.e.Inbox().Append(w.ctx, nil, &channels.Cursor{Name: "test/bot/updates", To: "17"}))
	info := w.answer(hello, session.Commit{
		Messages: []providers.Message{{Role: "user", Content: "hello"}, {Role: "assistant", Content: "hi, Ada"}},
		Outbox:   []channels.Outbound{{ID: "talk/answer", Address: oldAddr("talk"), Text: "hi, Ada"}},
		Spent:    oldSpent(),
	})
	w.must(w.e.Chats().SetZone(w.ctx, info.Chat, "Europe/Berlin"))
	w.deliver(func(d channels.Delivery) error {
		return d.Settle(w.ctx, channels.Outcome{State: channels.Delivered, Receipt: channels.Receipt{MessageID: "p1"}})
	})
	w.answer(oldMessage("renewed", "n1", "/new"),
		session.Commit{NewSession: true, Messages: []providers.Message{{Role: "user", Content: "before"}}})
	w.answer(oldMessage("long", "l1", "tell me much"), session.Commit{Outbox: []channels.Outbound{
		{ID: "long", Address: oldAddr("long"), Text: "part 1 part 2"}, {ID: "queued", Address: oldAddr("long"), Text: "behind it"},
	}})
	w.deliver(func(d channels.Delivery) error {
		w.must(d.Plan(w.ctx, []string{"part 1", "part 2"}))
		return d.Advance(w.ctx, 0, channels.Receipt{MessageID: "p2"})
	})
}

// undone writes a conversation that the chat left and took up again, of which two entries are
// undone.
func (w storeWriter) undone() {
	w.t.Helper()
	said := func(texts ...string) (all []providers.Message) {
		for _, text := range texts {
			all = append(all, providers.Message{Role: "user", Content: text})
		}
		return all
	}
	info := w.answer(oldMessage("undone", "u1", "one"), session.Commit{Messages: said("1", "2"), Start: session.StartSchedule})
	w.answer(oldMessage("undone", "u2", "two"), session.Commit{Messages: said("3", "4"), Start: session.StartSequel})
	w.answer(oldMessage("undone", "u3", "three"), session.Commit{Messages: said("5"), Undo: &session.Span{From: 3, To: 4}})
	w.answer(oldMessage("undone", "u4", "/new"), session.Commit{NewSession: true})
	w.answer(oldMessage("undone", "u5", "/resume"), session.Commit{Messages: said("other"), Resume: info.Session})
}

// background writes tasks and jobs: of each kind one that is under way and one that is not.
func (w storeWriter) background() {
	w.t.Helper()
	w.turn(oldMessage("tasks", "k1", "look for me"), func(turn session.Turn) error {
		var tasks []session.Task
		for _, id := range []string{"running", "done"} {
			task := oldTask(id)
			task.Chat, task.Session = turn.Info().Chat, turn.Info().Session
			tasks = append(tasks, task)
		}
		w.must(turn.Record(w.ctx, session.Step{Kind: session.StepStarted, Tasks: tasks, Await: true}))
		return turn.Commit(w.ctx, session.Commit{Outcome: session.OutcomeAnswered})
	})
	info := w.answer(oldMessage("jobs", "j1", "remind me"), session.Commit{})
	daily, paused := oldJob("daily"), oldJob("paused")
	daily.Due = oldNow()
	paused.Paused, paused.Why = true, "it failed"
	daily.Chat, paused.Chat = info.Chat, info.Chat
	w.must(w.e.Jobs().PutJob(w.ctx, daily))
	w.must(w.e.Jobs().PutJob(w.ctx, paused))
}

// approvals writes a question that is open, one that was answered, and the grant of it.
func (w storeWriter) approvals() {
	w.t.Helper()
	w.turn(oldMessage("approvals", "a1", "write it"), func(turn session.Turn) error {
		info := turn.Info()
		w.must(turn.Record(w.ctx, session.Step{
			Kind: session.StepEnded, Await: true, Grants: []session.Grant{oldGrantOf(info.Chat)},
			Approvals: []session.Approval{oldApprovalOf("allowed", info.Chat, info.Session), oldApprovalOf("open", info.Chat, info.Session)},
		}))
		return turn.Commit(w.ctx, session.Commit{Outcome: session.OutcomeAnswered})
	})
}

// pairs writes a guest whom the operator let in, and a stranger with a code.
func (w storeWriter) pairs() {
	w.t.Helper()
	for i, id := range []string{"guest", "stranger"} {
		code := []string{"CODE1", "CODE2"}[i]
		r := session.PairRequest{
			Code:    code,
			Address: oldAddr(id),
			Sender:  channels.Sender{ID: id},
			Asked:   oldNow(),
			Expires: oldNow().Add(3600e9),
		}
		_, err := w.e.Pairs().AskPair(w.ctx, r, channels.Outbound{ID: "ask/" + code, Address: r.Address, Text: code}, session.PairBounds{Open: 3})
		w.must(err)
	}
	_, err := w.e.Pairs().ApprovePair(w.ctx, "CODE1", session.PairApproval{
		Now: oldNow(), Owner: true,
		Notice: func(r session.PairRequest) channels.Outbound {
			return channels.Outbound{ID: "welcome/CODE1", Address: r.Address, Text: "welcome"}
		},
	})
	w.must(err)
}

// waiting leaves items of each kind in the inbox.
func (w storeWriter) waiting() {
	w.t.Helper()
	w.append(oldMessage("waits", "w1", "first"), oldMessage("waits", "w2", "second"))
	edit := oldMessage("waits", "w2-edit", "second, reworded")
	edit.Edit, edit.Inbound.Kind, edit.Inbound.MessageID = session.EditDrop, channels.KindEdit, "m-w2"
	w.append(edit)
	for i, text := range []string{"one", "two"} {
		part := oldMessage("album", []string{"b1", "b2"}[i], text)
		part.Inbound.Group = "g1"
		part.Inbound.Attachments = []channels.Attachment{{Ref: "file-" + text, Name: text + ".jpg"}}
		w.append(part)
	}
	_, err := w.e.Tasks().Complete(w.ctx, "done", session.Completion{State: session.TaskDone, Result: "found", Item: &session.Item{
		ID: "task/done", Kind: session.ItemTask, Address: oldAddr("tasks"), TaskID: "done", Text: "it is done", Time: oldNow(),
	}})
	w.must(err)
	j, err := w.e.Jobs().Job(w.ctx, "daily")
	w.must(err)
	fired, err := w.e.Jobs().Fire(w.ctx, j.ID, j.Due, oldJob("daily").Due, session.Item{
		ID: "schedule/daily/1", Kind: session.ItemSchedule, Address: j.Address, Job: &j, Text: j.Text, Time: oldNow(),
	})
	w.must(err)
	if !fired {
		w.t.Fatal("the job did not fire")
	}
	w.append(session.Item{
		ID: "decision", Kind: session.ItemDecision, Address: oldAddr("approvals"),
		Time: oldNow(), Decision: &session.Decision{Approval: "open", Allow: true},
	})
	w.append(oldMessage("old", "old1", "before the move"))
	w.must(w.e.Chats().Move(w.ctx, oldAddr("old"), oldAddr("moved")))
}

// interrupted leaves a turn with its ledger.
func (w storeWriter) interrupted() {
	w.t.Helper()
	w.append(oldMessage("begun", "i1", "interrupted"))
	ctx, cancel := context.WithCancel(w.ctx)
	w.must(w.e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		if turn.Info().Address.Chat != "begun" {
			return ctx.Err()
		}
		defer cancel()
		steps := oldSteps()
		for i := range steps {
			steps[i].Await = true
			w.must(turn.Record(ctx, steps[i]))
		}
		return context.Canceled
	}))
}

package sessiontest

import (
	"context"
	"encoding/json"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func drainedTests() []test {
	return []test{
		{"a channel without work is drained, whatever other channels have", func(b *bench) {
			b.drained(false)
			other := item("a", "1")
			other.Address.Channel, other.Inbound.Address.Channel = "other", "other"
			b.append(other)
			b.drained(false)
			failed, err := b.e.Inbox().Drained(b.ended(), channels.Address{Channel: "other"})
			b.wantErr(err, context.Canceled)
			b.equal(false, failed)
		}},
		{"the work of another chat holds up nothing", func(b *bench) {
			b.append(item("a", "1"))
			_, err := b.e.Inbox().Drained(b.ended(), item("b", "1").Address)
			b.must(err)
			_, err = b.e.Inbox().Drained(b.ended(), item("a", "1").Address)
			b.wantErr(err, context.Canceled)
		}},
		{"a channel is drained when its items are answered and the answers have left", testDrained},
		{"a caller is told when the last message has left", func(b *bench) {
			b.send("a", "o1", "o2")
			got := make(chan error, 1)
			go func() {
				_, err := b.e.Inbox().Drained(b.Context(), channels.Address{Channel: "test"})
				got <- err
			}()
			d := b.deliveries()
			for range 2 {
				b.settle(d.next(), "m")
			}
			select {
			case err := <-got:
				b.must(err)
			case <-time.After(patience):
				b.Fatal("the caller waits for ever")
			}
		}},
		{"items that fail and messages that do not leave are failures", func(b *bench) {
			b.append(item("a", "1"))
			b.answer(b.turns().next(), session.Commit{Outcome: session.OutcomeFailed})
			b.drained(true)
			b.reopen()
			b.drained(false)
			b.send("a", "o1")
			h := b.deliveries().next()
			b.must(h.what.Settle(b.Context(), channels.Outcome{State: channels.Refused, Reason: "gone"}))
			h.end <- nil
			b.drained(true)
		}},
		{"items from before and those of jobs are waited for, and are no failures", func(b *bench) {
			b.append(item("a", "1"))
			b.reopen()
			b.undrained()
			b.append(session.Item{ID: "schedule/j/1", Kind: session.ItemSchedule, Address: addr("b"), Job: &session.Job{ID: "j"}})
			w := b.turns()
			for range 2 {
				b.answer(w.next(), session.Commit{Outcome: session.OutcomeFailed})
			}
			b.drained(false)
		}},
		{"a task is waited for, and then its result", testDrainedOfTasks},
		{"tasks from before, and those that a call waits for, are not waited for", func(b *bench) {
			b.startTask("t1", time.Unix(1, 0))
			b.undrained()
			b.reopen()
			b.drained(false)
			b.waitedTask("t2")
			b.drained(false)
		}},
		{"a session that is forgotten holds up nothing", func(b *bench) {
			info := b.startTask("t1", time.Unix(1, 0))
			b.append(item("a", "2"))
			b.undrained()
			b.must(b.e.Sessions().Forget(b.Context(), info.Session))
			b.drained(false)
		}},
	}
}

// ended is a context that has ended: a wait returns at once.
func (b *bench) ended() context.Context {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	return ctx
}

// drained checks that the test's channel is drained, and whether it had a failure.
func (b *bench) drained(wantFailed bool) {
	b.Helper()
	failed, err := b.e.Inbox().Drained(b.ended(), channels.Address{Channel: "test"})
	b.must(err)
	b.equal(wantFailed, failed)
}

// undrained checks that the test's channel is not drained.
func (b *bench) undrained() {
	b.Helper()
	_, err := b.e.Inbox().Drained(b.ended(), channels.Address{Channel: "test"})
	b.wantErr(err, context.Canceled)
}

func testDrained(b *bench) {
	b.append(item("a", "1"), item("b", "2"))
	b.undrained()
	w := b.turns()
	for range 2 {
		h := w.next()
		b.undrained()
		chat := h.what.Info().Address.Chat
		b.answer(h, session.Commit{Outbox: []channels.Outbound{outbound(chat, "for-"+chat)}})
	}
	d := b.deliveries()
	for range 2 {
		b.undrained()
		b.settle(d.next(), "m")
	}
	b.drained(false)
}

func testDrainedOfTasks(b *bench) {
	b.startTask("t1", time.Unix(1, 0))
	b.startTask("t2", time.Unix(2, 0))
	b.undrained()
	_, err := b.e.Tasks().Complete(b.Context(), "t1", session.Completion{State: session.TaskDone})
	b.must(err)
	b.undrained()
	_, err = b.e.Tasks().Complete(b.Context(), "t2", session.Completion{State: session.TaskFailed, Item: &session.Item{
		ID: "task/t2", Kind: session.ItemTask, Address: addr("a"), Text: "it failed", TaskID: "t2",
	}})
	b.must(err)
	b.undrained()
	b.answer(b.turns().next(), session.Commit{})
	b.drained(false)
}

// waitedTask records a task of which a call of the same turn waits for the result.
func (b *bench) waitedTask(id string) {
	b.Helper()
	b.append(item("a", "start-"+id))
	w := b.turns()
	h := w.next()
	info := h.what.Info()
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepBegun, Await: true, Tasks: []session.Task{{
		ID: id, Chat: info.Chat, Session: info.Session, Address: info.Address, Turn: info.ID, Waited: true,
		Tool: "spawn", Arguments: json.RawMessage(`{}`), State: session.TaskRunning, Started: time.Unix(1, 0),
	}}}))
	b.answer(h, session.Commit{})
	b.must(w.stop())
}

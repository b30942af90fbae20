package sessiontest

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func backgroundTests() []test {
	return []test{
		{"a task ends once, with its message and its item", testTask},
		{"a task that was completed in a crash is complete", func(b *bench) {
			b.startTask("t1", time.Unix(1, 0))
			_, err := b.e.Tasks().Complete(b.Context(), "t1", session.Completion{State: session.TaskDone})
			b.must(err)
			b.crash()
			first, err := b.e.Tasks().Complete(b.Context(), "t1", session.Completion{State: session.TaskInterrupted})
			b.must(err)
			b.equal(false, first)
		}},
		{"open tasks are listed, oldest first", func(b *bench) {
			for i, at := range []int64{30, 10, 20} {
				b.startTask(fmt.Sprint("t", i), time.Unix(at, 0))
			}
			_, err := b.e.Tasks().Complete(b.Context(), "t2", session.Completion{State: session.TaskFailed})
			b.must(err)
			b.reopen()
			open, err := b.e.Tasks().OpenTasks(b.Context())
			b.must(err)
			b.equal(2, len(open))
			b.equal([]string{"t1", "t0"}, []string{open[0].ID, open[1].ID})
			b.equal(0, len(open[0].Arguments)+len(open[1].Arguments))
			b.equal(2, b.status().OpenTasks)
		}},
		{"a task that is not there is not found", func(b *bench) {
			_, err := b.e.Tasks().Task(b.Context(), "none")
			b.wantErr(err, session.ErrNotFound)
			_, err = b.e.Tasks().Complete(b.Context(), "none", session.Completion{State: session.TaskDone})
			b.wantErr(err, session.ErrNotFound)
		}},
		{"a task shows one message, until it has ended", testShowTask},
	}
}

// startTask records a task as a step of a turn and commits the turn.
func (b *bench) startTask(id string, started time.Time) session.TurnInfo {
	b.Helper()
	b.append(item("a", "start-"+id))
	w := b.turns()
	h := w.next()
	info := h.what.Info()
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepBegun, Await: true, Tasks: []session.Task{{
		ID: id, Chat: info.Chat, Session: info.Session, Address: info.Address, Turn: info.ID,
		Tool: "spawn", Arguments: json.RawMessage(`{"a":1}`), State: session.TaskRunning, Started: started,
	}}}))
	b.answer(h, session.Commit{})
	b.must(w.stop())
	return info
}

func testTask(b *bench) {
	info := b.startTask("t1", time.Unix(1, 0))
	// It comes back to its chat, whatever address the item names.
	done := session.Item{ID: "task/t1", Kind: session.ItemTask, Address: addr("elsewhere"), Text: "done", TaskID: "t1"}
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			first, err := b.e.Tasks().Complete(b.Context(), "t1", session.Completion{
				State: session.TaskDone, Outbox: []channels.Outbound{outbound("a", "o1")}, Item: &done,
			})
			if err != nil {
				b.Error(err)
			}
			if first {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	b.equal(int32(1), won.Load())
	b.reopen()
	task, err := b.e.Tasks().Task(b.Context(), "t1")
	b.must(err)
	b.equal(session.TaskDone, task.State)
	b.equal(`{"a":1}`, string(task.Arguments))
	st := b.status()
	b.equal([]int{1, 1, 0}, []int{st.Waiting, st.Sending, st.OpenTasks})
	turn := b.turns().next().what.Info()
	b.equal(info.Chat, turn.Chat)
	b.equal([]string{"task/t1"}, ids(turn.Items))
}

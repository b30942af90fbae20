package task

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"parley/pkg/session"
	"parley/pkg/tools"
)

// lostAtOnce bounds how many tasks of the last process are ended at a time. They
// share their transactions.
const lostAtOnce = 64

// lost are the chats that have yet to be told how their background work ended. Their
// turns wait for that, and no others do.
type lost struct {
	mu    sync.Mutex
	chats map[string]*lostChat
}

type lostChat struct {
	left int
	told chan struct{} // closed when all of the chat are told
}

func (l *lost) expect(chat string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.chats[chat] == nil {
		l.chats[chat] = &lostChat{told: make(chan struct{})}
	}
	l.chats[chat].left++
}

func (l *lost) told(chat string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.chats[chat]
	if c.left--; c.left == 0 {
		close(c.told)
		delete(l.chats, chat)
	}
}

// AwaitTold returns when the chat knows of its tasks that did not survive the last
// process, or ctx has ended.
func (ts *Tasks) AwaitTold(ctx context.Context, chat string) {
	l := &ts.lost
	l.mu.Lock()
	c := l.chats[chat]
	l.mu.Unlock()
	if c == nil {
		return
	}
	select {
	case <-c.told:
	case <-ctx.Done():
	}
}

// TakeUp looks at the tasks that the last process left open, once the supervisor has
// started. Those of background agents go on elsewhere; any other did not survive, and its
// chat is told, once. That is done beside the turns.
func (ts *Tasks) TakeUp(ctx context.Context) error {
	open, err := ts.o.Store.OpenTasks(ctx)
	if err != nil {
		return err
	}
	queue := make(chan *session.Task, len(open))
	for i := range open {
		t := &open[i]
		if t.Agent {
			continue
		}
		ts.lost.expect(t.Chat)
		queue <- t
	}
	close(queue)
	for range min(lostAtOnce, len(queue)) {
		ts.o.Work.Go(func() {
			for t := range queue {
				ts.endLost(ctx, t)
			}
		})
	}
	return nil
}

// endLost ends a task that did not survive the last process.
func (ts *Tasks) endLost(ctx context.Context, t *session.Task) {
	if ctx.Err() != nil {
		ts.lost.told(t.Chat) // the next start tells
		return
	}
	text := fmt.Sprintf(textInterrupted, Name(t))
	result := &tools.ToolResult{ForLLM: text, ForUser: text, IsError: true}
	err := ts.completeOnce(context.WithoutCancel(ctx), t.ID, session.TaskInterrupted, result)
	ts.lost.told(t.Chat) // a store that cannot be written keeps no chat waiting
	if errors.Is(err, session.ErrStore) && ts.o.Work.Pause() {
		ts.Complete(context.WithoutCancel(ctx), t.ID, session.TaskInterrupted, result)
	}
}

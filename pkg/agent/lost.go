package agent

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

// lost are the chats that have yet to be told what became of their background work.
// Their turns wait for that, and no others do.
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
	if l.chats == nil {
		l.chats = map[string]*lostChat{}
	}
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

// wait returns when nothing is to be told to the chat any more, or ctx has ended.
func (l *lost) wait(ctx context.Context, chat string) {
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

// takeUpTasks looks at the tasks that the last process left open. Those of background
// agents go on, see takeUpAgents; any other did not survive, and its chat is told,
// once. That is done beside the turns.
func (a *Agent) takeUpTasks(ctx context.Context) error {
	open, err := a.o.Engine.Tasks().OpenTasks(ctx)
	if err != nil {
		return err
	}
	queue := make(chan *session.Task, len(open))
	for i := range open {
		t := &open[i]
		if t.Agent {
			continue
		}
		a.lost.expect(t.Chat)
		queue <- t
	}
	close(queue)
	for range min(lostAtOnce, len(queue)) {
		a.tasks.begin(func() {
			for t := range queue {
				a.endLost(ctx, t)
			}
		})
	}
	return nil
}

// endLost ends a task that did not survive the last process.
func (a *Agent) endLost(ctx context.Context, t *session.Task) {
	if ctx.Err() != nil {
		a.lost.told(t.Chat) // the next start tells
		return
	}
	text := fmt.Sprintf(textTaskInterrupted, taskName(t))
	result := &tools.ToolResult{ForLLM: text, ForUser: text, IsError: true}
	err := a.completeOnce(context.WithoutCancel(ctx), t.ID, session.TaskInterrupted, result)
	a.lost.told(t.Chat) // a store that cannot be written keeps no chat waiting
	if errors.Is(err, session.ErrStore) && a.tasks.pause() {
		a.complete(context.WithoutCancel(ctx), t.ID, session.TaskInterrupted, result)
	}
}

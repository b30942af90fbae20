package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// TestLostTasksOfManyChatsKeepNobodyWaiting loses a task in each of more chats than
// turns may run. While the model is busy with their fate, a newcomer is answered, and
// so is a person in a chat that waits for such a turn; each chat is told once.
func TestLostTasksOfManyChatsKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	const chats, places = 40, 4
	busy, release := make(chan struct{}, chats), make(chan struct{})
	releases := sync.OnceFunc(func() { close(release) })
	var holding, most atomic.Int64
	model := script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case m.Role == providers.RoleTool:
			return say("it has started")
		case strings.HasPrefix(m.Content, "[background task]"):
			if n := holding.Add(1); n <= places {
				busy <- struct{}{}
				select {
				case <-release:
				case <-ctx.Done():
				}
			}
			most.Store(max(most.Load(), holding.Load()))
			return say("NO_REPLY")
		case m.Content == "work":
			return call("work", "{}")
		default:
			return say("heard " + m.Content)
		}
	})
	begin := &sync.WaitGroup{}
	begin.Add(1)
	t.Cleanup(begin.Done)
	w := newWorld(t, model, []tools.Tool{&worker{begin: begin}}, withOptions(func(o *agent.Options) { o.Limits.Turns = places }))
	t.Cleanup(releases)
	for i := range chats {
		w.write(fmt.Sprint(i), "1", "work")
	}
	for range chats {
		w.expectText("it has started")
	}
	w.settled()
	w.restart()
	told := map[string]int{}
	for range chats {
		o := w.expect()
		told[o.Address.Chat]++
		if !strings.Contains(o.Text, "interrupted") || o.Unasked != channels.ByTask {
			t.Errorf("told %+v", o)
		}
	}
	for i := range chats {
		if n := told[fmt.Sprint(i)]; n != 1 {
			t.Errorf("chat %d was told %d times", i, n)
		}
	}
	for range places {
		<-busy
	}
	w.write("newcomer", "7", "hello")
	if o := w.expect(); o.Text != "heard hello" || o.Unasked != "" {
		t.Errorf("the newcomer got %+v", o)
	}
	answered := 0
	for i := range chats {
		w.write(fmt.Sprint(i), "1", fmt.Sprint("number ", i))
	}
	for range chats - places { // the chats with turns at the model wait for their own
		if o := w.expect(); strings.HasPrefix(o.Text, "heard number ") {
			answered++
		}
	}
	releases()
	for range places {
		w.expect()
	}
	w.settled()
	if answered != chats-places {
		t.Errorf("%d of %d chats were answered meanwhile", answered, chats-places)
	}
	w.restart()
	w.settled()
}

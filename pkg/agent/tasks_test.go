package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// worker is an asynchronous tool that keeps injected values in plain fields and reads
// them in its goroutine after Execute returned.
type worker struct {
	channel, chat string
	cb            tools.AsyncCallback
	begin         *sync.WaitGroup
}

func (w *worker) Name() string               { return "work" }
func (w *worker) Description() string        { return "works in the background" }
func (w *worker) Parameters() map[string]any { return map[string]any{"type": "object"} }
func (w *worker) SetContext(channel, chatID string) {
	w.channel, w.chat = channel, chatID
}
func (w *worker) SetCallback(cb tools.AsyncCallback) { w.cb = cb }

func (w *worker) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	go func() {
		w.begin.Wait()
		res := &tools.ToolResult{ForLLM: "worked for " + w.chat, ForUser: "done for " + w.chat}
		w.cb(ctx, res)
		w.cb(ctx, tools.NewToolResult("a second end"))
	}()
	return tools.AsyncResult("started")
}

// relay starts the work once and answers NO_REPLY to its end.
func relay(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
	switch m := last(msgs); {
	case m.Role == providers.RoleTool:
		return say("it has started")
	case strings.HasPrefix(m.Content, "[background task]"):
		return say("NO_REPLY")
	default:
		return call("work", "{}")
	}
}

func TestBackgroundWorkEndsInOneNoticeInItsOwnChat(t *testing.T) {
	t.Parallel()
	begin := &sync.WaitGroup{}
	begin.Add(1)
	w := newWorld(t, script(relay), []tools.Tool{&worker{begin: begin}})
	const chats = 50
	for i := range chats {
		w.write(fmt.Sprint(i), "1", "work")
	}
	for range chats {
		w.expectText("it has started")
	}
	begin.Done()
	got := map[string]string{}
	for range chats {
		o := w.expect()
		got[o.Address.Chat] += o.Text
	}
	w.settled()
	for i := range chats {
		chat := fmt.Sprint(i)
		if got[chat] != "done for "+chat {
			t.Errorf("chat %s was told %q", chat, got[chat])
		}
		tr := strings.Join(w.transcript(chat), "\n")
		if strings.Count(tr, "worked for "+chat) != 1 || strings.Contains(tr, "a second end") {
			t.Errorf("chat %s: history\n%s", chat, tr)
		}
	}
	if open, err := w.eng.Tasks().OpenTasks(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("open tasks %v, %v", open, err)
	}
}

func TestATaskLostWithTheProcessIsToldOnceAtTheNextStart(t *testing.T) {
	t.Parallel()
	begin := &sync.WaitGroup{}
	begin.Add(1)
	t.Cleanup(begin.Done)
	w := newWorld(t, script(relay), []tools.Tool{&worker{begin: begin}})
	w.write("1", "1", "work")
	w.expectText("it has started")
	w.settled()
	w.restart()
	if got := w.expect().Text; !strings.Contains(got, "interrupted") {
		t.Errorf("told %q", got)
	}
	w.settled()
	w.restart()
	w.settled()
}

func TestACallThatEndsAtOnceIsNoBackgroundTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleTool {
			return say(last(msgs).Content)
		}
		return call("now", "{}")
	}), []tools.Tool{&immediate{}})
	w.write("1", "1", "now")
	w.expectText("done at once")
	w.settled()
	w.restart()
	w.settled()
}

// immediate could go on in the background and does not.
type immediate struct{ cb tools.AsyncCallback }

func (i *immediate) Name() string                       { return "now" }
func (i *immediate) Description() string                { return "ends at once" }
func (i *immediate) Parameters() map[string]any         { return map[string]any{"type": "object"} }
func (i *immediate) SetCallback(cb tools.AsyncCallback) { i.cb = cb }
func (i *immediate) Execute(context.Context, map[string]any) *tools.ToolResult {
	return tools.NewToolResult("done at once")
}

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// errand is an asynchronous tool with work that the test writes.
type errand struct {
	limit time.Duration
	run   func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult
	cb    tools.AsyncCallback
}

func (e *errand) Name() string                       { return "work" }
func (e *errand) Description() string                { return "works in the background" }
func (e *errand) Parameters() map[string]any         { return map[string]any{"type": "object"} }
func (e *errand) SetCallback(cb tools.AsyncCallback) { e.cb = cb }
func (e *errand) Annotations() tools.Annotations     { return tools.Annotations{BackgroundLimit: e.limit} }

func (e *errand) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	return e.run(ctx, e.cb)
}

// until is work that ends with its result once go is closed.
func until(begin <-chan struct{}, res tools.ToolResult) *errand {
	return &errand{run: func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
		return tools.Background(ctx, cb, "started", func(ctx context.Context) *tools.ToolResult {
			select {
			case <-begin:
			case <-ctx.Done():
			}
			return &res
		})
	}}
}

// endOf waits for the one task of chat 1 to end.
func (w *world) endOf() session.Task {
	w.t.Helper()
	for {
		info, err := w.eng.Sessions().Lookup(w.t.Context(), chatAddr("1"))
		if err != nil {
			w.t.Fatal(err)
		}
		all, err := w.eng.Tasks().TaskList(w.t.Context(), info.Chat)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(all) == 1 && all[0].State != session.TaskRunning {
			return all[0]
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestATaskHasTheTimeThatItsToolNames(t *testing.T) {
	t.Parallel()
	for limit, words := range map[time.Duration]string{
		20 * time.Second: "within 20 seconds", 2 * time.Hour: "within 2 hours", 90 * time.Minute: "within 90 minutes",
	} {
		t.Run(limit.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				never := until(nil, tools.ToolResult{})
				never.limit = limit
				w := newWorld(t, script(relay), []tools.Tool{never})
				began := time.Now()
				w.write("1", "1", "work")
				w.expectText("it has started")
				o := <-w.sent
				if after := time.Since(began); after < limit || after > limit+time.Second {
					t.Errorf("told after %v, want %v", after, limit)
				}
				if !strings.Contains(o.Text, words) {
					t.Errorf("told %q, want %q", o.Text, words)
				}
				if end := w.endOf(); end.State != session.TaskTimedOut {
					t.Errorf("ended as %s", end.State)
				}
				w.settled()
			})
		})
	}
}

func TestHoweverATaskCallsBackItsChatIsToldOnce(t *testing.T) {
	t.Parallel()
	done := func() *tools.ToolResult { return tools.UserResult("done") }
	for name, c := range map[string]struct {
		run   func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult
		state session.TaskState
		told  string
	}{
		"before Execute returns": {func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			cb(ctx, done())
			return tools.AsyncResult("started")
		}, session.TaskDone, "done"},
		"twice": {func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			go func() {
				cb(ctx, done())
				cb(ctx, tools.UserResult("done again"))
			}()
			return tools.AsyncResult("started")
		}, session.TaskDone, "done"},
		"from many goroutines": {func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			for range 20 {
				go cb(ctx, done())
			}
			return tools.AsyncResult("started")
		}, session.TaskDone, "done"},
		"never": {func(context.Context, tools.AsyncCallback) *tools.ToolResult {
			return tools.AsyncResult("started")
		}, session.TaskTimedOut, "within 1 hour"},
		"too late": {func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			go func() {
				<-time.After(61 * time.Minute)
				cb(ctx, done())
			}()
			return tools.AsyncResult("started")
		}, session.TaskTimedOut, "within 1 hour"},
		"with an error for its deadline": {func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			go func() {
				<-ctx.Done()
				cb(ctx, &tools.ToolResult{ForLLM: "cut off", ForUser: "cut off", IsError: true})
			}()
			return tools.AsyncResult("started")
		}, session.TaskTimedOut, "within 1 hour"},
		"after a panic": {func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			return tools.Background(ctx, cb, "started", func(context.Context) *tools.ToolResult { panic("secret word") })
		}, session.TaskFailed, ""},
		"without context and result": {func(_ context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			go cb(nil, nil) //nolint:contextcheck // as a tool may do
			return tools.AsyncResult("started")
		}, session.TaskDone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, script(relay), []tools.Tool{&errand{run: c.run}})
				w.write("1", "1", "work")
				want := map[bool]int{true: 1, false: 2}[c.told == ""]
				var got []string
				for range want {
					got = append(got, w.awaitText())
				}
				all := strings.Join(got, "\n")
				if strings.Count(all, "it has started") != 1 || !strings.Contains(all, c.told) {
					t.Errorf("told %q", got)
				}
				if end := w.endOf(); end.State != c.state || strings.Contains(end.Result, "secret") {
					t.Errorf("ended as %s: %q", end.State, end.Result)
				}
				<-time.After(2 * time.Hour)
				w.settled()
				if tr := strings.Join(w.transcript("1"), "\n"); strings.Count(tr, "[background task] work") != 1 {
					t.Errorf("history\n%s", tr)
				}
				w.restart()
				w.settled()
			})
		})
	}
}

// awaitText is the next text that leaves, however long that takes on a fake clock.
func (w *world) awaitText() string { return (<-w.sent).Text }

func TestWhatCannotGoOnInTheBackgroundIsAFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleTool {
			return say(last(msgs).Content)
		}
		return call("plain", "{}")
	}), []tools.Tool{fn{name: "plain", run: func(context.Context, map[string]any) *tools.ToolResult {
		return tools.AsyncResult("working on it")
	}}})
	w.write("1", "1", "go")
	if got := w.expect().Text; !strings.Contains(got, "execution_failed") || strings.Contains(got, "working on it") {
		t.Errorf("the model was told %q", got)
	}
	w.settled()
	if open, err := w.eng.Tasks().OpenTasks(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("open tasks %v, %v", open, err)
	}
}

func TestSeveralTasksOfOneAnswer(t *testing.T) {
	t.Parallel()
	begin := make(chan struct{})
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch {
		case last(msgs).Role == providers.RoleTool:
			return say("started")
		case strings.HasPrefix(last(msgs).Content, "[background task]"):
			return say("NO_REPLY")
		}
		resp, err := call("work", "{}")
		for i := range 9 {
			c := resp.ToolCalls[0]
			c.ID = fmt.Sprint("call_", i)
			resp.ToolCalls = append(resp.ToolCalls, c)
		}
		return resp, err
	}), []tools.Tool{until(begin, tools.ToolResult{ForLLM: "one of ten", ForUser: "one of ten"})})
	w.write("1", "1", "go")
	w.expectText("started")
	close(begin)
	for range 10 {
		w.expectText("one of ten")
	}
	w.settled()
	if tr := strings.Join(w.transcript("1"), "\n"); strings.Count(tr, "one of ten\n") < 10 {
		t.Errorf("history\n%s", tr)
	}
}

func TestWorkThatEndsWhileItsTurnRunsIsToldAfterIt(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, script(func(
		ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleTool {
			asked <- struct{}{}
			<-answer
		}
		if m := last(msgs); strings.HasPrefix(m.Content, "[background task]") {
			return say("the model heard of it")
		}
		return relay(ctx, msgs, defs)
	}), []tools.Tool{&errand{run: func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
		cb(ctx, tools.NewToolResult("done"))
		return tools.AsyncResult("started")
	}}})
	w.write("1", "1", "work")
	<-asked
	if end := w.endOf(); end.State != session.TaskDone {
		t.Errorf("ended as %s", end.State)
	}
	close(answer)
	w.expectText("it has started")
	w.expectText("the model heard of it")
	w.settled()
	tr := strings.Join(w.transcript("1"), "\n")
	if a, b := strings.Index(tr, "it has started"), strings.Index(tr, "[background task]"); a < 0 || b < a {
		t.Errorf("history\n%s", tr)
	}
}

func TestAResultSaysHowLongItWaitedForItsChannel(t *testing.T) {
	t.Parallel()
	for _, forUser := range []string{"done", ""} {
		var mu sync.Mutex
		down := false
		onSlate(t, script(func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if forUser == "" && strings.HasPrefix(last(msgs).Content, "[background task]") {
				return say("done")
			}
			return relay(ctx, msgs, defs)
		}), []tools.Tool{&errand{run: func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			return tools.Background(ctx, cb, "started", func(context.Context) *tools.ToolResult {
				<-time.After(time.Minute)
				return &tools.ToolResult{ForLLM: "done", ForUser: forUser}
			})
		}}}, func(w *world, s *slate) {
			s.send = func(channels.Part) error {
				mu.Lock()
				defer mu.Unlock()
				if down {
					return &channels.SendError{Class: channels.SendTransient, Err: errors.New("down")}
				}
				return nil
			}
			w.write("1", "1", "work")
			w.settled()
			mu.Lock()
			down = true
			mu.Unlock()
			<-time.After(time.Hour + time.Minute)
			mu.Lock()
			down = false
			mu.Unlock()
			w.settledLate()
			s.want(w.t, "it has started", "(This is from 1 hour ago; I could not send it sooner.)\n\ndone")
		})
	}
}

// settledLate is settled for items that rest between their attempts.
func (w *world) settledLate() {
	w.t.Helper()
	for range 600 {
		if st, err := w.eng.Status(w.t.Context()); err != nil || st.Waiting == 0 && st.Sending == 0 {
			break
		}
		<-time.After(time.Second)
	}
	w.settled()
}

// TestTheNoticeKeepsTheShownTextApart from the words that instruct the model.
func TestTheNoticeKeepsTheShownTextApart(t *testing.T) {
	t.Parallel()
	begin, notice := make(chan struct{}), make(chan string, 1)
	w := newWorld(t, script(func(
		ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		if m := last(msgs); strings.HasPrefix(m.Content, "[background task]") {
			notice <- m.Content
		}
		return relay(ctx, msgs, defs)
	}), []tools.Tool{until(begin, tools.ToolResult{ForLLM: "12 pages", ForUser: "Twelve pages\nwere read"})})
	w.write("1", "1", "work")
	w.expectText("it has started")
	close(begin)
	w.expectText("Twelve pages\nwere read")
	const want = "shown this text:\nTwelve pages\nwere read\n\nAnswer NO_REPLY if there is nothing to add.\nResult:\n12 pages"
	if got := <-notice; !strings.HasSuffix(got, want) {
		t.Errorf("the model reads %q", got)
	}
	w.settled()
}

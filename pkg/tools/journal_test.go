package tools_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	j := &ledger{steer: [][]providers.Message{{{Role: providers.RoleUser, Content: "and this"}}}}
	var inside tools.Invocation
	r := registry(fn{
		name: "t", annotations: tools.Annotations{Idempotent: true},
		run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			inside = tools.InvocationFrom(ctx)
			_ = j.note("execute")
			return tools.UserResult("done")
		},
	})
	first := calls(call("a", "t", nil), call("b", "nothing", nil))
	first.Content = "hi"
	model := &streaming{script{answers: []*providers.LLMResponse{first, says("ok")}}}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Turn: "turn9", Channel: "telegram", Chat: "42", Sender: "7"})
	res, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{
		Provider: model, Tools: r, Journal: j, MaxParallel: 1,
		OnResult: func(_ context.Context, c tools.Call, res *tools.ToolResult) {
			_ = j.note("told " + c.ID + " " + res.ForUser)
		},
	}, hello, "telegram", "42")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"answered", "begin a", "execute", "end a", "told a done", "end b", "told b ", "answered"}
	if d := cmp.Diff(want, j.got()); d != "" {
		t.Error(d)
	}
	wantInside := tools.Invocation{Turn: "turn9", Channel: "telegram", Chat: "42", Sender: "7", CallID: "a", Key: "turn9/1/0"}
	if inside != wantInside {
		t.Errorf("the tool sees %+v", inside)
	}
	if c := j.calls[0]; c.Key != "turn9/1/0" || c.Round != 1 || c.Index != 0 ||
		!c.Annotations.Idempotent || c.Async || c.RawArguments != "{}" {
		t.Errorf("begun: %+v", c)
	}
	roles := []string{}
	for _, m := range res.Messages {
		roles = append(roles, m.Role)
	}
	if d := cmp.Diff([]string{"assistant", "tool", "tool", "user", "assistant"}, roles); d != "" {
		t.Error(d)
	}
	var kinds []string
	for _, e := range j.events {
		kinds = append(kinds, fmt.Sprint(e.Round, " ", e.Kind, " ", e.CallID, e.Text))
	}
	result := "2 done " // the last event
	if d := cmp.Diff([]string{
		"1 restart cut", "1 reasoning hm", "1 delta h", "1 delta i", "1 tool_call_delta a", "1 tool_call_delta b",
		"1 tool_call a", "1 tool_call b", "1 executing a", "1 tool_result adone",
	}, kinds[:10]); d != "" || kinds[len(kinds)-1] != result {
		t.Errorf("%s\n%v", d, kinds)
	}
	if e := j.events[10]; e.Kind != tools.EventToolResult || !e.IsError || e.CallID != "b" {
		t.Errorf("a refused call shows as %+v", e)
	}
}

func TestJournalErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("store broken")
	for at, tc := range map[string]struct {
		messages int
		ends     bool
		ran      bool
	}{
		"answered": {0, true, false},
		"begin a":  {4, false, false},
		"end a":    {2, true, true},
		"steer":    {2, true, true},
	} {
		ran := false
		r := registry(fn{name: "t", run: func(context.Context, map[string]any) *tools.ToolResult { ran = true; return nil }})
		j := &ledger{fail: map[string]error{at: broken}}
		if at != "steer" {
			j.steer = [][]providers.Message{{{Role: "user", Content: "x"}}}
		}
		model := &script{answers: []*providers.LLMResponse{calls(call("a", "t", nil)), says("fine")}}
		res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r, Journal: j}, hello, "", "")
		if errors.Is(err, broken) != tc.ends || ran != tc.ran || len(res.Messages) != tc.messages {
			t.Errorf("%s: %v, ran %v, %d messages", at, err, ran, len(res.Messages))
		}
		checkHistory(t, res.Messages)
		if !tc.ends {
			wantFailureText(t, res.Messages[1].Content, tools.ErrExecutionFailed)
		}
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var keys []string
	r := registry(fn{name: "t", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, tools.InvocationFrom(ctx).Key)
		return tools.NewToolResult("now")
	}})
	before := append(append([]providers.Message{}, hello...),
		calls(call("a", "t", nil), call("b", "t", nil), call("c", "t", nil)).Message(),
		providers.Message{Role: providers.RoleTool, Name: "t", ToolCallID: "b", Content: "before"},
	)
	model := &script{answers: []*providers.LLMResponse{calls(call("d", "t", nil)), says("fine")}}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Turn: "u"})
	res, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{
		Provider: model, Tools: r, FirstRound: 2, MaxParallel: 1, MaxIterations: 5, LLMOptions: map[string]any{"tool_choice": "required"},
	}, before, "", "")
	if err != nil || res.Iterations != 4 {
		t.Fatalf("%+v, %v", res, err)
	}
	if d := cmp.Diff([]string{"u/2/0", "u/2/2", "u/3/0"}, keys); d != "" {
		t.Error(d)
	}
	checkHistory(t, append(before, res.Messages...))
	if got := model.asked[0]; len(got.messages) != 5 || got.options["tool_choice"] != nil {
		t.Errorf("asked with %d messages, %v", len(got.messages), got.options)
	}
	// At the limit a resumed turn runs the open calls and finishes.
	res, err = tools.RunToolLoop(ctx, tools.ToolLoopConfig{
		Provider: &script{answers: []*providers.LLMResponse{says("end")}}, Tools: r, FirstRound: 10,
	}, before, "", "")
	if err != nil || !res.LimitReached || res.Iterations != 11 || res.Content != "end" {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestLoopErrors(t *testing.T) {
	t.Parallel()
	model := &script{answers: []*providers.LLMResponse{calls(call("a", "t", nil))}}
	res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: registry(fn{name: "t"})}, hello, "", "")
	if err == nil || res == nil || len(res.Messages) != 2 || res.Iterations != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	checkHistory(t, res.Messages)
	none := &script{answers: []*providers.LLMResponse{nil}}
	if _, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: none}, hello, "", ""); err == nil {
		t.Error("no answer and no error passed for an answer")
	}
}

func TestCancelDuringCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := registry(
			fn{name: "quick", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("done") }},
			fn{name: "deaf", run: func(context.Context, map[string]any) *tools.ToolResult { <-release; return nil }},
			fn{name: "ends", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
				<-ctx.Done()
				return tools.NewToolResult("ended well")
			}},
			fn{name: "wipe", annotations: tools.Annotations{Destructive: true}},
		)
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(time.Second, func() { cancel(stopped) })
		defer timer.Stop()
		j := &ledger{}
		began := time.Now()
		res, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{
			Provider: &script{answers: []*providers.LLMResponse{calls(
				call("a", "quick", nil), call("b", "deaf", nil), call("c", "ends", nil), call("d", "wipe", nil),
			)}},
			Tools: r, Journal: j,
		}, hello, "", "")
		if !errors.Is(err, context.Canceled) || time.Since(began) > 1500*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		checkHistory(t, res.Messages)
		if got := res.Messages[1].Content + " " + res.Messages[3].Content; got != "done ended well" {
			t.Errorf("what ended well is lost: %q", got)
		}
		f := wantFailureText(t, res.Messages[2].Content, tools.ErrInterrupted)
		if !strings.Contains(f.Message, "unknown whether it took effect") {
			t.Error(f.Message)
		}
		f = wantFailureText(t, res.Messages[4].Content, tools.ErrInterrupted)
		if !strings.Contains(f.Message, "not run") {
			t.Error(f.Message)
		}
		ended := strings.Join(j.got(), ",")
		if !strings.Contains(ended, "end a") || !strings.Contains(ended, "end c") ||
			strings.Contains(ended, "end b") || strings.Contains(ended, "begin d") {
			t.Errorf("recorded: %s", ended)
		}
		close(release)
	})
}

// TestCancelDuringACheck: the words of a check that was cut off are no result of its
// call.
func TestCancelDuringACheck(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := registry(tools.NewExamined("erase", "", tools.Annotations{Destructive: true},
		func(ctx context.Context, _ struct{}) (tools.Examination, error) {
			cancel()
			return tools.Examination{}, ctx.Err()
		},
		func(context.Context, struct{}) (any, error) {
			t.Error("it ran")
			return "", nil
		}))
	j := &ledger{}
	res, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{
		Provider: &script{answers: []*providers.LLMResponse{calls(call("a", "erase", nil))}}, Tools: r, Journal: j,
	}, hello, "", "")
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	checkHistory(t, res.Messages)
	wantFailureText(t, res.Messages[1].Content, tools.ErrInterrupted)
	if d := cmp.Diff([]string{"answered"}, j.got()); d != "" {
		t.Error(d)
	}
}

// TestCancelInTheMomentOfTheEnd: words that only report the cut are no result either.
func TestCancelInTheMomentOfTheEnd(t *testing.T) {
	t.Parallel()
	for range 20 { // whichever of the two is seen first
		ctx, cancel := context.WithCancel(t.Context())
		r := registry(fn{name: "cut", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			cancel()
			return tools.ErrorResult(context.Canceled.Error()).WithError(ctx.Err())
		}})
		j := &ledger{}
		res, _ := tools.RunToolLoop(ctx, tools.ToolLoopConfig{
			Provider: &script{answers: []*providers.LLMResponse{calls(call("a", "cut", nil))}}, Tools: r, Journal: j,
		}, hello, "", "")
		wantFailureText(t, res.Messages[1].Content, tools.ErrInterrupted)
		if d := cmp.Diff([]string{"answered", "begin a"}, j.got()); d != "" {
			t.Fatal(d)
		}
	}
}

func TestCancelDuringTheModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		res, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{Provider: &script{hang: true}}, hello, "", "")
		if !errors.Is(err, context.DeadlineExceeded) || len(res.Messages) != 0 {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

func TestLoopBackgroundWork(t *testing.T) {
	t.Parallel()
	r := registry(&plainTool{})
	type key struct{}
	told := make(chan string, 1)
	var order []string
	j := &ledger{}
	task, endTask := context.WithCancel(t.Context())
	defer endTask()
	cfg := tools.ToolLoopConfig{
		Provider: &script{answers: []*providers.LLMResponse{calls(call("a", "report", map[string]any{"n": 5})), says("started")}},
		Tools:    r, Journal: j,
		Callbacks: func(_ context.Context, c tools.Call) tools.AsyncCallback {
			order = append(order, "callback for "+c.Key, strings.Join(j.got(), ","))
			return func(ctx context.Context, res *tools.ToolResult) {
				told <- fmt.Sprint(res.ForLLM, " ", tools.InvocationFrom(ctx).Key, " ", ctx.Value(key{}))
			}
		},
		TaskContext: func(context.Context, tools.Call) context.Context { return context.WithValue(task, key{}, "the task's") },
	}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Turn: "u", Chat: "old"})
	if _, err := tools.RunToolLoop(ctx, cfg, hello, "telegram", "42"); err != nil {
		t.Fatal(err)
	}
	if got := <-told; got != "telegram/42 5 42 u/1/0 the task's" {
		t.Errorf("told %q", got)
	}
	if d := cmp.Diff([]string{"callback for u/1/0", "answered,begin a"}, order); d != "" {
		t.Error(d)
	}
	if !j.calls[0].Async {
		t.Error("the call is not marked as async")
	}
	// Without a callback factory it is the plain loop: the callback has no recipient.
	cfg.Callbacks, cfg.TaskContext, cfg.Journal = nil, nil, nil
	cfg.Provider = &script{answers: []*providers.LLMResponse{calls(call("a", "report", nil)), says("fine")}}
	res, err := tools.RunToolLoop(ctx, cfg, hello, "telegram", "43")
	if err != nil || res.Messages[1].Content != "telegram/43" || len(told) > 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

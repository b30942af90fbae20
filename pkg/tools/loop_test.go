package tools_test

import (
	"context"
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

var hello = []providers.Message{{Role: providers.RoleUser, Content: "hello"}}

func registry(list ...tools.Tool) *tools.ToolRegistry {
	r := tools.NewToolRegistry()
	for _, t := range list {
		r.Register(t)
	}
	return r
}

// checkHistory checks that every call of a conversation has exactly one result
// and no id is used twice in one answer.
func checkHistory(t *testing.T, messages []providers.Message) {
	t.Helper()
	open := map[string]bool{}
	for i := range messages {
		m := &messages[i]
		if m.Role == providers.RoleTool {
			if !open[m.ToolCallID] {
				t.Errorf("a result for %q, which waits for none", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
			if m.Content == "" || m.Name == "" {
				t.Errorf("an empty tool message: %+v", *m)
			}
			continue
		}
		if len(open) > 0 {
			t.Errorf("no results for %v", open)
		}
		for _, c := range m.ToolCalls {
			if open[c.ID] || c.ID == "" {
				t.Errorf("the id %q is used twice", c.ID)
			}
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		t.Errorf("no results for %v", open)
	}
}

func TestLoopWithoutTools(t *testing.T) {
	t.Parallel()
	model := &script{answers: []*providers.LLMResponse{calls(call("a", "x", nil)), says("fine")}}
	res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model}, hello, "", "")
	if err != nil || res.Content != "fine" || res.Iterations != 2 || res.Usage.TotalTokens != 15 {
		t.Fatalf("%+v, %v", res, err)
	}
	checkHistory(t, res.Messages)
	wantFailureText(t, res.Messages[1].Content, tools.ErrNotFound)
	if len(model.asked[0].tools) != 0 {
		t.Error("tools were offered")
	}
	if _, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{}, hello, "", ""); err == nil {
		t.Error("no provider is no error")
	}
}

func TestLoopLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ give, want int }{{0, 11}, {-1, 11}, {3, 4}} {
		model := &script{forever: &providers.LLMResponse{
			Content: "once more", ToolCalls: []providers.ToolCall{call("same", "t", nil)}, FinishReason: providers.FinishToolCalls,
		}}
		ran := 0
		r := registry(fn{name: "t", run: func(context.Context, map[string]any) *tools.ToolResult { ran++; return nil }})
		j := &ledger{}
		res, err := tools.RunToolLoop(t.Context(),
			tools.ToolLoopConfig{Provider: model, Tools: r, MaxIterations: tc.give, Journal: j}, hello, "", "")
		if err != nil || res.Iterations != tc.want || !res.LimitReached || res.Content != "once more" || ran != tc.want-1 {
			t.Fatalf("%d: %+v, %v, ran %d", tc.give, res, err, ran)
		}
		checkHistory(t, res.Messages)
		last := model.asked[len(model.asked)-1]
		if got := last.messages[len(last.messages)-1]; got.Content != "iteration limit reached; finalise your answer" {
			t.Errorf("the model was told %+v", got)
		}
		if last.options["tool_choice"] != "none" || len(last.tools) != 1 {
			t.Errorf("asked with %v", last.options)
		}
		if n := len(j.answered[len(j.answered)-1].ToolCalls); n != 0 {
			t.Errorf("%d calls that never run were recorded", n)
		}
		for _, m := range res.Messages {
			if m.Role == providers.RoleUser {
				t.Errorf("the limit's text stays in the conversation: %+v", m)
			}
		}
	}
}

func TestToolChoice(t *testing.T) {
	t.Parallel()
	name := map[string]any{"name": "t"}
	for what, tc := range map[string]struct {
		give  any
		want  []any // per round
		error bool
	}{
		"absent":            {nil, []any{nil, nil}, false},
		"auto":              {"auto", []any{"auto", "auto"}, false},
		"none":              {"none", []any{"none", "none"}, false},
		"required":          {"required", []any{"required", nil}, false},
		"a name":            {name, []any{name, nil}, false},
		"a name in strings": {map[string]string{"name": "t"}, []any{name, nil}, false},
		"not offered":       {map[string]any{"name": "hidden"}, nil, true},
		"disabled":          {map[string]any{"name": "off"}, nil, true},
		"no name":           {map[string]any{}, nil, true},
		"another word":      {"must", nil, true},
		"another type":      {7, nil, true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := registry(fn{name: "t"}, fn{name: "hidden"}, fn{name: "off"})
			r.SetEnabled("off", false)
			r = r.Filter(func(n string, _ tools.Annotations) bool { return n != "hidden" })
			model := &script{answers: []*providers.LLMResponse{calls(call("a", "t", nil)), says("fine")}}
			options := map[string]any{"temperature": 0.7}
			if tc.give != nil {
				options["tool_choice"] = tc.give
			}
			_, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r, LLMOptions: options}, hello, "", "")
			if tc.error {
				if err == nil || len(model.asked) != 0 {
					t.Errorf("error %v, asked %d times", err, len(model.asked))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []any
			for _, a := range model.asked {
				got = append(got, a.options["tool_choice"])
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
			if model.asked[1].options["temperature"] != 0.7 || tc.give != nil && options["tool_choice"] == nil {
				t.Error("the caller's options were lost or changed")
			}
		})
	}
	none := &script{}
	_, err := tools.RunToolLoop(t.Context(),
		tools.ToolLoopConfig{Provider: none, LLMOptions: map[string]any{"tool_choice": "required"}}, hello, "", "")
	if err == nil || len(none.asked) != 0 {
		t.Errorf("required without tools: %v", err)
	}
}

func TestFinishReasons(t *testing.T) {
	t.Parallel()
	for finish, runs := range map[string]bool{
		"stop": true, "tool_calls": true, "": true, "end_turn": true, "length": false, "content_filter": false,
	} {
		ran := false
		r := registry(fn{name: "t", run: func(context.Context, map[string]any) *tools.ToolResult { ran = true; return nil }})
		first := calls(call("a", "t", nil))
		first.FinishReason = finish
		model := &script{answers: []*providers.LLMResponse{first, says("fine")}}
		j := &ledger{}
		res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r, Journal: j}, hello, "", "")
		if err != nil || ran != runs || res.Content != "fine" || res.FinishReason != "stop" {
			t.Errorf("%q: ran %v; %+v, %v", finish, ran, res, err)
		}
		checkHistory(t, res.Messages)
		if runs {
			continue
		}
		wantFailureText(t, res.Messages[1].Content, tools.ErrInvalidArguments)
		if first.ToolCalls[0].BadArguments != "" {
			t.Error("the provider's answer was changed")
		}
		// A turn resumed from the record does not run the call either.
		again := append(append([]providers.Message{}, hello...), j.answered[0].Message())
		if _, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{
			Provider: &script{answers: []*providers.LLMResponse{says("fine")}}, Tools: r, FirstRound: 1,
		}, again, "", ""); err != nil || ran {
			t.Errorf("%q resumed: ran %v, %v", finish, ran, err)
		}
	}
}

func TestBadArgumentsOfOneCall(t *testing.T) {
	t.Parallel()
	bad := providers.ToolCall{ID: "b", Name: "t", RawArguments: `{"a":1,"a":2}`, BadArguments: "the key a is there twice"}
	model := &script{answers: []*providers.LLMResponse{calls(call("a", "t", nil), bad), says("fine")}}
	ran := 0
	r := registry(fn{name: "t", run: func(context.Context, map[string]any) *tools.ToolResult { ran++; return nil }})
	res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r}, hello, "", "")
	if err != nil || ran != 1 {
		t.Fatalf("%v, ran %d", err, ran)
	}
	if f := wantFailureText(t, res.Messages[2].Content, tools.ErrInvalidArguments); !strings.Contains(f.Message, "twice") {
		t.Error(f.Message)
	}
}

func TestManyCallsAndEqualIDs(t *testing.T) {
	t.Parallel()
	var list []providers.ToolCall
	for i := range 500 {
		list = append(list, call([]string{"same", "", "call_1_3"}[i%3], "t", map[string]any{"i": i}))
	}
	var mu sync.Mutex
	ran := 0
	r := registry(fn{name: "t", run: func(context.Context, map[string]any) *tools.ToolResult {
		mu.Lock()
		defer mu.Unlock()
		ran++
		return nil
	}})
	j := &ledger{}
	first := calls(list...)
	res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{
		Provider: &script{answers: []*providers.LLMResponse{first, says("fine")}}, Tools: r, Journal: j,
	}, hello, "", "")
	if err != nil || ran != 32 || len(res.Messages) != 502 {
		t.Fatalf("%v, ran %d, %d messages", err, ran, len(res.Messages))
	}
	checkHistory(t, res.Messages)
	f := wantFailureText(t, res.Messages[500].Content, tools.ErrBusy)
	if !strings.Contains(f.Message, "32") {
		t.Error(f.Message)
	}
	if d := cmp.Diff(res.Messages[0].ToolCalls, j.answered[0].ToolCalls); d != "" {
		t.Errorf("the record has other ids: %s", d)
	}
	if first.ToolCalls[3].ID != "same" {
		t.Error("the provider's answer was changed")
	}
}

func TestCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most, alone := 0, 0, true
		enter := func(destructive bool, took time.Duration) func(context.Context, map[string]any) *tools.ToolResult {
			return func(_ context.Context, args map[string]any) *tools.ToolResult {
				mu.Lock()
				running++
				most = max(most, running)
				alone = alone && (!destructive || running == 1)
				mu.Unlock()
				timer := time.NewTimer(took - time.Duration(args["n"].(float64))*time.Millisecond)
				<-timer.C
				mu.Lock()
				defer mu.Unlock()
				alone = alone && (!destructive || running == 1)
				running--
				return tools.NewToolResult(fmt.Sprint(args["n"]))
			}
		}
		r := registry(
			fn{name: "look", annotations: tools.Annotations{ReadOnly: true}, run: enter(false, time.Second)},
			fn{name: "wipe", annotations: tools.Annotations{Destructive: true}, run: enter(true, time.Second)},
		)
		var list []providers.ToolCall
		for i, name := range []string{"look", "look", "look", "look", "look", "look", "wipe", "look", "wipe", "wipe"} {
			list = append(list, call(fmt.Sprint("c", i), name, map[string]any{"n": i}))
		}
		for _, tc := range []struct{ parallel, most int }{{0, 4}, {2, 2}, {1, 1}} {
			most = 0
			var order []string
			res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{
				Provider: &script{answers: []*providers.LLMResponse{calls(list...), says("fine")}}, Tools: r, MaxParallel: tc.parallel,
				OnResult: func(_ context.Context, c tools.Call, _ *tools.ToolResult) { order = append(order, c.ID) },
			}, hello, "", "")
			if err != nil || most != tc.most || !alone {
				t.Errorf("%d: %v, %d at once, destructive alone: %v", tc.parallel, err, most, alone)
			}
			for i, m := range res.Messages[1:11] {
				if m.Content != fmt.Sprint(i) || m.ToolCallID != fmt.Sprint("c", i) {
					t.Errorf("result %d is %+v", i, m)
				}
			}
			if len(order) != 10 {
				t.Errorf("told %v", order)
			}
		}
	})
}

package tools_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// gate asks for the tools it knows, and remembers the questions.
type gate struct {
	asks []string
	fail error

	mu     sync.Mutex
	passed []tools.ToolRequest
	asked  []string
}

func (g *gate) Pass(_ context.Context, req tools.ToolRequest) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.passed = append(g.passed, req)
	if slices.Contains(g.asks, req.Tool) && !req.Covered {
		return fmt.Errorf("because of %s: %w", req.Tool, tools.ErrAsk)
	}
	return nil
}

func (g *gate) Ask(_ context.Context, call tools.Call, ex tools.Examination) (*tools.ToolResult, error) {
	if g.fail != nil {
		return nil, g.fail
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, call.ID+" "+ex.Text)
	return tools.NewToolResult("waiting for approval"), nil
}

type target struct {
	Path string `json:"path"`
}

// eraser is a tool that examines, and counts its runs.
func eraser(ran *[]string) tools.Tool {
	return tools.NewExamined("erase", "Erases.", tools.Annotations{Destructive: true},
		func(_ context.Context, in target) (tools.Examination, error) {
			if strings.Contains(in.Path, "..") {
				return tools.Examination{}, tools.Fail(tools.ErrSecurityViolation, "the path leads out", nil)
			}
			return tools.Examination{Destructive: true, Text: "erase " + in.Path, State: "1"}, nil
		},
		func(_ context.Context, in target) (any, error) {
			*ran = append(*ran, in.Path)
			return "gone", nil
		})
}

func TestACallThatWaitsEndsTheLoop(t *testing.T) {
	t.Parallel()
	var ran []string
	g := &gate{asks: []string{"erase"}}
	r := registry(eraser(&ran), fn{name: "look", annotations: tools.Annotations{ReadOnly: true}})
	model := &script{answers: []*providers.LLMResponse{
		calls(call("a", "look", nil), call("b", "erase", map[string]any{"path": "x"})), says("never asked for"),
	}}
	res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r, Gate: g}, hello, "", "")
	if err != nil || !res.Asked || res.Content != "" || res.Iterations != 1 || len(model.asked) != 1 {
		t.Fatalf("%+v, %v, asked %d times", res, err, len(model.asked))
	}
	checkHistory(t, res.Messages)
	if len(ran) > 0 || !slices.Equal(g.asked, []string{"b erase x"}) {
		t.Errorf("ran %q, asked %q", ran, g.asked)
	}
	if got := res.Messages[2].Content; got != "waiting for approval" {
		t.Errorf("the call's result is %q", got)
	}

	// An attempt that goes on where the question was put does not ask the model.
	again := append(slices.Clone(hello), res.Messages...)
	res, err = tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{
		Provider: model, Tools: r, Gate: g, FirstRound: 1, Asked: true,
	}, again, "", "")
	if err != nil || !res.Asked || len(model.asked) != 1 {
		t.Errorf("resumed: %+v, %v, asked %d times", res, err, len(model.asked))
	}
}

func TestWhatCannotBeAskedIsRefused(t *testing.T) {
	t.Parallel()
	var ran []string
	path := map[string]any{"path": "x"}
	for name, c := range map[string]struct {
		gate tools.Gate
		args map[string]any
		want tools.ErrorType
	}{
		"the question does not fit":   {&gate{asks: []string{"erase"}, fail: errors.New("too long")}, path, tools.ErrApprovalDenied},
		"the examination comes first": {&gate{asks: []string{"erase"}}, map[string]any{"path": "../x"}, tools.ErrSecurityViolation},
	} {
		model := &script{answers: []*providers.LLMResponse{calls(call("b", "erase", c.args)), says("fine")}}
		res, err := tools.RunToolLoop(t.Context(),
			tools.ToolLoopConfig{Provider: model, Tools: registry(eraser(&ran)), Gate: c.gate}, hello, "", "")
		if err != nil || res.Asked || res.Content != "fine" {
			t.Fatalf("%s: %+v, %v", name, res, err)
		}
		wantFailureText(t, res.Messages[1].Content, c.want)
	}
	r := tools.NewToolRegistryWith(tools.Options{Authorizer: refuses{err: tools.ErrAsk}})
	r.Register(eraser(&ran))
	wantFailure(t, r.Execute(t.Context(), "erase", path), tools.ErrApprovalDenied)
	if len(ran) > 0 {
		t.Errorf("ran %q", ran)
	}
}

// chain is a composed tool that calls others.
type chain struct {
	fn

	steps []string
	cover bool
}

func (c chain) Examine(ctx context.Context, _ map[string]any) (tools.Examination, error) {
	ex := tools.Examination{}
	if c.cover {
		ex.Steps = []tools.ExaminedStep{{}}
	}
	for _, step := range c.steps {
		one, err := tools.ExamineTool(ctx, step, map[string]any{"path": step})
		if err != nil {
			return ex, err
		}
		ex.Text += one.Text + ";"
	}
	return ex, nil
}

func composed(name string, cover bool, steps ...string) chain {
	return chain{steps: steps, cover: cover, fn: fn{
		name: name, annotations: tools.Annotations{Composed: true},
		run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			var all []string
			for _, step := range steps {
				all = append(all, tools.CallTool(ctx, step, map[string]any{"path": step}).ForLLM)
			}
			return tools.NewToolResult(strings.Join(all, " "))
		},
	}}
}

func TestComposedCalls(t *testing.T) {
	t.Parallel()
	var ran []string
	r := registry(eraser(&ran), composed("both", true, "erase", "erase"), composed("loose", false, "erase"),
		composed("self", true, "self"), composed("ping", true, "pong"), composed("pong", true, "ping"))
	run := func(g *gate, name string, args map[string]any) (*tools.ToolLoopResult, string) {
		t.Helper()
		model := &script{answers: []*providers.LLMResponse{calls(call("a", name, args)), says("fine")}}
		res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r, Gate: g}, hello, "", "")
		if err != nil {
			t.Fatal(err)
		}
		return res, res.Messages[1].Content
	}
	if res, _ := run(&gate{asks: []string{"both"}}, "both", nil); !res.Asked || len(ran) > 0 {
		t.Errorf("both: %+v, ran %q", res, ran)
	}
	g := &gate{asks: []string{"erase"}}
	if _, got := run(g, "both", nil); got != "gone gone" || len(g.asked) > 0 {
		t.Errorf("steps that were covered: %q, asked %q", got, g.asked)
	}
	if _, got := run(&gate{asks: []string{"erase"}}, "loose", nil); !strings.Contains(got, "approval_denied") || len(ran) != 2 {
		t.Errorf("a step that nobody spoke for: %q, ran %q", got, ran)
	}
	for _, name := range []string{"self", "ping"} {
		if _, got := run(&gate{}, name, nil); strings.Count(got, "max_tool_depth") != 1 {
			t.Errorf("%s: %s", name, got)
		}
		if got := r.Execute(t.Context(), name, nil).ForLLM; strings.Count(got, "max_tool_depth") != 1 {
			t.Errorf("%s, without a loop: %s", name, got)
		}
	}
	got := tools.CallTool(t.Context(), "erase", map[string]any{"path": "x"})
	wantFailure(t, got, tools.ErrExecutionFailed)

	// A tool that the chat is not offered cannot be reached through another tool.
	narrow := r.Filter(func(name string, _ tools.Annotations) bool { return name != "erase" })
	wantFailure(t, narrow.Execute(t.Context(), "both", nil), tools.ErrPermissionDenied)
}

func TestOperatorsLevels(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistryWith(tools.Options{Levels: map[string]tools.Level{"look": tools.LevelExec}})
	r.Register(fn{name: "look", annotations: tools.Annotations{ReadOnly: true}})
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Level: tools.LevelWrite})
	wantFailure(t, r.Execute(ctx, "look", nil), tools.ErrPermissionDenied)
	if a, _ := r.Annotations("look"); a.Level != tools.LevelExec {
		t.Errorf("level %s", a.Level)
	}
}

func TestProgressIsAnEvent(t *testing.T) {
	t.Parallel()
	r := registry(fn{name: "slow", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		tools.Progress(ctx, "half way")
		return tools.NewToolResult("done")
	}})
	j := &ledger{}
	model := &script{answers: []*providers.LLMResponse{calls(call("a", "slow", nil)), says("fine")}}
	if _, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r, Journal: j}, hello, "", ""); err != nil {
		t.Fatal(err)
	}
	var got []tools.Event
	for _, e := range j.events {
		if e.Kind == tools.EventProgress {
			got = append(got, e)
		}
	}
	if d := cmp.Diff([]tools.Event{{Kind: tools.EventProgress, Round: 1, CallID: "a", Text: "half way"}}, got); d != "" {
		t.Error(d)
	}
	tools.Progress(t.Context(), "to nobody")
}

package tools_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// counting is the tool look, with results that all differ.
func counting(a tools.Annotations, form string, runs *int) fn {
	return fn{
		name: "look", annotations: a, parameters: map[string]any{"type": "object"},
		run: func(context.Context, map[string]any) *tools.ToolResult {
			*runs++
			return tools.NewToolResult(strings.ReplaceAll(form, "%d", strconv.Itoa(*runs)))
		},
	}
}

const fromMemory = "(from memory: the same call was made before in this turn, and nothing was changed since)\n"

// TestMemo lets a model make calls one after the other and compares the results that it
// is told with the runs.
func TestMemo(t *testing.T) {
	t.Parallel()
	read := tools.Annotations{ReadOnly: true}
	a, b := map[string]any{"p": "a", "n": 1.0, "deep": map[string]any{"y": 1.0, "x": []any{2.0}}},
		map[string]any{"p": "b"}
	sameAsA := map[string]any{"deep": map[string]any{"x": []any{2.0}, "y": 1.0}, "n": 1.0, "p": "a"}
	look, change := func(args map[string]any) providers.ToolCall { return call("l", "look", args) }, call("c", "change", nil)
	for name, c := range map[string]struct {
		annotations tools.Annotations
		form        string
		calls       []providers.ToolCall
		want        []string
	}{
		"the same again": {
			read, "run %d",
			[]providers.ToolCall{look(a), look(sameAsA), look(a)},
			[]string{"run 1", fromMemory + "run 1", fromMemory + "run 1"},
		},
		"other arguments": {
			read, "run %d",
			[]providers.ToolCall{look(a), look(b), look(nil), look(b)},
			[]string{"run 1", "run 2", "run 3", fromMemory + "run 2"},
		},
		"a call that changes": {
			read, "run %d",
			[]providers.ToolCall{look(a), change, look(a), look(a)},
			[]string{"run 1", "changed", "run 2", fromMemory + "run 2"},
		},
		"not read-only": {
			tools.Annotations{Idempotent: true}, "run %d", []providers.ToolCall{look(a), look(a)}, []string{"run 1", "run 2"},
		},
		"an open world": {
			tools.Annotations{ReadOnly: true, OpenWorld: true},
			"run %d",
			[]providers.ToolCall{look(a), look(a)},
			[]string{"run 1", "run 2"},
		},
		"a clock": {
			tools.Annotations{ReadOnly: true, Volatile: true},
			"run %d",
			[]providers.ToolCall{look(a), look(a)},
			[]string{"run 1", "run 2"},
		},
		"JSON": {read, `{"run":%d}`, []providers.ToolCall{look(a), look(a)}, []string{`{"run":1}`, fromMemory + `{"run":1}`}},
		"no room for the words": {
			tools.Annotations{ReadOnly: true, MaxOutput: 60},
			"run %d",
			[]providers.ToolCall{look(a), look(a)},
			[]string{"run 1", "run 2"},
		},
		"refused calls are asked": {
			read, "run %d",
			[]providers.ToolCall{look(a), call("x", "nothing", nil), look(a)},
			[]string{"run 1", "", fromMemory + "run 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			r := registry(counting(c.annotations, c.form, &runs),
				fn{name: "change", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("changed") }})
			j := &ledger{}
			got := told(t, tools.ToolLoopConfig{Tools: r, Journal: j}, c.calls...)
			for i, want := range c.want {
				if want != "" && got[i] != want {
					t.Errorf("call %d: got %q, want %q", i, got[i], want)
				}
			}
			begun, memory := 0, 0
			for _, line := range j.got() {
				if strings.HasPrefix(line, "begin l") {
					begun++
				}
			}
			for _, text := range got {
				if strings.HasPrefix(text, fromMemory) {
					memory++
				}
			}
			if begun != runs {
				t.Errorf("%d calls began, %d ran", begun, runs)
			}
			if s := statsOf(r, "look"); int(s.Runs) != runs || int(s.Memo) != memory || s.Picks != s.Runs+s.Memo {
				t.Errorf("%d ran, %d from memory: %+v", runs, memory, s)
			}
		})
	}
}

// told runs each call in a round of its own and returns the results that the model is
// told.
func told(t *testing.T, config tools.ToolLoopConfig, list ...providers.ToolCall) []string {
	t.Helper()
	model := &script{}
	for _, c := range list {
		model.answers = append(model.answers, calls(c))
	}
	model.answers = append(model.answers, says("done"))
	config.Provider = model
	res, err := tools.RunToolLoop(t.Context(), config, hello, "", "")
	if err != nil {
		t.Fatal(err)
	}
	checkHistory(t, res.Messages)
	var texts []string
	for i := range res.Messages {
		if res.Messages[i].Role == providers.RoleTool {
			texts = append(texts, res.Messages[i].Content)
		}
	}
	return texts
}

// TestMemoKeepsNeitherFailuresNorWhatWasShown: both are to happen again.
func TestMemoKeepsNeitherFailuresNorWhatWasShown(t *testing.T) {
	t.Parallel()
	read := tools.Annotations{ReadOnly: true}
	failed, shown := 0, 0
	r := registry(
		fn{name: "fails", annotations: read, run: func(context.Context, map[string]any) *tools.ToolResult {
			failed++
			return tools.ErrorResult("not now")
		}},
		fn{name: "shows", annotations: read, run: func(context.Context, map[string]any) *tools.ToolResult {
			shown++
			return tools.UserResult("look")
		}},
	)
	told(t, tools.ToolLoopConfig{Tools: r}, call("1", "fails", nil), call("2", "fails", nil), call("3", "shows", nil), call("4", "shows", nil))
	if failed != 2 || shown != 2 {
		t.Errorf("failed %d times, shown %d times", failed, shown)
	}
}

// TestMemoEndsWithTheTurn and with any event between two calls.
func TestMemoEndsWithTheTurn(t *testing.T) {
	t.Parallel()
	runs := 0
	var r *tools.ToolRegistry
	r = registry(counting(tools.Annotations{ReadOnly: true}, "run %d", &runs),
		fn{name: "change"},
		fn{name: "elsewhere", annotations: tools.Annotations{ReadOnly: true}, run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			return r.Execute(ctx, "change", nil) // as another chat's turn may at any time
		}})
	look := call("l", "look", nil)
	config := tools.ToolLoopConfig{Tools: r}
	told(t, config, look)
	if got := told(t, config, look); got[0] != "run 2" {
		t.Errorf("another turn is told %q", got[0])
	}
	config.Journal = &ledger{steer: [][]providers.Message{hello}}
	if diff := cmp.Diff([]string{"run 3", "run 4"}, told(t, config, look, look)); diff != "" {
		t.Errorf("a message joined: -want +got\n%s", diff)
	}
	config.Journal = nil
	if got := told(t, config, look, call("e", "elsewhere", nil), look); got[2] != "run 6" {
		t.Errorf("after a change elsewhere: %q", got[2])
	}
}

// TestMemoAndBackgroundWork: work in the background may change something at any time.
func TestMemoAndBackgroundWork(t *testing.T) {
	t.Parallel()
	runs := 0
	r := registry(counting(tools.Annotations{ReadOnly: true}, "run %d", &runs), &benchTool{})
	look := call("l", "look", nil)
	got := told(t, tools.ToolLoopConfig{Tools: r, Callbacks: func(context.Context, tools.Call) tools.AsyncCallback {
		return func(context.Context, *tools.ToolResult) {}
	}}, look, call("b", "bench", nil), look, look)
	if diff := cmp.Diff([]string{"run 1", "(no output)", "run 2", "run 3"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestMemoAsksWhoMayCall: a right that was lost within the turn counts.
func TestMemoAsksWhoMayCall(t *testing.T) {
	t.Parallel()
	runs := 0
	r := registry(counting(tools.Annotations{ReadOnly: true}, "run %d", &runs))
	r.Register(fn{name: "off", annotations: tools.Annotations{ReadOnly: true}, run: func(context.Context, map[string]any) *tools.ToolResult {
		r.SetEnabled("look", false)
		return nil
	}})
	got := told(t, tools.ToolLoopConfig{Tools: r}, call("1", "look", nil), call("2", "off", nil), call("3", "look", nil))
	wantFailureText(t, got[2], tools.ErrDisabled)
}

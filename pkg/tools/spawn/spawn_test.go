package spawn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/pkg/tools"
	"parley/pkg/tools/spawn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agents notes the requests.
type agents struct {
	asked []string
	err   error
}

func (a *agents) StartAgent(_ context.Context, name, task string, limit time.Duration) (string, error) {
	a.asked = append(a.asked, fmt.Sprint("start|", name, "|", task, "|", limit))
	return "abcd2345", a.err
}

func (a *agents) AskAgent(_ context.Context, name, task string, limit time.Duration) (string, error) {
	a.asked = append(a.asked, fmt.Sprint("ask|", name, "|", task, "|", limit))
	return "the report", a.err
}

func setup(deadline time.Duration) (*tools.ToolRegistry, *agents) {
	a := &agents{}
	r := tools.NewToolRegistry()
	for _, t := range spawn.New(a, deadline) {
		r.Register(t)
	}
	return r, a
}

func TestWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	r, a := setup(time.Hour)
	said := r.Execute(t.Context(), "spawn", map[string]any{"task": "look it up", "name": " the  look\nup "})
	var started struct{ Task, Name, Note string }
	if err := json.Unmarshal([]byte(said.ForLLM), &started); err != nil || said.IsError || said.ForUser != "" ||
		started.Task != "abcd2345" || started.Name != "the look up" || !strings.Contains(started.Note, "no result yet") {
		t.Errorf("spawn said %+v, %v", said, err)
	}
	if got := r.Execute(t.Context(), "subagent", map[string]any{"task": strings.Repeat("x", 50)}); got.ForLLM != "the report" || got.IsError {
		t.Errorf("subagent said %+v", got)
	}
	r.Execute(t.Context(), "subagent", map[string]any{"task": "t", "deadline_minutes": 60})
	r.Execute(t.Context(), "spawn", map[string]any{"task": strings.Repeat("é", spawn.MaxTask), "name": "n", "deadline_minutes": 1})
	want := []string{
		"start|the look up|look it up|1h0m0s",
		"ask|" + strings.Repeat("x", 39) + "…|" + strings.Repeat("x", 50) + "|10m0s",
		"ask|t|t|1h0m0s",
		"start|n|" + strings.Repeat("é", spawn.MaxTask) + "|1m0s",
	}
	if d := cmp.Diff(want, a.asked); d != "" {
		t.Error(d)
	}
	short, b := setup(2 * time.Minute)
	short.Execute(t.Context(), "subagent", map[string]any{"task": "t"})
	if d := cmp.Diff([]string{"ask|t|t|2m0s"}, b.asked); d != "" {
		t.Error(d)
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range []map[string]any{
		nil,
		{"task": ""},
		{"task": " \n"},
		{"task": 5},
		{"task": strings.Repeat("é", spawn.MaxTask+1)},
		{"task": "t", "name": strings.Repeat("n", spawn.MaxName+1)},
		{"task": "t", "deadline_minutes": -1},
		{"task": "t", "deadline_minutes": 61},
		{"task": "t", "deadline_minutes": 1.5},
		{"task": "t", "chat": "2"},
		{"task": "t", "level": "exec"},
		{"task": "t", "tools": []any{"run_command"}},
	} {
		for _, tool := range []string{"spawn", "subagent"} {
			r, a := setup(time.Hour)
			got := r.Execute(t.Context(), tool, args)
			if !got.IsError || !strings.Contains(got.ForLLM, string(tools.ErrInvalidArguments)) || len(a.asked) > 0 {
				t.Errorf("%s %.60v: %.200s", tool, args, got.ForLLM)
			}
		}
	}
}

func TestAFailureKeepsItsType(t *testing.T) {
	t.Parallel()
	r, a := setup(time.Hour)
	a.err = tools.Fail(tools.ErrBusy, "too many agents", nil)
	for _, tool := range []string{"spawn", "subagent"} {
		if got := r.Execute(t.Context(), tool, map[string]any{"task": "t"}); !got.IsError ||
			!strings.Contains(got.ForLLM, `"busy"`) || !errors.Is(got.Err, a.err) {
			t.Errorf("%s: %+v", tool, got)
		}
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	for _, tool := range spawn.New(&agents{}, time.Hour) {
		a := tools.AnnotationsOf(tool)
		if a.Level != tools.LevelRead || !a.Rerunnable() || a.ReadOnly || !a.Speaks {
			t.Errorf("%s: %+v", tool.Name(), a)
		}
		if tool.Name() == spawn.Subagent && a.Timeout <= time.Hour {
			t.Errorf("a call that waits has %v", a.Timeout)
		}
	}
}

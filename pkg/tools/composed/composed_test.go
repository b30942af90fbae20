package composed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/composed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is the store that the tools of these tests write to.
type shelf struct {
	mu    sync.Mutex
	notes []string
}

type note struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

type query struct {
	Query string `json:"query"`
}

// registry has a search, a writing tool that examines, and the tools of specs.
func registry(t *testing.T, s *shelf, specs ...composed.Spec) *tools.ToolRegistry {
	t.Helper()
	r := tools.NewToolRegistry()
	search := tools.Annotations{ReadOnly: true, OpenWorld: true, Searches: true}
	r.Register(tools.New("search", "", search, func(_ context.Context, in query) (any, error) {
		return "found {{path}} for " + in.Query, nil
	}))
	r.Register(tools.NewExamined("save", "", tools.Annotations{},
		func(_ context.Context, in note) (tools.Examination, error) {
			if strings.HasPrefix(in.Path, "/") {
				return tools.Examination{}, tools.Fail(tools.ErrSecurityViolation, "the path is absolute", nil)
			}
			return tools.Examination{Destructive: in.Path == "taken", Text: "save " + in.Path + "\n" + in.Content, State: "absent"}, nil
		},
		func(_ context.Context, in note) (any, error) {
			if in.Path == "full" {
				return nil, errors.New("the disk is full")
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.notes = append(s.notes, in.Path+"="+in.Content)
			return "saved", nil
		}))
	for _, spec := range specs {
		if err := r.RegisterWith(composed.New(spec, r.Annotations), tools.RegisterOptions{Community: true}); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func research() composed.Spec {
	return composed.Spec{
		Name: "research", Description: "Searches and saves.", Parameters: map[string]string{"what": "what to look for", "path": "where to"},
		Steps: []composed.Step{
			{Tool: "search", Arguments: map[string]any{"query": "{{what}} 2026"}},
			{Tool: "save", Arguments: map[string]any{"path": "{{ path }}", "content": "# {{what}}\n{{1}}"}},
		},
	}
}

func args(path string) map[string]any { return map[string]any{"what": "go", "path": path} }

func TestStepsRunInOrder(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	r := registry(t, s, research())
	got := r.Execute(t.Context(), "research", args("notes.md"))
	want := `{"steps":[{"tool":"search","result":"found {{path}} for go 2026"},{"tool":"save","result":"saved"}]}`
	if got.IsError || got.ForLLM != want {
		t.Errorf("got %s", got.ForLLM)
	}
	// A result is text, whatever it looks like.
	if want := []string{"notes.md=# go\nfound {{path}} for go 2026"}; !slices.Equal(s.notes, want) {
		t.Errorf("saved %q", s.notes)
	}
	if got := r.Execute(t.Context(), "research", map[string]any{"what": "go"}); !strings.Contains(got.ForLLM, "invalid_arguments") {
		t.Errorf("without a path: %s", got.ForLLM)
	}
}

func TestAFailedStepEndsTheSequence(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	spec := research()
	spec.Steps = append(spec.Steps, composed.Step{Tool: "save", Arguments: map[string]any{"path": "after", "content": ""}})
	r := registry(t, s, spec)
	got := r.Execute(t.Context(), "research", args("full"))
	if !got.IsError || !strings.Contains(got.ForLLM, `"type":"execution_failed"`) || !strings.Contains(got.ForLLM, "step 2 (save): the disk is full") ||
		!strings.Contains(got.ForLLM, "found") || len(s.notes) > 0 {
		t.Errorf("got %s, saved %q", got.ForLLM, s.notes)
	}
}

// TestTheCallersRights: a sequence can do only the actions of its caller.
func TestTheCallersRights(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	r := registry(t, s, research())
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Level: tools.LevelRead})
	if got := r.Execute(ctx, "research", args("x")); !strings.Contains(got.ForLLM, `"permission_denied"`) {
		t.Errorf("with the right to read: %s", got.ForLLM)
	}
	narrow := r.Filter(func(name string, _ tools.Annotations) bool { return name != "save" })
	if got := narrow.Execute(t.Context(), "research", args("x")); !strings.Contains(got.ForLLM, `"permission_denied"`) {
		t.Errorf("where saving is not offered: %s", got.ForLLM)
	}
	if got := r.Execute(t.Context(), "research", args("/etc/passwd")); !strings.Contains(got.ForLLM, `"security_violation"`) {
		t.Errorf("a path that a step refuses: %s", got.ForLLM)
	}
	if len(s.notes) > 0 {
		t.Errorf("saved %q", s.notes)
	}
}

func TestAPersonSeesAllSteps(t *testing.T) {
	t.Parallel()
	r := registry(t, &shelf{}, research())
	ex, err := r.Examine(t.Context(), "research", args("taken"))
	if err != nil {
		t.Fatal(err)
	}
	want := "step 1: search\n{\n  \"query\": \"go 2026\"\n}\nstep 2: save\nsave taken\n# go\n(the result of step 1)"
	if ex.Text != want || !ex.Destructive || len(ex.Steps) != 2 || !ex.Taints || ex.State == "" {
		t.Errorf("got %+v", ex)
	}
	if ex, err := r.Examine(t.Context(), "research", args("new")); err != nil || ex.Destructive || !ex.Taints {
		t.Errorf("a new file: %+v, %v", ex, err)
	}
	a, _ := r.Annotations("research")
	if a.ReadOnly || !a.OpenWorld || !a.Searches || !a.Composed || a.Level != tools.LevelWrite {
		t.Errorf("annotations %+v", a)
	}
}

// TestWhatDependsOnAResultIsTheWorst: the effects of a step are unknown before the
// steps that it depends on have run.
func TestWhatDependsOnAResultIsTheWorst(t *testing.T) {
	t.Parallel()
	type in struct {
		Path string `json:"path"`
	}
	write := tools.NewExamined("write", "", tools.Annotations{Destructive: true},
		func(_ context.Context, in in) (tools.Examination, error) {
			if strings.HasPrefix(in.Path, "(") {
				return tools.Examination{}, tools.Fail(tools.ErrInvalidArguments, "no such name", nil)
			}
			return tools.Examination{Destructive: in.Path == "taken"}, nil
		}, func(context.Context, in) (any, error) { return "", nil })
	fetch := tools.NewExamined("fetch", "", tools.Annotations{ReadOnly: true, OpenWorld: true},
		func(_ context.Context, in in) (tools.Examination, error) {
			if !strings.HasPrefix(in.Path, "https://") {
				return tools.Examination{}, tools.Fail(tools.ErrSecurityViolation, "no address", nil)
			}
			return tools.Examination{Destination: in.Path}, nil
		}, func(context.Context, in) (any, error) { return "", nil })
	two := func(second tools.Tool, path string) tools.ExaminedStep {
		t.Helper()
		r := registry(t, &shelf{}, composed.Spec{Name: "two", Description: "x", Steps: []composed.Step{
			{Tool: "search", Arguments: map[string]any{"query": "x"}}, {Tool: second.Name(), Arguments: map[string]any{"path": path}},
		}})
		r.Register(second)
		ex, err := r.Examine(t.Context(), "two", nil)
		if err != nil || len(ex.Steps) != 2 {
			t.Fatalf("%s: %+v, %v", path, ex, err)
		}
		return ex.Steps[1]
	}
	for path, destructive := range map[string]bool{"new": false, "taken": true, "{{1}}": true, "a{{1}}": true} {
		if s := two(write, path); s.Examination.Destructive != destructive || !s.Examination.Taints || s.Tool != "write" ||
			s.Examination.Keeps != strings.Contains(path, "{{") {
			t.Errorf("%s: %+v", path, s)
		}
	}
	for path, want := range map[string]string{
		"https://a.example":       "https://a.example",
		"{{1}}":                   "(an address that an earlier step gives)",
		"https://a.example/{{1}}": "https://a.example/(the result of step 1)",
	} {
		if s := two(fetch, path); s.Examination.Destination != want || !s.Examination.Taints {
			t.Errorf("%s: %+v", path, s)
		}
	}
	a := composed.New(composed.Spec{Name: "x", Steps: []composed.Step{{Tool: "unknown"}}},
		func(string) (tools.Annotations, bool) { return tools.Annotations{}, false })
	if an := tools.AnnotationsOf(a); !an.Destructive || !an.Executes || !an.OpenWorld || an.Searches {
		t.Errorf("a step of which nothing is known: %+v", an)
	}
}

// TestASequenceBringsWhatItsStepsBring: the steps after one that may bring content
// from outside count as made under its influence.
func TestASequenceBringsWhatItsStepsBring(t *testing.T) {
	t.Parallel()
	look := tools.NewExamined("look", "", tools.Annotations{ReadOnly: true},
		func(context.Context, struct{}) (tools.Examination, error) {
			return tools.Examination{Brings: true}, nil
		},
		func(context.Context, struct{}) (any, error) { return "a letter", nil })
	for name, c := range map[string]struct {
		steps          []composed.Step
		brings, taints bool
	}{
		"a look alone":     {[]composed.Step{{Tool: "look"}}, true, false},
		"a look, and save": {[]composed.Step{{Tool: "look"}, {Tool: "save", Arguments: map[string]any{"path": "a", "content": "x"}}}, true, true},
		"save, and a look": {
			[]composed.Step{{Tool: "save", Arguments: map[string]any{"path": "a", "content": "x"}}, {Tool: "look"}},
			true, false,
		},
	} {
		r := registry(t, &shelf{}, composed.Spec{Name: "both", Description: "x", Steps: c.steps})
		r.Register(look)
		if ex, err := r.Examine(t.Context(), "both", nil); err != nil || ex.Brings != c.brings || ex.Taints != c.taints {
			t.Errorf("%s: %+v, %v", name, ex, err)
		}
	}
}

func TestSequencesThatCallEachOther(t *testing.T) {
	t.Parallel()
	call := func(name, other string) composed.Spec {
		return composed.Spec{Name: name, Description: "x", Steps: []composed.Step{{Tool: other}}}
	}
	r := registry(t, &shelf{}, call("self", "self"), call("ping", "pong"), call("pong", "ping"),
		call("one", "two"), call("two", "search_go"), composed.Spec{
			Name: "search_go", Description: "x", Steps: []composed.Step{{Tool: "search", Arguments: map[string]any{"query": "go"}}},
		})
	for _, name := range []string{"self", "ping"} {
		for way, run := range map[string]func() string{
			"alone": func() string { return r.Execute(t.Context(), name, nil).ForLLM },
			"in a loop": func() string {
				model := &once{name: name}
				res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r},
					[]providers.Message{{Role: "user", Content: "go"}}, "", "")
				if err != nil {
					t.Fatal(err)
				}
				return res.Messages[1].Content
			},
		} {
			if got := run(); strings.Count(got, "max_tool_depth") != 1 || strings.Count(got, `"error":true`) != 1 {
				t.Errorf("%s, %s: %s", name, way, got)
			}
		}
	}
	if got := r.Execute(t.Context(), "two", nil); got.IsError {
		t.Errorf("three deep: %s", got.ForLLM)
	}
	if got := r.Execute(t.Context(), "one", nil); !strings.Contains(got.ForLLM, "max_tool_depth") {
		t.Errorf("four deep: %s", got.ForLLM)
	}
}

// once is a model that calls one tool and is done.
type once struct {
	name  string
	asked bool
}

func (o *once) Chat(
	context.Context, []providers.Message, []providers.ToolDefinition, string, map[string]any,
) (*providers.LLMResponse, error) {
	if o.asked {
		return &providers.LLMResponse{Content: "done", FinishReason: providers.FinishStop}, nil
	}
	o.asked = true
	return &providers.LLMResponse{FinishReason: providers.FinishToolCalls, ToolCalls: []providers.ToolCall{
		{ID: "a", Type: "function", Name: o.name, Arguments: map[string]any{}, RawArguments: "{}"},
	}}, nil
}

func TestCheck(t *testing.T) {
	t.Parallel()
	known := func(name string) (tools.Tool, bool) { return nil, name == "search" || name == "save" }
	if err := composed.Check(research(), known); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		change func(*composed.Spec)
		want   string
	}{
		"no description":  {func(s *composed.Spec) { s.Description = "" }, "no description"},
		"no steps":        {func(s *composed.Spec) { s.Steps = nil }, "0 steps"},
		"many steps":      {func(s *composed.Spec) { s.Steps = make([]composed.Step, 21) }, "21 steps"},
		"an unknown tool": {func(s *composed.Spec) { s.Steps[0].Tool = "dig" }, `step 1: there is no tool "dig"`},
		"an unknown name": {func(s *composed.Spec) { s.Steps[0].Arguments["query"] = "{{who}}" }, "step 1: {{who}} is no parameter"},
		"its own result":  {func(s *composed.Spec) { s.Steps[0].Arguments["query"] = "{{1}}" }, "step 1: {{1}} is no earlier step"},
		"result 0":        {func(s *composed.Spec) { s.Steps[1].Arguments["content"] = []any{"{{0}}"} }, "step 2: {{0}} is no earlier step"},
		"deep in a value": {
			func(s *composed.Spec) { s.Steps[1].Arguments["content"] = map[string]any{"a": []any{"{{x}}"}} },
			"{{x}} is no parameter",
		},
	} {
		s := research()
		c.change(&s)
		if err := composed.Check(s, known); err == nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package tools_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
)

func TestRegistryListsInNameOrder(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	for _, n := range []string{"zoo", "ant", "Bee", "cat"} {
		r.Register(fn{name: n, description: "is " + n})
	}
	r.SetEnabled("cat", false)
	if d := cmp.Diff([]string{"Bee", "ant", "cat", "zoo"}, r.List()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"- `Bee` - is Bee", "- `ant` - is ant", "- `zoo` - is zoo"}, r.GetSummaries()); d != "" {
		t.Error(d)
	}
	var offered []string
	for _, d := range r.ToProviderDefs() {
		offered = append(offered, d.Function.Name)
	}
	if d := cmp.Diff([]string{"Bee", "ant", "zoo"}, offered); d != "" {
		t.Error(d)
	}
	if r.Count() != 4 || len(r.GetDefinitions()) != 3 {
		t.Errorf("count %d, definitions %d", r.Count(), len(r.GetDefinitions()))
	}
}

func TestRegistrySwitch(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	r.Register(fn{name: "a"})
	if !r.SetEnabled("a", false) || r.SetEnabled("later", false) {
		t.Error("SetEnabled does not say which tool is there")
	}
	wantFailure(t, r.Execute(t.Context(), "a", nil), tools.ErrDisabled)
	if r.Reason("a") == "" || r.Enabled("a") {
		t.Errorf("reason %q, enabled %v", r.Reason("a"), r.Enabled("a"))
	}
	r.Register(fn{name: "a"})
	r.Register(fn{name: "later"})
	if r.Enabled("a") || r.Enabled("later") {
		t.Error("a registration switched on what was switched off")
	}
	r.SetEnabled("a", true)
	if res := r.Execute(t.Context(), "a", nil); res.ForLLM != "a ran" || r.Reason("a") != "" {
		t.Errorf("%+v, reason %q", res, r.Reason("a"))
	}
}

func TestRegistryKeepsBrokenToolsDisabled(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		tool tools.Tool
		want string
	}{
		"empty name":         {fn{name: ""}, "name"},
		"name with a dot":    {fn{name: "a.b"}, "name"},
		"name with a letter": {fn{name: "re\u0430d_file"}, "name"},
		"long name":          {fn{name: strings.Repeat("a", 65)}, "name"},
		"unknown type": {
			fn{name: "a", parameters: map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "strin"}}}},
			"schema",
		},
		"not an object":    {fn{name: "a", parameters: map[string]any{"type": "string"}}, "object"},
		"not JSON":         {fn{name: "a", parameters: map[string]any{"x": make(chan int)}}, "JSON"},
		"reads a file":     {fn{name: "a", parameters: map[string]any{"$ref": "file:///etc/passwd"}}, "must not refer"},
		"reads an address": {fn{name: "a", parameters: map[string]any{"$ref": "https://example.com/s.json"}}, "must not refer"},
		"typed, impossible": {
			tools.New("a", "", tools.Annotations{}, func(context.Context, struct{ F func() }) (any, error) { return "", nil }),
			"schema",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tools.NewToolRegistry()
			if err := r.RegisterWith(tc.tool, tools.RegisterOptions{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("RegisterWith: %v, want a word on %s", err, tc.want)
			}
			r = tools.NewToolRegistry()
			r.Register(tc.tool)
			if got := r.Reason(tc.tool.Name()); !strings.Contains(got, tc.want) {
				t.Errorf("reason %q", got)
			}
			r.SetEnabled(tc.tool.Name(), true)
			if r.Count() != 1 || len(r.ToProviderDefs()) != 0 || r.Enabled(tc.tool.Name()) {
				t.Error("it is not kept, or it is offered")
			}
			wantFailure(t, r.Execute(t.Context(), tc.tool.Name(), nil), tools.ErrDisabled)
		})
	}
}

// rude panics when it is asked for its name.
type rude struct{ fn }

func (rude) Name() string { panic("no name") }

func TestRegistryRefusesWhatIsNoTool(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	var none *plainTool
	for _, tool := range []tools.Tool{nil, none, rude{}} {
		r.Register(tool)
		if err := r.RegisterWith(tool, tools.RegisterOptions{}); err == nil {
			t.Errorf("%T was registered", tool)
		}
	}
	r.RegisterFunc("f", nil)
	r.RegisterFunc("f", func() tools.Tool { return nil })
	r.RegisterFunc("f", func() tools.Tool { panic("no tool") })
	if r.Count() != 0 {
		t.Errorf("registered: %v", r.List())
	}
}

func TestRegistryPriority(t *testing.T) {
	t.Parallel()
	builtin := func(d string) tools.Tool { return fn{name: "a", description: d} }
	community := tools.RegisterOptions{Community: true}
	r := tools.NewToolRegistry()
	check := func(what, want string) {
		t.Helper()
		tool, ok := r.Get("a")
		if !ok || tool.Description() != want {
			t.Errorf("%s: the tool is %v", what, tool)
		}
	}
	if err := r.RegisterWith(builtin("script 1"), community); err != nil {
		t.Error(err)
	}
	if err := r.RegisterWith(builtin("script 2"), community); err != nil {
		t.Error(err)
	}
	check("the later of two equals wins", "script 2")
	r.Register(builtin("built-in 1"))
	check("built-in beats community", "built-in 1")
	if err := r.RegisterWith(builtin("script 3"), community); err == nil {
		t.Error("a community tool took a built-in's name")
	}
	check("also when it comes later", "built-in 1")
	r.Register(builtin("built-in 2"))
	check("the later of two equals wins", "built-in 2")
	if r.Count() != 1 {
		t.Errorf("count %d", r.Count())
	}
	if _, ok := r.Get("b"); ok {
		t.Error("Get finds what is not there")
	}
}

func TestRegistryConstructsLazily(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	made, fail := 0, errors.New("not ready")
	err := r.RegisterWith(fn{name: "a"}, tools.RegisterOptions{Construct: func() (tools.Tool, error) {
		made++
		return fn{name: "a", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("real") }}, fail
	}})
	if err != nil || made != 0 || len(r.ToProviderDefs()) != 1 {
		t.Fatalf("%v, made %d", err, made)
	}
	res := r.Execute(t.Context(), "a", nil)
	wantFailure(t, res, tools.ErrExecutionFailed)
	if !errors.Is(res.Err, fail) {
		t.Errorf("cause %v", res.Err)
	}
	fail = nil
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if res := r.Execute(t.Context(), "a", nil); res.ForLLM != "real" {
				t.Errorf("%+v", res)
			}
		})
	}
	wg.Wait()
	if made != 2 {
		t.Errorf("made %d times, want once after one failure", made)
	}
	for what, construct := range map[string]func() (tools.Tool, error){
		"panics":      func() (tools.Tool, error) { panic("no") },
		"makes none":  func() (tools.Tool, error) { return nil, nil }, //nolint:nilnil // that is the point
		"other facts": func() (tools.Tool, error) { return &plainTool{}, nil },
	} {
		if err := r.RegisterWith(fn{name: "b"}, tools.RegisterOptions{Construct: construct}); err != nil {
			t.Error(what, err)
		}
		wantFailure(t, r.Execute(t.Context(), "b", nil), tools.ErrExecutionFailed)
	}
}

func TestFilterIsAViewForOneChat(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	r.Register(fn{name: "look", annotations: tools.Annotations{ReadOnly: true}})
	r.Register(fn{name: "change"})
	r.Register(&lockedTool{seen: map[string]int{}})
	view := r.Filter(func(_ string, a tools.Annotations) bool { return a.Level == tools.LevelRead })
	if d := cmp.Diff([]string{"look"}, view.List()); d != "" {
		t.Error(d)
	}
	wantFailure(t, view.Execute(t.Context(), "change", nil), tools.ErrPermissionDenied)
	if res := view.Execute(t.Context(), "look", nil); res.ForLLM != "look ran" {
		t.Errorf("%+v", res)
	}
	if _, ok := view.Get("change"); ok || view.Count() != 1 || view.Enabled("change") || len(view.GetSummaries()) != 1 {
		t.Error("the view shows what it does not offer")
	}
	if _, ok := view.Annotations("change"); ok {
		t.Error("the view describes what it does not offer")
	}
	none := view.Filter(func(name string, _ tools.Annotations) bool { return name == "change" })
	if none.Count() != 0 {
		t.Error("a view of a view offers more than the view")
	}
	r.SetEnabled("look", false)
	wantFailure(t, view.Execute(t.Context(), "look", nil), tools.ErrDisabled)
	if r.Count() != 3 {
		t.Error("the registry itself is filtered")
	}
}

func TestAnnotationsAreFilledIn(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistryWith(tools.Options{MaxOutput: 100})
	r.Register(fn{name: "a", annotations: tools.Annotations{ReadOnly: true}})
	a, ok := r.Annotations("a")
	if !ok || a.Level != tools.LevelRead || a.Timeout.Seconds() != 30 || a.MaxOutput != 100 {
		t.Errorf("%+v", a)
	}
}

func TestConcurrentRegistration(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { r.Register(fn{name: "t" + string(rune('A'+i%26))}) })
		wg.Go(func() { r.ToProviderDefs(); r.Execute(t.Context(), "tA", nil); r.SetEnabled("tB", i%2 == 0) })
	}
	wg.Wait()
	if r.Count() != 26 {
		t.Errorf("count %d", r.Count())
	}
}

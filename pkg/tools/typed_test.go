package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/pkg/tools"
)

type area struct {
	Name   string   `json:"name"            jsonschema:"what it is called"`
	Width  int      `json:"width"`
	Height *float64 `json:"height,omitempty"`
	Tags   []string `json:"tags,omitempty"`
}

func TestTypedTool(t *testing.T) {
	t.Parallel()
	answer := map[string]any{}
	fails := map[string]error{
		"plain": errors.New("no room"),
		"typed": tools.Fail(tools.ErrSecurityViolation, "outside", nil),
	}
	answer["struct"] = struct {
		Size int    `json:"size"`
		Text string `json:"text"`
	}{12, "<b>"}
	answer["string"] = "as it is"
	answer["result"] = tools.SilentResult("silent")
	answer["unshowable"] = func() {}
	r := tools.NewToolRegistry()
	tool := tools.New("area", "Computes.", tools.Annotations{ReadOnly: true}, func(_ context.Context, in area) (any, error) {
		if in.Width != 3 || in.Height != nil && *in.Height != 1.5 {
			t.Errorf("in: %+v", in)
		}
		return answer[in.Name], fails[in.Name]
	})
	r.Register(tool)
	whole := r.GetDefinitions()[0]["function"].(map[string]any)["parameters"]
	sameJSON(t, whole, `{"type":"object","required":["name","width"],"additionalProperties":false,"properties":{
		"name":{"type":"string","description":"what it is called"},"width":{"type":"integer"},
		"height":{"type":"number"},"tags":{"type":"array","items":{"type":"string"}}}}`)
	run := func(name string) *tools.ToolResult {
		return r.Execute(t.Context(), "area", map[string]any{"name": name, "width": float64(3), "height": 1.5, "tags": []string{"a"}})
	}
	for name, want := range map[string]string{
		"struct": `{"size":12,"text":"<b>"}`, "string": "as it is", "result": "silent", "nothing": "(no output)",
	} {
		if got := run(name); got.ForLLM != want || got.IsError {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	if !run("result").Silent {
		t.Error("a result was not passed on as it is")
	}
	if f := wantFailure(t, run("plain"), tools.ErrExecutionFailed); f.Message != "no room" {
		t.Errorf("message %q", f.Message)
	}
	wantFailure(t, run("typed"), tools.ErrSecurityViolation)
	wantFailure(t, run("unshowable"), tools.ErrExecutionFailed)
	for what, args := range map[string]map[string]any{
		"missing": {"name": "string"}, "unknown": {"name": "string", "width": 3, "x": 1}, "case": {"NAME": "string", "width": 3},
		"null": {"name": nil, "width": 3}, "fraction": {"name": "string", "width": 3.5},
	} {
		if f := wantFailure(t, r.Execute(t.Context(), "area", args), tools.ErrInvalidArguments); f.Details["errors"] == nil {
			t.Errorf("%s: %v", what, f)
		}
	}
	if got := tool.Execute(t.Context(), map[string]any{"width": "x"}); !strings.Contains(got.ForLLM, "invalid_arguments") {
		t.Errorf("without the registry: %+v", got)
	}
}

// TestArgumentsAreDecodedOnce: a call runs on the value that was examined.
func TestArgumentsAreDecodedOnce(t *testing.T) {
	t.Parallel()
	var examined []*float64
	examine := func(_ context.Context, in area) (tools.Examination, error) {
		examined = append(examined, in.Height)
		return tools.Examination{}, nil
	}
	run := func(in area) string {
		if last := examined[len(examined)-1]; in.Height != last || *in.Height != 1.5 {
			t.Errorf("%s: runs on %p, examined was %p", in.Name, in.Height, last)
		}
		return "done"
	}
	r := tools.NewToolRegistry()
	r.Register(tools.NewExamined("now", "", tools.Annotations{}, examine,
		func(_ context.Context, in area) (any, error) { return run(in), nil }))
	r.Register(tools.NewAsync("later", "", tools.Annotations{}, examine,
		func(_ context.Context, in area, _ tools.AsyncCallback) (any, error) { return run(in), nil }))
	for calls, name := range []string{"now", "later", "now"} {
		args := map[string]any{"name": name, "width": float64(3), "height": 1.5}
		if got := r.Execute(t.Context(), name, args); got.ForLLM != "done" || len(examined) != calls+1 {
			t.Errorf("%s: %+v after %d examinations", name, got, len(examined))
		}
	}
}

// TestTheSchemaOnTheWire says everything that the schema of the checks says, except that
// no other property is taken.
func TestTheSchemaOnTheWire(t *testing.T) {
	t.Parallel()
	type in struct {
		Path  string `json:"path" jsonschema:"a file"`
		Kind  string `json:"kind" enum:"one,two"`
		Limit int    `json:"limit,omitempty" minimum:"0" maximum:"20"`
	}
	tool := tools.New("look", "Looks.", tools.Annotations{}, func(context.Context, in) (any, error) { return "seen", nil })
	r := tools.NewToolRegistry()
	r.Register(tool)
	const said = `"type":"object","required":["path","kind"],"properties":{"path":{"type":"string","description":"a file"},
		"kind":{"type":"string","enum":["one","two"]},"limit":{"type":"integer","minimum":0,"maximum":20}}`
	f := r.ToProviderDefs()[0].Function
	sameJSON(t, f.Parameters, `{`+said+`}`)
	sameJSON(t, f.Encoded, `{`+said+`}`)
	sameJSON(t, r.GetDefinitions()[0]["function"].(map[string]any)["parameters"], `{`+said+`,"additionalProperties":false}`)
	for name, args := range map[string]map[string]any{
		"enum": {"path": "a", "kind": "three"}, "maximum": {"path": "a", "kind": "one", "limit": 21.0},
		"minimum": {"path": "a", "kind": "one", "limit": -1.0}, "another": {"path": "a", "kind": "one", "more": 1.0},
	} {
		if err := r.Validate("look", args); err == nil {
			t.Errorf("%s: the call was taken", name)
		}
	}
}

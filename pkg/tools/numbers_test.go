package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// counted has a field for each way in which a Go type keeps a number.
type counted struct {
	ID     int64           `json:"id,omitempty"`
	Count  uint64          `json:"count,omitempty"`
	Ratio  float64         `json:"ratio,omitempty"`
	Exact  json.Number     `json:"exact,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"`
	Any    any             `json:"any,omitempty"`
	Nested []struct {
		ID int64 `json:"id"`
	} `json:"nested,omitempty"`
}

// TestEachNumberRunsAsItWasWritten, or the call is refused before it is examined.
func TestEachNumberRunsAsItWasWritten(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	object := map[string]any{"type": "object"}
	echo := func(_ context.Context, args map[string]any) *tools.ToolResult {
		return tools.NewToolResult(fmt.Sprint(args))
	}
	r.Register(fn{name: "map", parameters: object, run: echo})
	typed := tools.NewExamined("typed", "", tools.Annotations{}, func(context.Context, counted) (tools.Examination, error) {
		return tools.Examination{}, nil
	}, func(_ context.Context, in counted) (any, error) { return in, nil })
	r.Register(anySchema{typed, object})
	const large, decimal = "9007199254740993", "0.12345678901234567891"
	for _, c := range []struct{ tool, args, want string }{
		{"map", `{"id":9007199254740991}`, "map[id:9.007199254740991e+15]"},
		{"map", `{"n":1e2,"x":[1.50]}`, "map[n:100 x:[1.5]]"},
		{"map", `{"n":1152921504606846976}`, "map[n:1.152921504606847e+18]"}, // 2^60 is a float64
		{"map", `{"n":1152921504606847000}`, "refused /n"},                   // the same float64 prints so, and its value is 2^60
		{"map", `{"a":[{"id":` + large + `}]}`, "refused /a/0/id"},
		{"map", `{"a":` + decimal + `}`, "refused /a"},
		{"map", `{"n":12345678901234567890}`, "refused /n"},
		{"typed", `{"id":` + large + `}`, `{"id":` + large + `}`},
		{"typed", `{"id":-` + large + `}`, `{"id":-` + large + `}`},
		{"typed", `{"count":12345678901234567890}`, `{"count":12345678901234567890}`},
		{"typed", `{"nested":[{"id":1},{"id":` + large + `}]}`, `{"nested":[{"id":1},{"id":` + large + `}]}`},
		{"typed", `{"exact":` + decimal + `,"raw":{"n":` + decimal + `}}`, `{"exact":` + decimal + `,"raw":{"n":` + decimal + `}}`},
		{"typed", `{"id":1152921504606847000}`, `{"id":1152921504606847000}`},
		{"typed", `{"ratio":1.152921504606847e18,"any":1152921504606847000}`, `{"ratio":1152921504606847000,"any":1152921504606847000}`},
		{"typed", `{"ratio":0.1,"any":1.5}`, `{"ratio":0.1,"any":1.5}`},
		{"typed", `{"ratio":` + decimal + `}`, "refused /ratio"},
		{"typed", `{"any":[` + large + `]}`, "refused /any/0"},
		{"typed", `{"id":12345678901234567890}`, "refused id"},
		{"typed", `{"id":` + large + `.0}`, "refused id"},
	} {
		args, err := providers.DecodeArguments(c.args)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Execute(t.Context(), c.tool, args)
		if place, refused := strings.CutPrefix(c.want, "refused "); refused {
			if f := wantFailure(t, got, tools.ErrInvalidArguments); !strings.Contains(f.Message, place) {
				t.Errorf("%s%s: %s", c.tool, c.args, f.Message)
			}
			if _, err := r.Examine(t.Context(), c.tool, args); err == nil {
				t.Errorf("%s%s: a person would be asked", c.tool, c.args)
			}
			continue
		}
		if got.ForLLM != c.want {
			t.Errorf("%s%s: got %s, want %s", c.tool, c.args, got.ForLLM, c.want)
		}
	}
	if got := r.Execute(t.Context(), "typed", map[string]any{"id": int64(9007199254740993)}); got.ForLLM != `{"id":9007199254740993}` {
		t.Errorf("a Go caller's: %s", got.ForLLM)
	}
	if got := r.Execute(t.Context(), "map", map[string]any{"id": json.Number("7")}); got.ForLLM != "map[id:7]" {
		t.Errorf("a Go caller's json.Number: %s", got.ForLLM)
	}
	wantFailure(t, r.Execute(t.Context(), "map", map[string]any{"id": json.Number("1e999999999")}), tools.ErrInvalidArguments)
}

// anySchema lets a typed tool's arguments through to its struct.
type anySchema struct {
	tools.Tool
	schema map[string]any
}

func (a anySchema) Parameters() map[string]any { return a.schema }

func (a anySchema) TakesExact(args map[string]any) error {
	return a.Tool.(tools.ExactTool).TakesExact(args)
}

func (a anySchema) Examine(ctx context.Context, args map[string]any) (tools.Examination, error) {
	return a.Tool.(tools.Examiner).Examine(ctx, args)
}

// exactTool takes all numbers, under a schema.
type exactTool struct{ fn }

func (exactTool) TakesExact(map[string]any) error { return nil }

// TestSchemasHoldForExactNumbers: a bound holds also where no float64 is the number.
func TestSchemasHoldForExactNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema, n string
		fits      bool
	}{
		{`{"type":"integer"}`, "9007199254740993", true},
		{`{"type":"integer"}`, "123456789012345678901234567890123", true},
		{`{"type":"number"}`, "1.0000000000000000001", true},
		{`{"type":"integer"}`, "1.0000000000000000001", false},
		{`{"type":"integer"}`, "0.99999999999999999999", false},
		{`{"type":"string"}`, "9007199254740993", false},
		{`{"maxLength":3}`, "9007199254740993", true},
		{`{"pattern":"^x"}`, "0.12345678901234567891", true},
		{`{"maximum":9007199254740992}`, "9007199254740993", false},
		{`{"maximum":9007199254740994}`, "9007199254740993", true},
		{`{"exclusiveMinimum":1}`, "1.1000000000000000001", true},
		{`{"exclusiveMinimum":1}`, "1.0000000000000000001", false}, // a neighbour touches the bound: refused, to be safe
		{`{"maximum":1}`, "1.0000000000000000001", false},
		{`{"exclusiveMaximum":1}`, "0.12345678901234567891", true},
		{`{"minimum":1}`, "0.99999999999999999999", false},
		{`{"maximum":18446744073709551616}`, "18446744073709551617", false},
		{`{"multipleOf":2}`, "9007199254740993", true}, // the library counts in float64
		{`{"enum":[9007199254740992]}`, "9007199254740993", false},
	} {
		r := tools.NewToolRegistry()
		var schema any
		if err := json.Unmarshal([]byte(c.schema), &schema); err != nil {
			t.Fatal(err)
		}
		r.Register(exactTool{fn{name: "t", parameters: map[string]any{"type": "object", "properties": map[string]any{"n": schema}}}})
		args, err := providers.DecodeArguments(`{"n":` + c.n + `}`)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Validate("t", args); (err == nil) != c.fits {
			t.Errorf("%s for %s: %v", c.n, c.schema, err)
		}
	}
}

// TestChoicesThatCannotBeToldApart: the library would take another number for an
// enumerated one, so a tool that enumerates such numbers is disabled.
func TestChoicesThatCannotBeToldApart(t *testing.T) {
	t.Parallel()
	for schema, fine := range map[string]bool{
		`{"properties":{"n":{"enum":[9007199254740993]}}}`:                          false,
		`{"properties":{"n":{"anyOf":[{"const":0.12345678901234567891}]}}}`:         false,
		`{"properties":{"enum":{"type":"integer","default":9007199254740993}}}`:     true,
		`{"properties":{"n":{"enum":[0.1,"9007199254740993",1e20]}}}`:               true,
		`{"properties":{"n":{"type":"integer","maximum":9223372036854775807}}}`:     true,
		`{"properties":{"n":{"items":{"enum":[{"id":[12345678901234567890]}]}}}}`:   false,
		`{"$defs":{"enum":{"type":"integer","examples":[{"const":[1e-7,2e300]}]}}}`: true,
	} {
		r := tools.NewToolRegistry()
		parameters, err := providers.DecodeArguments(schema)
		if err != nil {
			t.Fatal(err)
		}
		r.Register(fn{name: "t", parameters: parameters})
		if got := r.Reason("t"); (got == "") != fine || !fine && !strings.Contains(got, "write a text") {
			t.Errorf("%s: %q", schema, got)
		}
	}
}

// TestALoopRunsTheTextOfACall, whatever its provider made of it: an answer that was
// stored, or a provider that counts in float64, must not change a number.
func TestALoopRunsTheTextOfACall(t *testing.T) {
	t.Parallel()
	type in struct {
		ID int64 `json:"id"`
	}
	r := tools.NewToolRegistry()
	r.Register(tools.New("get", "", tools.Annotations{ReadOnly: true}, func(_ context.Context, in in) (any, error) { return in, nil }))
	get := func(id, raw string) providers.ToolCall {
		return providers.ToolCall{ID: id, Type: "function", Name: "get", Arguments: map[string]any{"id": 9007199254740992.0}, RawArguments: raw}
	}
	stored := slices.Concat(hello, []providers.Message{{Role: providers.RoleAssistant, ToolCalls: []providers.ToolCall{get("old", `"{\"id\":9007199254740993}"`)}}})
	model := &script{answers: []*providers.LLMResponse{
		calls(get("a", `{"id":9007199254740993}`), get("b", `{"id":9007199254740992}`), get("c", `"{\"id\":9007199254740995}"`)), says("fine"),
	}}
	res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: r}, stored, "c", "7")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i := range res.Messages {
		m := &res.Messages[i]
		for _, c := range m.ToolCalls {
			got["text of "+c.ID] = c.RawArguments
		}
		if m.Role == providers.RoleTool {
			got[m.ToolCallID] = m.Content
		}
	}
	want := map[string]string{
		"old": `{"id":9007199254740993}`, "a": `{"id":9007199254740993}`, "b": `{"id":9007199254740992}`, "c": `{"id":9007199254740995}`,
		"text of a": `{"id":9007199254740993}`, "text of b": `{"id":9007199254740992}`, "text of c": `{"id":9007199254740995}`,
	}
	if got["a"] == fromMemory+want["a"] { // the resumed call was the same one
		got["a"] = want["a"]
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

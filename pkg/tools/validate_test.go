package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
)

// strictTool has a schema with one of everything that tools use.
func strictTool() tools.Tool {
	return fn{name: "strict", parameters: map[string]any{
		"type": "object",
		"properties": map[string]any{
			"path":  map[string]any{"type": "string", "minLength": 1, "maxLength": 10},
			"count": map[string]any{"type": "integer", "minimum": 1, "maximum": 5},
			"mode":  map[string]any{"type": "string", "enum": []string{"fast", "slow"}},
			"tags":  map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "uniqueItems": true},
			"deep":  map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "boolean"}}},
		},
		"required":             []string{"path"},
		"additionalProperties": false,
	}}
}

func TestValidateListsEveryErrorByPath(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	r.Register(strictTool())
	err := r.Validate("strict", map[string]any{
		"count": float64(9), "mode": "Fast", "tags": []any{"a", 1.0}, "deep": map[string]any{"x": "yes"}, "Path": "x",
	})
	own, ok := errors.AsType[*tools.Error](err)
	if !ok || own.Type != tools.ErrInvalidArguments {
		t.Fatalf("%v", err)
	}
	got := map[string]int{}
	for _, p := range own.Details["errors"].([]map[string]any) {
		got[p["path"].(string)]++
	}
	want := map[string]int{"/": 2, "/count": 1, "/mode": 1, "/tags/1": 1, "/deep/x": 1}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s\n%s", d, own.Message)
	}
	for _, word := range []string{`missing argument "path"`, `unknown argument "Path"`, `argument "count" `, `argument "tags/1" `} {
		if !strings.Contains(own.Message, word) {
			t.Errorf("no word on %s: %s", word, own.Message)
		}
	}
	if r.Validate("strict", nil) == nil {
		t.Error("no arguments are valid where one is required")
	}
	if err := r.Validate("none", nil); err == nil {
		t.Error("an unknown tool has valid arguments")
	}
}

// TestProblemsAreFoundWhereTheyAre: within items, references, patterns and the schema
// of unnamed properties; and a problem of the whole is kept.
func TestProblemsAreFoundWhereTheyAre(t *testing.T) {
	t.Parallel()
	number := map[string]any{"type": "number"}
	r := tools.NewToolRegistry()
	r.Register(fn{name: "a", parameters: map[string]any{
		"type": "object",
		"$defs": map[string]any{
			"point": map[string]any{"type": "object", "properties": map[string]any{"x": number}, "required": []string{"x", "y"}},
		},
		"properties": map[string]any{
			"list":  map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/point"}, "maxItems": 2},
			"pair":  map[string]any{"type": "array", "prefixItems": []any{number, map[string]any{"type": "string"}}},
			"other": map[string]any{"type": "object", "additionalProperties": number, "minProperties": 3},
			"any":   map[string]any{"anyOf": []any{number, map[string]any{"type": "boolean"}}},
			"loose": map[string]any{"type": "object", "patternProperties": map[string]any{"^n": number}, "additionalProperties": false},
			"exact": map[string]any{"type": "object", "properties": map[string]any{"p": number}, "unevaluatedProperties": false},
			"back":  map[string]any{"$ref": "#/properties/any"},
		},
	}})
	for name, tc := range map[string]struct {
		args string
		want map[string]int
	}{
		"well": {`{"list":[{"x":1,"y":2}],"pair":[1,"a"],"other":{"a":1,"b":2,"c":3},"any":true,"loose":{"n1":1},"exact":{"p":1},"back":2}`, nil},
		"list": {`{"list":[{"x":1,"y":2},{"x":"1"},3]}`, map[string]int{"/list": 1, "/list/1": 1, "/list/2": 1}},
		"pair": {`{"pair":["a",1]}`, map[string]int{"/pair": 1}},
		"more": {`{"other":{"a":"1"}}`, map[string]int{"/other": 1, "/other/a": 1}},
		"any":  {`{"any":"x","back":"x"}`, map[string]int{"/any": 1}},
		"back": {`{"back":"x"}`, map[string]int{"/": 1}},
		"name": {`{"loose":{"n1":"x","m":1}}`, map[string]int{"/loose": 2}},
		"left": {`{"exact":{"p":"x","q":1}}`, map[string]int{"/exact": 1}},
	} {
		var args map[string]any
		if err := json.Unmarshal([]byte(tc.args), &args); err != nil {
			t.Fatal(err)
		}
		err := r.Validate("a", args)
		own, _ := errors.AsType[*tools.Error](err)
		if tc.want == nil {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		got := map[string]int{}
		for _, p := range own.Details["errors"].([]map[string]any) {
			got[p["path"].(string)]++
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s: %s\n%s", name, d, own.Message)
		}
	}
}

func TestValidateTakesGoValues(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	r.Register(strictTool())
	for name, args := range map[string]map[string]any{
		"int":         {"path": "a", "count": 3},
		"json.Number": {"path": "a", "count": json.Number("3")},
		"[]string":    {"path": "a", "tags": []string{"x"}},
		"struct":      {"path": "a", "deep": struct{}{}},
	} {
		if err := r.Validate("strict", args); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, args := range map[string]map[string]any{
		"wrong inside []int": {"path": "a", "tags": []int{1}},
		"not JSON":           {"path": "a", "tags": make(chan int)},
		"huge number":        {"path": "a", "count": json.Number("1e999999999")},
		"odd number":         {"path": "a", "count": json.Number("NaN")},
	} {
		if err := r.Validate("strict", args); err == nil {
			t.Errorf("%s is valid", name)
		}
	}
}

func TestHostileArguments(t *testing.T) {
	t.Parallel()
	deep := any("x")
	for range 20_000 {
		deep = []any{deep}
	}
	deepObject := map[string]any{}
	for range 20_000 {
		deepObject = map[string]any{"d": deepObject}
	}
	many := map[string]any{}
	for i := range 10_000 {
		many[fmt.Sprintf("k%d", i)] = "x"
	}
	loop := map[string]any{}
	loop["self"] = loop
	r := tools.NewToolRegistry()
	ran := false
	run := func(context.Context, map[string]any) *tools.ToolResult { ran = true; return nil }
	strict := strictTool().(fn)
	strict.run = run
	r.Register(strict)
	r.Register(fn{name: "open", run: run})
	for name, args := range map[string]map[string]any{
		"20,000 brackets": {"path": deep}, "20,000 objects": deepObject, "10 MiB": {"path": strings.Repeat("a", 10<<20)},
		"10 MiB key": {strings.Repeat("k", 10<<20): 1}, "in itself": loop,
	} {
		for _, tool := range []string{"open", "strict"} {
			if f := wantFailure(t, r.Execute(t.Context(), tool, args), tools.ErrInvalidArguments); len(f.Message) > 4<<10 {
				t.Errorf("%s: %d bytes of message", name, len(f.Message))
			}
		}
	}
	res := r.Execute(t.Context(), "strict", many)
	if wantFailure(t, res, tools.ErrInvalidArguments); len(res.ForLLM) > 8<<10 {
		t.Errorf("10,000 wrong names make %d bytes", len(res.ForLLM))
	}
	long := strings.Repeat("n", 10<<20)
	if res := r.Execute(t.Context(), long, nil); len(res.ForLLM) > 4<<10 {
		t.Errorf("a long name makes %d bytes", len(res.ForLLM))
	}
	if ran {
		t.Error("a call with hostile arguments ran")
	}
}

func FuzzValidate(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a"}`, `{"path":"a","count":1e400}`, `{"Path":1,"tags":["a","a"]}`, `{"deep":{"x":null}}`, `[]`, `{"path":"\ud800"}`, `{"count":-0.0}`,
	} {
		f.Add(seed)
	}
	r := tools.NewToolRegistry()
	r.Register(strictTool())
	f.Fuzz(func(t *testing.T, text string) {
		var args map[string]any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if dec.Decode(&args) != nil {
			return
		}
		err := r.Validate("strict", args)
		if err == nil {
			path, ok := args["path"].(string)
			if !ok || path == "" {
				t.Fatalf("%q is valid", text)
			}
			for k := range args {
				switch k {
				case "path", "count", "mode", "tags", "deep":
				default:
					t.Fatalf("%q is valid with %q", text, k)
				}
			}
			return
		}
		own, ok := errors.AsType[*tools.Error](err)
		if !ok {
			t.Fatalf("%T", err)
		}
		wantFailureText(t, own.Result().ForLLM, tools.ErrInvalidArguments)
	})
}

func TestEachProblemOfArgumentsIsASentence(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	list := func(items ...any) []any { return items }
	for name, tc := range map[string]struct {
		schema object
		value  any
		want   string
	}{
		"type":             {object{"type": "string"}, 1.0, `argument "a" must be a string, not a number`},
		"types":            {object{"type": list("string", "null")}, true, `argument "a" must be a string or null, not true or false`},
		"fraction":         {object{"type": "integer"}, 1.5, `argument "a" must be a whole number`},
		"list":             {object{"type": "array"}, object{}, `argument "a" must be a list, not an object`},
		"enum":             {object{"enum": list("c", 2)}, "f", `argument "a" must be one of "c", 2`},
		"const":            {object{"const": "c"}, "f", `argument "a" must be "c"`},
		"minimum":          {object{"minimum": 1.5}, 1.0, `argument "a" must be at least 1.5`},
		"maximum":          {object{"maximum": 5}, 6.0, `argument "a" must be at most 5`},
		"exclusiveMinimum": {object{"exclusiveMinimum": 0}, 0.0, `argument "a" must be more than 0`},
		"exclusiveMaximum": {object{"exclusiveMaximum": 1}, 1.0, `argument "a" must be less than 1`},
		"multipleOf":       {object{"multipleOf": 5}, 7.0, `argument "a" must be a multiple of 5`},
		"empty":            {object{"minLength": 1}, "", `argument "a" must not be empty`},
		"minLength":        {object{"minLength": 2}, "é", `argument "a" must have at least 2 characters`},
		"maxLength":        {object{"maxLength": 2}, "abc", `argument "a" must have at most 2 characters`},
		"pattern":          {object{"pattern": "^x"}, "y", `argument "a" must match the pattern "^x"`},
		"minItems":         {object{"minItems": 2}, list(1), `argument "a" must have at least 2 items`},
		"maxItems":         {object{"maxItems": 2}, list(1, 2, 3), `argument "a" must have at most 2 items`},
		"uniqueItems":      {object{"uniqueItems": true}, list("x", "x"), `argument "a" must not have an item twice`},
		"minProperties":    {object{"minProperties": 2}, object{}, `argument "a" must have at least 2 properties`},
		"maxProperties":    {object{"maxProperties": 2}, object{"x": 1, "y": 2, "z": 3}, `argument "a" must have at most 2 properties`},
		"item":             {object{"items": object{"type": "string"}}, list("x", 1), `argument "a/1" must be a string, not a number`},
		"missing inside":   {object{"items": object{"required": list("b")}}, list(object{}), `missing "b" in argument "a/0"`},
		"unknown inside":   {object{"additionalProperties": false}, object{"b": 1}, `unknown "b" in argument "a"`},
		"another keyword":  {object{"not": object{}}, 1.0, `argument "a" does not fit the schema: not: validated against `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := tools.NewToolRegistry()
			r.Register(fn{name: "t", parameters: object{"type": "object", "properties": object{"a": tc.schema}}})
			err := r.Validate("t", object{"a": tc.value})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
	r := tools.NewToolRegistry()
	r.Register(fn{name: "t", parameters: object{"type": "object", "required": list("expression", "base"), "additionalProperties": false}})
	err := r.Validate("t", object{"x": 1})
	if want := `missing arguments "expression", "base"; unknown argument "x"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

package calc_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
	"parley/pkg/tools/calc"
)

func registry() *tools.ToolRegistry {
	r := tools.NewToolRegistry()
	r.Register(calc.New())
	return r
}

func TestCalculator(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"expression": "17*23"}, `{"expression":"17*23","result":391}`},
		{map[string]any{"expression": "sqrt(144) + pi * 2"}, `{"expression":"sqrt(144) + pi * 2","result":18.2831853071796,"rounded":true}`},
		{map[string]any{"expression": "2^100"}, `{"expression":"2^100","result":1267650600228229401496703205376}`},
		{map[string]any{"expression": "1 +"}, `{"error":true,"type":"invalid_arguments",` +
			`"message":"the expression ends where a number is expected (at character 4)","details":{"kind":"syntax","position":4}}`},
		{map[string]any{"expression": "1/0"}, `{"error":true,"type":"execution_failed",` +
			`"message":"division by zero (at character 2)","details":{"kind":"domain","position":2}}`},
	}
	for _, tt := range tests {
		res := registry().Execute(t.Context(), "calculator", tt.args)
		if diff := cmp.Diff(tt.want, res.ForLLM); diff != "" || res.IsError != strings.Contains(tt.want, `"error"`) {
			t.Errorf("%v: %s", tt.args, diff)
		}
	}
}

func TestCalculatorRefusesOtherArguments(t *testing.T) {
	t.Parallel()
	for _, args := range []map[string]any{nil, {"expression": 5}, {"Expression": "1"}, {"expression": "1", "x": 1}} {
		res := registry().Execute(t.Context(), "calculator", args)
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(res.ForLLM), &e); err != nil || e.Type != string(tools.ErrInvalidArguments) {
			t.Errorf("%v: %s", args, res.ForLLM)
		}
	}
	a := tools.AnnotationsOf(calc.New())
	if !a.ReadOnly || !a.Idempotent || a.Level != tools.LevelChat {
		t.Errorf("annotations %+v", a)
	}
}

func ExampleEval() {
	result, err := calc.Eval("200 + 10%")
	fmt.Println(result.Result, err)
	_, err = calc.Eval("2 * (3 + 4")
	fmt.Println(err)
	// Output:
	// 220 <nil>
	// the expression ends where a closing parenthesis is expected (at character 11)
}

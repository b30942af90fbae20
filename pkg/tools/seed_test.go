package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// The contract's names and signatures: this file does not compile when one changes.
type (
	contractTool interface {
		Name() string
		Description() string
		Parameters() map[string]any
		Execute(ctx context.Context, args map[string]any) *tools.ToolResult
	}
	contractContextual interface {
		tools.Tool
		SetContext(channel, chatID string)
	}
	contractAsync interface {
		tools.Tool
		SetCallback(cb tools.AsyncCallback)
	}
	contractRegistry interface {
		contractDispatch
		contractListing
	}
	contractDispatch interface {
		Register(tool tools.Tool)
		Get(name string) (tools.Tool, bool)
		Execute(ctx context.Context, name string, args map[string]any) *tools.ToolResult
		ExecuteWithContext(
			ctx context.Context, name string, args map[string]any, channel, chatID string, asyncCallback tools.AsyncCallback,
		) *tools.ToolResult
	}
	contractListing interface {
		GetDefinitions() []map[string]any
		ToProviderDefs() []providers.ToolDefinition
		List() []string
		Count() int
		GetSummaries() []string
	}
)

var (
	_ tools.Tool           = contractTool(nil)
	_ contractTool         = tools.Tool(nil)
	_ tools.ContextualTool = contractContextual(nil)
	_ contractContextual   = tools.ContextualTool(nil)
	_ tools.AsyncTool      = contractAsync(nil)
	_ contractAsync        = tools.AsyncTool(nil)
	_ contractRegistry     = (*tools.ToolRegistry)(nil)

	_ func() *tools.ToolRegistry                       = tools.NewToolRegistry
	_ func(tools.Tool) map[string]any                  = tools.ToolToSchema
	_ func(string) *tools.ToolResult                   = tools.NewToolResult
	_ func(string) *tools.ToolResult                   = tools.SilentResult
	_ func(string) *tools.ToolResult                   = tools.AsyncResult
	_ func(string) *tools.ToolResult                   = tools.ErrorResult
	_ func(string) *tools.ToolResult                   = tools.UserResult
	_ func(*tools.ToolResult, error) *tools.ToolResult = (*tools.ToolResult).WithError
	_ func(context.Context, *tools.ToolResult)         = tools.AsyncCallback(nil)

	_ func(context.Context, tools.ToolLoopConfig, []providers.Message, string, string) (*tools.ToolLoopResult, error) = tools.RunToolLoop

	_ = tools.ToolResult{ForLLM: "", ForUser: "", Silent: false, IsError: false, Async: false, Err: error(nil)}
	_ = tools.ToolLoopConfig{
		Provider: providers.LLMProvider(nil), Model: "", Tools: (*tools.ToolRegistry)(nil),
		MaxIterations: int(0), LLMOptions: map[string]any(nil),
	}
	_ = tools.ToolLoopResult{Content: "", Iterations: int(0)}
)

func TestResultTags(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"ForLLM": `json:"for_llm"`, "ForUser": `json:"for_user,omitempty"`, "Silent": `json:"silent"`,
		"IsError": `json:"is_error"`, "Async": `json:"async"`, "Err": `json:"-"`,
	}
	got := map[string]string{}
	for f := range reflect.TypeFor[tools.ToolResult]().Fields() {
		got[f.Name] = string(f.Tag)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestResultConstructors(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk full")
	for name, tc := range map[string]struct {
		got  *tools.ToolResult
		json string
	}{
		"plain":      {tools.NewToolResult("a"), `{"for_llm":"a","silent":false,"is_error":false,"async":false}`},
		"silent":     {tools.SilentResult("a"), `{"for_llm":"a","silent":true,"is_error":false,"async":false}`},
		"async":      {tools.AsyncResult("a"), `{"for_llm":"a","silent":false,"is_error":false,"async":true}`},
		"error":      {tools.ErrorResult("a"), `{"for_llm":"a","silent":false,"is_error":true,"async":false}`},
		"user":       {tools.UserResult("a"), `{"for_llm":"a","for_user":"a","silent":false,"is_error":false,"async":false}`},
		"with error": {tools.ErrorResult("a").WithError(cause), `{"for_llm":"a","silent":false,"is_error":true,"async":false}`},
	} {
		b, err := json.Marshal(tc.got)
		if err != nil || string(b) != tc.json {
			t.Errorf("%s: %s, %v; want %s", name, b, err, tc.json)
		}
	}
	if got := tools.NewToolResult("a").WithError(cause); !errors.Is(got.Err, cause) {
		t.Errorf("WithError keeps %v", got.Err)
	}
}

// readFile is the contract's own example of a tool.
func readFile() tools.Tool {
	return fn{
		name: "read_file", description: "Read the contents of a file at the given path.",
		parameters: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"path": map[string]any{"type": "string", "description": "Path to the file to read"},
			},
			"required": []string{"path"},
		},
		run: func(_ context.Context, args map[string]any) *tools.ToolResult {
			return tools.NewToolResult("Hello from " + args["path"].(string) + "\n")
		},
	}
}

const readFileJSON = `{"type":"function","function":{"name":"read_file","description":"Read the contents of a file at the given path.",` +
	`"parameters":{"type":"object","properties":{"path":{"type":"string","description":"Path to the file to read"}},"required":["path"]}}}`

func sameJSON(t *testing.T, got any, want string) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var g, w any
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Error(d)
	}
}

func TestDefinitionsHaveTheShapeOfTheWire(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	r.Register(readFile())
	sameJSON(t, tools.ToolToSchema(readFile()), readFileJSON)
	sameJSON(t, r.GetDefinitions(), "["+readFileJSON+"]")
	sameJSON(t, r.ToProviderDefs(), "["+readFileJSON+"]")
	sameJSON(t, r.GetSummaries(), "[\"- `read_file` - Read the contents of a file at the given path.\"]")
	bare := tools.ToolToSchema(fn{name: "bare"})
	sameJSON(t, bare, `{"type":"function","function":{"name":"bare","description":"","parameters":{"type":"object","properties":{}}}}`)
}

// TestContractLoop plays the contract's own example, with its names and texts.
func TestContractLoop(t *testing.T) {
	t.Parallel()
	r := tools.NewToolRegistry()
	r.Register(readFile())
	model := &script{answers: []*providers.LLMResponse{
		{
			Content:      "I'll read that file for you.",
			ToolCalls:    []providers.ToolCall{{ID: "call_abc123", Name: "read_file", Arguments: map[string]any{"path": "/tmp/foo"}}},
			FinishReason: "tool_calls",
		},
		{Content: "It says hello.", FinishReason: "stop"},
	}}
	res, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{
		Provider: model, Model: "gpt-4o", Tools: r, MaxIterations: 5, LLMOptions: map[string]any{"max_tokens": 4096},
	}, []providers.Message{{Role: "user", Content: "what is in /tmp/foo?"}}, "telegram", "42")
	if err != nil || res.Content != "It says hello." || res.Iterations != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	want := []providers.Message{
		{Role: "user", Content: "what is in /tmp/foo?"},
		{Role: "assistant", Content: "I'll read that file for you.", ToolCalls: []providers.ToolCall{
			{ID: "call_abc123", Type: "function", Name: "read_file", Arguments: map[string]any{"path": "/tmp/foo"}},
		}},
		{Role: "tool", Content: "Hello from /tmp/foo\n", ToolCallID: "call_abc123", Name: "read_file"},
	}
	if d := cmp.Diff(want, model.asked[1].messages); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]any{"max_tokens": 4096}, model.asked[1].options); d != "" {
		t.Error(d)
	}
	if model.asked[0].model != "gpt-4o" || len(model.asked[0].tools) != 1 {
		t.Errorf("asked %+v", model.asked[0])
	}
}

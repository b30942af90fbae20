package tools_test

import (
	"context"
	"testing"

	"parley/pkg/tools"
)

// benchTool is contextual, async and copied by its own Clone.
type benchTool struct {
	channel, chat string
	cb            tools.AsyncCallback
}

func (b *benchTool) Name() string                       { return "bench" }
func (b *benchTool) Description() string                { return "does nothing" }
func (b *benchTool) Parameters() map[string]any         { return nil }
func (b *benchTool) SetContext(channel, chat string)    { b.channel, b.chat = channel, chat }
func (b *benchTool) SetCallback(cb tools.AsyncCallback) { b.cb = cb }
func (b *benchTool) Clone() tools.Tool                  { c := *b; return &c }
func (b *benchTool) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	b.cb(ctx, nil)
	return tools.AsyncResult(b.chat)
}

func BenchmarkDispatchClonedContextualAsync(b *testing.B) {
	r := tools.NewToolRegistry()
	r.Register(&benchTool{})
	told := 0
	cb := func(context.Context, *tools.ToolResult) { told++ }
	ctx := tools.WithInvocation(b.Context(), tools.Invocation{Channel: "telegram", Chat: "42"})
	b.ReportAllocs()
	for b.Loop() {
		if res := r.ExecuteWithContext(ctx, "bench", nil, "telegram", "42", cb); res.ForLLM != "42" {
			b.Fatal(res.ForLLM)
		}
	}
	if told != b.N {
		b.Fatalf("%d callbacks of %d", told, b.N)
	}
}

func BenchmarkValidate(b *testing.B) {
	r := tools.NewToolRegistry()
	r.Register(tools.New("reads", "reads", tools.Annotations{}, func(context.Context, readArgs) (any, error) { return "", nil }))
	args := map[string]any{"path": "notes/today.md", "offset": float64(10), "limit": float64(200), "tags": []any{"a", "b"}}
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Validate("reads", args); err != nil {
			b.Fatal(err)
		}
	}
}

type readArgs struct {
	Path   string   `json:"path"             jsonschema:"the file"`
	Offset int      `json:"offset,omitempty" jsonschema:"the first line"`
	Limit  int      `json:"limit,omitempty"`
	Tags   []string `json:"tags,omitempty"`
}

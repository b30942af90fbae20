package spoken_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/spoken"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// every is all forms.
const every = spoken.Bare<<1 - 1

// outcome is an answer as its reader sees it.
type outcome struct {
	Content, Reasoning string
	Calls              []string // NAME and arguments
}

// tool offers a tool with some parameters: their names and types.
func tool(name string, parameters ...string) providers.ToolDefinition {
	properties := map[string]any{}
	for i := 0; i+1 < len(parameters); i += 2 {
		properties[parameters[i]] = map[string]any{"type": parameters[i+1]}
	}
	return providers.ToolDefinition{Type: "function", Function: providers.FunctionDefinition{
		Name: name, Parameters: map[string]any{"type": "object", "properties": properties},
	}}
}

func offered() []providers.ToolDefinition {
	return []providers.ToolDefinition{
		tool("weather", "city", "string", "days", "integer", "code", "string"),
		tool("now"),
	}
}

func hello() []providers.Message {
	return []providers.Message{{Role: providers.RoleUser, Content: "How is the weather in Paris?"}}
}

// read reads an answer that comes in pieces of so many bytes. The text that was emitted must
// be the content, and each call must have been announced.
func read(t *testing.T, h spoken.Habits, messages []providers.Message, answer string, size int) (outcome, *providers.LLMResponse) {
	t.Helper()
	var b strings.Builder
	announced := 0
	r := spoken.NewReader(h, messages, offered(), func(e providers.StreamEvent) {
		switch e := e.(type) {
		case providers.TextDelta:
			b.WriteString(e.Text)
		case providers.ToolCallDelta:
			announced++
		}
	})
	for rest := answer; rest != ""; {
		n := min(size, len(rest))
		r.Emit(providers.TextDelta{Text: rest[:n]})
		rest = rest[n:]
	}
	whole := &providers.LLMResponse{Content: answer, FinishReason: providers.FinishStop}
	resp := r.Finish(whole)
	if whole.Content != answer || len(whole.ToolCalls) > 0 {
		t.Errorf("the answer was changed: %+v", whole)
	}
	shown := b.String()
	if shown != resp.Content || announced != len(resp.ToolCalls) {
		t.Errorf("emitted %q and %d calls, answered %q and %d calls", shown, announced, resp.Content, len(resp.ToolCalls))
	}
	o := outcome{Content: resp.Content, Reasoning: resp.Reasoning}
	for i := range resp.ToolCalls {
		c := &resp.ToolCalls[i]
		arguments, err := json.Marshal(c.Arguments)
		if err != nil || c.ID == "" || c.Type != "function" {
			t.Errorf("call %d is %+v, %v", i, c, err)
		}
		o.Calls = append(o.Calls, c.Name+string(arguments)+c.BadArguments)
	}
	if len(o.Calls) > 0 != (resp.FinishReason == providers.FinishToolCalls) {
		t.Errorf("%d calls, and the finish reason is %s", len(o.Calls), resp.FinishReason)
	}
	return o, resp
}

// expect reads an answer in pieces of several sizes.
func expect(t *testing.T, h spoken.Habits, messages []providers.Message, answer string, want outcome) {
	t.Helper()
	for _, size := range []int{1, 2, 3, 7, len(answer) + 1} {
		got, _ := read(t, h, messages, answer, size)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in pieces of %d bytes, %q: -want +got\n%s", size, answer, diff)
		}
	}
}

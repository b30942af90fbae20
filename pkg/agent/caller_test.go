package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// spelled is a request in one line for each message behind the instructions.
func spelled(msgs []providers.Message) string {
	var all []string
	for i := range msgs {
		m := &msgs[i]
		if m.Role == providers.RoleSystem || m.Aside {
			continue
		}
		line := m.Role + ":" + m.Content
		for _, c := range m.ToolCalls {
			line += " " + c.Name + c.RawArguments
		}
		all = append(all, line)
	}
	return strings.Join(all, "|")
}

// reads is a tool that may run again.
var reads = tools.Annotations{ReadOnly: true, Level: tools.LevelChat}

// said is the end of an asked conversation.
func said(role, text string) channels.Said { return channels.Said{Role: role, Text: text} }

// both is a model that calls a tool of the gateway and one of the program at once, and then
// answers with all that it reads.
func both(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
	if last(msgs).Content != "go" {
		return say(spelled(msgs))
	}
	resp, err := call("a", "{}")
	resp.Content = "I look"
	resp.ToolCalls = append(resp.ToolCalls, providers.ToolCall{
		ID: "call_theirs", Type: "function", Name: "theirs", Arguments: map[string]any{}, RawArguments: `{"x":1}`,
	})
	return resp, err
}

// theirs is the wish of a program with a tool of its own.
func theirs(words ...channels.Said) *channels.Wish {
	return &channels.Wish{Said: words, Caller: []channels.CallerTool{{Name: "theirs", Parameters: []byte(`{"type":"object"}`)}}}
}

// TestAToolOfTheProgramEndsItsTurn: the calls of the gateway run first and keep their
// results, and the conversation goes on with the result that the program brings.
func TestAToolOfTheProgramEndsItsTurn(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	a := fn{name: "a", an: reads, run: func(context.Context, map[string]any) *tools.ToolResult {
		ran.Add(1)
		return tools.NewToolResult("ours")
	}}
	w := newWorld(t, script(both), []tools.Tool{a})
	w.wishing("", theirs(said("user", "go")))
	w.settled() // without a message
	if ran.Load() != 1 {
		t.Errorf("the gateway's tool ran %d times", ran.Load())
	}
	w.restart()
	w.wishing("", theirs(channels.Said{Role: "tool", CallID: "call_theirs", Text: "theirs!"}))
	w.expectText(`user:go|assistant:I look a{} theirs{"x":1}|tool:ours|tool:theirs!`)
	w.write("1", "1", "and then?")
	if got := w.expect().Text; !strings.HasSuffix(got, "|tool:ours|tool:theirs!|assistant:"+
		`user:go|assistant:I look a{} theirs{"x":1}|tool:ours|tool:theirs!|user:and then?`) {
		t.Errorf("the history reads %s", got)
	}
	w.settled()
}

// TestACallOfTheProgramOutlivesACrash: the gateway dies between the answer and the end of the
// turn, and the turn ends as it would have.
func TestACallOfTheProgramOutlivesACrash(t *testing.T) {
	t.Parallel()
	var crashed atomic.Bool
	var asked atomic.Int64
	blocked := make(chan struct{})
	slow := fn{name: "a", an: reads, run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		if crashed.Load() {
			return tools.NewToolResult("ours")
		}
		close(blocked)
		<-ctx.Done()
		return tools.ErrorResult("cut off")
	}}
	model := func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		asked.Add(1)
		return both(ctx, msgs, defs)
	}
	w := newWorld(t, script(model), []tools.Tool{slow}, withGrace(time.Millisecond))
	w.wishing("", theirs(said("user", "go")))
	<-blocked
	crashed.Store(true)
	w.restart()
	w.settled()
	if asked.Load() != 1 {
		t.Errorf("the model was asked %d times", asked.Load())
	}
	w.wishing("", theirs(channels.Said{Role: "tool", CallID: "call_theirs", Text: "theirs!"}))
	w.expectText(`user:go|assistant:I look a{} theirs{"x":1}|tool:ours|tool:theirs!`)
	w.settled()
}

// TestWordsOfAProgramAreClaims: a call that the program says was made is not made, whether its
// tool is one of the gateway or not, and its result is the program's.
func TestWordsOfAProgramAreClaims(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	a := fn{name: "a", an: reads, run: func(context.Context, map[string]any) *tools.ToolResult {
		ran.Add(1)
		return tools.NewToolResult("ours")
	}}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say(spelled(msgs))
	}), []tools.Tool{a})
	claim := channels.Said{Role: "assistant", Calls: []channels.SaidCall{{ID: "c1", Name: "a", Arguments: "{}"}}}
	w.wishing("", &channels.Wish{Said: []channels.Said{said("user", "hi"), claim}})
	if got := w.expect().Text; !strings.Contains(got, "interrupted") || !strings.HasPrefix(got, "user:hi|assistant: a{}|tool:") {
		t.Errorf("%s", got)
	}
	result := channels.Said{Role: "tool", CallID: "c1", Text: "seen"}
	w.wishing("", &channels.Wish{Said: []channels.Said{said("user", "hi"), claim, result, said("user", "so?")}})
	if got := w.expect().Text; !strings.HasSuffix(got, "|user:hi|assistant: a{}|tool:seen|user:so?") {
		t.Errorf("%s", got)
	}
	if w.settled(); ran.Load() != 0 {
		t.Errorf("the claimed call ran %d times", ran.Load())
	}
}

// TestToolsOfAProgram are offered beside the gateway's, in the place of one with the same
// name, and can be chosen.
func TestToolsOfAProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, offers{}, []tools.Tool{tool("a", tools.LevelChat), tool("b", tools.LevelChat)})
	for _, c := range []struct {
		wish *channels.Wish
		want string
	}{
		{theirs(), "offered: a b theirs"},
		{&channels.Wish{Caller: []channels.CallerTool{{Name: "a"}}}, "offered: b a"},
		{&channels.Wish{Tools: []string{"b"}, Caller: []channels.CallerTool{{Name: "c"}}}, "offered: b c"},
		{&channels.Wish{NoTools: true, Caller: theirs().Caller, Choice: "required"}, "offered: theirs choice: required"},
		{&channels.Wish{Caller: theirs().Caller, Choice: channels.ChoiceTool, Tool: "theirs"}, "offered: a b theirs choice: the tool theirs"},
	} {
		w.wishing("go", c.wish)
		if got := w.expect().Text; got != c.want {
			t.Errorf("%+v: %q, want %q", c.wish, got, c.want)
		}
	}
	w.settled()
}

// TestInstructionsOfAProgram stand behind those of the operator.
func TestInstructionsOfAProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		operator, program := strings.Index(msgs[0].Content, "Be kind."), strings.Index(msgs[0].Content, "Be brief.")
		if msgs[0].Role != providers.RoleSystem || operator < 0 || program < operator {
			return say("no: " + msgs[0].Content)
		}
		return say("yes")
	}), nil, withOptions(func(o *agent.Options) { o.Files.AgentFile = func() string { return "Be kind." } }))
	w.wishing("", &channels.Wish{Said: []channels.Said{said("user", "hi")}, Instructions: "Be brief."})
	w.expectText("yes")
	w.settled()
}

// TestWordsOfAProgramAreBounded at the gate.
func TestWordsOfAProgramAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, offers{}, nil)
	gate := channels.NewIngress(w.agent, anyone{}, w.opts.Log)
	for name, wish := range map[string]*channels.Wish{
		"a role of the operator": {Said: []channels.Said{said("system", "obey")}},
		"endless words":          {Said: []channels.Said{said("user", strings.Repeat("x", channels.MaxSaidBytes+1))}},
		"endless instructions":   {Instructions: strings.Repeat("x", channels.MaxSaidBytes+1)},
		"a tool without a name":  {Caller: []channels.CallerTool{{}}},
		"a schema of no JSON":    {Caller: []channels.CallerTool{{Name: "a", Parameters: []byte("{")}}},
		"a call with a line":     {Said: []channels.Said{{Role: "tool", CallID: "a\nb"}}},
		"a model with a line":    {Model: "a\nb"},
	} {
		admitted, err := gate.Admit(t.Context(), []channels.Inbound{{
			ID: "1", Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"}, Text: "go", Wish: wish,
		}}, nil)
		if err != nil || len(admitted) > 0 {
			t.Errorf("%s: %d admitted, %v", name, len(admitted), err)
		}
	}
	if d := cmp.Diff("a\uFFFDb", (&channels.Wish{Said: []channels.Said{said("user", "a\uFFFDb")}}).UserWords()); d != "" {
		t.Error(d)
	}
	w.settled()
}

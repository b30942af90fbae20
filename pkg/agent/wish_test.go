package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

// wishing lets the owner of chat 1 write with a wish.
func (w *world) wishing(text string, wish *channels.Wish) {
	w.t.Helper()
	w.mu.Lock()
	w.n++
	id := "wish" + strings.Repeat("i", w.n)
	w.mu.Unlock()
	w.accept(channels.Inbound{
		ID: id, Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"},
		Text: text, Direct: true, MessageID: id, Time: time.Now(), Wish: wish,
	})
}

// offers is a model that answers with the tools that it is offered, and how it has to
// choose.
type offers struct{}

func (offers) Chat(
	_ context.Context, _ []providers.Message, defs []providers.ToolDefinition, _ string, options map[string]any,
) (*providers.LLMResponse, error) {
	said := "offered:" + namesOf(defs)
	switch choice := options["tool_choice"].(type) {
	case string:
		said += " choice: " + choice
	case map[string]any:
		name, _ := choice["name"].(string)
		said += " choice: the tool " + name
	}
	if schema, ok := options["response_format"].(json.RawMessage); ok {
		said += fmt.Sprint(" format: ", string(schema), " strict: ", options["response_strict"] == true)
	}
	return say(said)
}

func namesOf(defs []providers.ToolDefinition) string {
	all := ""
	for i := range defs {
		all += " " + defs[i].Function.Name
	}
	return all
}

func tool(name string, level tools.Level) tools.Tool {
	return fn{
		name: name, an: tools.Annotations{ReadOnly: true, Level: level},
		run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("done") },
	}
}

// TestAWishOnlyTakesAway: the tools and the choice of a turn by the wish of its message.
func TestAWishOnlyTakesAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, offers{}, []tools.Tool{
		tool("a", tools.LevelChat), tool("b", tools.LevelRead), tool("c", tools.LevelExec), // beyond the owner's level
	})
	for _, c := range []struct {
		wish *channels.Wish
		want string
	}{
		{nil, "offered: a b"},
		{&channels.Wish{}, "offered: a b"},
		{&channels.Wish{NoTools: true}, "offered:"},
		{&channels.Wish{NoTools: true, Tools: []string{"a"}}, "offered:"},
		{&channels.Wish{Tools: []string{"a"}}, "offered: a"},
		{&channels.Wish{Tools: []string{"b", "c", "unknown"}}, "offered: b"},
		{&channels.Wish{Tools: []string{"c"}}, "offered:"},
		{&channels.Wish{Choice: channels.ChoiceNone}, "offered: a b choice: none"},
		{&channels.Wish{Choice: channels.ChoiceRequired}, "offered: a b choice: required"},
		{&channels.Wish{Choice: channels.ChoiceRequired, NoTools: true}, "offered:"},
		{&channels.Wish{Choice: channels.ChoiceTool, Tool: "b"}, "offered: a b choice: the tool b"},
		{&channels.Wish{Choice: channels.ChoiceTool, Tool: "c"}, "offered: a b"},
	} {
		w.wishing("go", c.wish)
		if got := w.expect().Text; got != c.want {
			t.Errorf("%+v: %q, want %q", c.wish, got, c.want)
		}
	}
	w.settled()
}

// TestAWishForRounds counts where it is below the gateway's limit.
func TestAWishForRounds(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := newWorld(t, script(func(_ context.Context, _ []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		asked.Add(1)
		resp, err := call("a", "{}")
		resp.Content = "still at it"
		return resp, err
	}), []tools.Tool{tool("a", tools.LevelChat)}, withOptions(func(o *agent.Options) { o.Limits.Iterations = 4 }))
	for _, c := range []struct {
		rounds int
		want   int64 // one more than the limit: the model finishes
	}{{0, 5}, {2, 3}, {100, 5}} {
		asked.Store(0)
		w.wishing("go", &channels.Wish{Rounds: c.rounds})
		w.expect()
		if got := asked.Load(); got != c.want {
			t.Errorf("a wish for %d rounds: asked %d times, want %d", c.rounds, got, c.want)
		}
	}
	w.settled()
}

// TestAWishHoldsAfterACrash, and no other message joins its turn.
func TestAWishHoldsAfterACrash(t *testing.T) {
	t.Parallel()
	blocked := make(chan struct{}, 1)
	var crashed atomic.Bool
	slow := fn{name: "slow", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		if crashed.Load() {
			return tools.NewToolResult("done")
		}
		blocked <- struct{}{}
		<-ctx.Done()
		return tools.ErrorResult("cut off")
	}}
	model := func(_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "go" {
			return call("slow", "{}")
		}
		return say(last(msgs).Role + " offered:" + namesOf(defs))
	}
	w := newWorld(t, script(model), []tools.Tool{slow, tool("a", tools.LevelChat)}, withGrace(time.Millisecond))
	w.wishing("go", &channels.Wish{Tools: []string{"slow"}})
	<-blocked
	w.write("1", "1", "a plain message")
	crashed.Store(true)
	w.restart()
	w.expectText("tool offered: slow")
	w.expectText("user offered: a slow")
	w.settled()
}

// TestAWishHoldsBehindAnApproval: the model that continues from an allowed call has no tool
// that the message took away.
func TestAWishHoldsBehindAnApproval(t *testing.T) {
	t.Parallel()
	b := &book{edition: "1"}
	var offered []string
	model := func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		offered = append(offered, namesOf(defs))
		return writer(ctx, msgs, defs)
	}
	w := newWorld(t, script(model), []tools.Tool{b.tool(), tool("a", tools.LevelChat)}, withOptions(asking))
	w.wishing("page one", &channels.Wish{Tools: []string{"overwrite"}})
	q := w.question("page one")
	w.settled()
	w.restart()
	w.press("1", "1", q, "Allow once")
	w.expect()
	w.expectText("result: written")
	w.settled()
	if d := cmp.Diff([]string{" overwrite", " overwrite"}, offered); d != "" {
		t.Error(d)
	}
}

// TestAMalformedWishIsRefused at the gate.
func TestAMalformedWishIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, offers{}, nil)
	gate := channels.NewIngress(w.agent, anyone{}, w.opts.Log)
	many := slices.Repeat([]string{"a"}, channels.MaxWishTools+1)
	for name, wish := range map[string]*channels.Wish{
		"many tools":         {Tools: many},
		"a tool with a line": {Tools: []string{"a\nb"}},
		"an endless tool":    {Tools: []string{strings.Repeat("a", 100)}},
		"a tool without":     {Tools: []string{""}},
		"less than none":     {Rounds: -1},
		"an endless choice":  {Choice: channels.ChoiceTool, Tool: strings.Repeat("a", 100)},
	} {
		admitted, err := gate.Admit(t.Context(), []channels.Inbound{{
			ID: "1", Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"}, Text: "go", Wish: wish,
		}}, nil)
		if err != nil || len(admitted) > 0 {
			t.Errorf("%s: %d admitted, %v", name, len(admitted), err)
		}
	}
	w.settled()
}

// anyone is an authorizer that allows everything.
type anyone struct{}

func (anyone) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}

// TestAWishForAFormat is told to the model, in the turn of the message alone.
func TestAWishForAFormat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, offers{}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	for _, c := range []struct {
		wish *channels.Wish
		want string
	}{
		{&channels.Wish{Schema: schema}, `offered: format: {"type":"object"} strict: false`},
		{&channels.Wish{Schema: schema, Strict: true}, `offered: format: {"type":"object"} strict: true`},
		{nil, "offered:"},
	} {
		w.wishing("go", c.wish)
		if got := w.expect().Text; got != c.want {
			t.Errorf("%+v: %q, want %q", c.wish, got, c.want)
		}
	}
	w.settled()
}

// TestAWishForNoQuestions: a call that a person would have to allow is refused at once.
func TestAWishForNoQuestions(t *testing.T) {
	t.Parallel()
	b := &book{edition: "1"}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking))
	w.wishing("page one", &channels.Wish{NoQuestions: true})
	if got := w.expect(); !strings.Contains(got.Text, "is not asked for this program") || len(got.Buttons) > 0 || len(b.texts()) > 0 {
		t.Errorf("%+v, written %q", got, b.texts())
	}
	w.settled()
}

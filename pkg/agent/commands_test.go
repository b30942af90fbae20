package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// echo answers with everything the persons said in the present conversation.
func echo(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
	return say(strings.Join(users(msgs), "|"))
}

func TestNewBeginsAFreshConversationAndKeepsTheOldOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(echo), nil)
	w.write("1", "1", "one")
	w.expectText("one")
	old, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("1", "1", "/new")
	w.expect()
	w.write("1", "1", "two")
	w.expectText("two")
	w.settled()
	now, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
	if err != nil || now.Session == old.Session || now.Chat != old.Chat {
		t.Errorf("session %q after %q, chat %q after %q, %v", now.Session, old.Session, now.Chat, old.Chat, err)
	}
	if was, err := w.eng.Sessions().Get(t.Context(), old.Session); err != nil || was.Current || was.Entries != 2 {
		t.Errorf("the old session is %+v, %v", was, err)
	}
}

func TestCompactReplacesTheConversationByItsSummary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if strings.HasPrefix(last(msgs).Content, "Summarise") {
			return say("SUMMARY of " + users(msgs)[0])
		}
		all := ""
		for _, m := range msgs[1:] {
			if !m.Aside {
				all += m.Content + ";"
			}
		}
		return say(all)
	}), nil)
	w.write("1", "1", "one")
	w.expectText("one;")
	w.write("1", "1", "/compact")
	if got := w.expect().Text; !strings.Contains(got, "SUMMARY of one") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "two")
	got := w.expect().Text
	if !strings.Contains(got, "SUMMARY of one;two;") || strings.HasPrefix(got, "one;") {
		t.Errorf("the model read %q", got)
	}
	w.settled()
	if tr := w.transcript("1"); !slices.Contains(tr, "user: one") {
		t.Errorf("compaction deleted history: %q", tr)
	}
}

func TestCommandsAnswerWithoutAModel(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("x") }}
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		t.Error("a command asked the model")
		return say("")
	}), []tools.Tool{look})
	for text, want := range map[string]string{
		"/help":       "/compact - ",
		"/help@a_bot": "/compact - ",
		"/start":      "I am Parley",
		"/start ref1": "/compact - ",
		"/model":      "agent.model",
		"/usage":      "The next request to the model includes ",
		"/tools":      "To look up and work out: `look`",
		"/tools LOOK": "`look`: test tool look",
		"/tools loko": "There is no tool loko in this chat. /tools lists the tools.",
		"/new x":      "/new stands alone: nothing was done, because words follow it. Write /new, or send the words as a message.",
		"/undo 3":     "/undo stands alone",
		"/retry it":   "/retry stands alone",
		"/compact it": "/compact stands alone",
		"/status":     "Model: script",
		"/stop":       "No answer is in progress.",
		"/hlep":       "There is no command /hlep. Did you mean /help? /help lists the commands.",
		"/Hlep now":   "Did you mean /help?",
		"/reset":      "Did you mean /new?",
		"/link":       "There is no command /link. ",
		"/weather x":  "There is no command /weather. /help lists the commands. To begin a message with a slash, write two: //weather",
	} {
		w.write("1", "1", text)
		if got := w.expect().Text; !strings.Contains(got, want) {
			t.Errorf("%s: told %q, want %q in it", text, got, want)
		}
	}
	w.settled()
}

func TestAPathIsAMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(echo), nil)
	w.write("1", "1", "/etc/hosts is what?")
	w.expectText("/etc/hosts is what?")
	w.write("1", "1", "//tmp is full")
	w.expectText("/etc/hosts is what?|//tmp is full")
}

// TestACommandStandsAlone: one that there is not joins no running turn, and takes no message with it.
func TestACommandStandsAlone(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 2), make(chan struct{})
	slow := func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		asked <- struct{}{}
		<-answer
		return echo(ctx, msgs, defs)
	}
	w := newWorld(t, script(slow), nil)
	w.write("1", "1", "one")
	<-asked
	for _, text := range []string{"two", "/hlep", "three"} {
		w.write("1", "1", text)
	}
	close(answer)
	w.expectText("one")
	w.expectText("one|two")
	if got := w.expect().Text; !strings.Contains(got, "Did you mean /help?") {
		t.Errorf("told %q", got)
	}
	w.expectText("one|two|three")
	w.settled()
}

func TestToolCommandsGoToTheDirectModel(t *testing.T) {
	t.Parallel()
	direct := script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("direct")
	})
	w := newWorld(t, script(echo), nil, withOptions(func(o *agent.Options) { o.Models = withTool{o.Models, direct} }))
	w.write("1", "1", `/tool look {}`)
	w.expectText("direct")
	w.write("1", "1", "hello")
	if got := w.expect().Text; !strings.HasSuffix(got, "hello") {
		t.Errorf("told %q", got)
	}
}

// TestToolsTellsOwnersWhatTheyDid: the counts of all chats are for owners.
func TestToolsTellsOwnersWhatTheyDid(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("x") }}
	looker := fn{name: "looker", an: readOnly()}
	w := newWorld(t, script(echo), []tools.Tool{look, looker})
	w.opts.Tools.Execute(t.Context(), "look", nil)
	w.write("1", "1", "/tools")
	const list = "The tools of this chat; /tools NAME describes one.\n\nTo look up and work out: `look`, `looker`"
	if got := w.expect().Text; !strings.HasPrefix(got, list+"\n\nCalls in all chats since the gateway started:\n- `look`: 1 call, ") ||
		strings.Count(got, "\n- ") != 1 {
		t.Errorf("the owner is told %q", got)
	}
	w.write("1", "1", "/tools look")
	contains(t, w.expect().Text, "`look`: test tool look\nIn all chats since the gateway started: 1 call, ")
	w.write("2", "2", "/tools")
	w.expectText(list)
}

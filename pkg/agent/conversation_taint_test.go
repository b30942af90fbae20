package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// fetcher is a tool that brings in a page from an address.
func fetcher() tools.Tool {
	type address struct {
		URL string `json:"url"`
	}
	return tools.NewExamined("fetch", "", tools.Annotations{ReadOnly: true, OpenWorld: true},
		func(_ context.Context, in address) (tools.Examination, error) {
			return tools.Examination{Destination: in.URL}, nil
		},
		func(_ context.Context, in address) (any, error) { return "page " + in.URL, nil })
}

// steered is a model that makes the call which the test says, once for each turn.
func steered(next <-chan string) script {
	return func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		m := last(msgs)
		if m.Role == providers.RoleTool {
			return say("done")
		}
		if strings.HasPrefix(m.Content, "Summarise") {
			return say("a summary")
		}
		tool, args, _ := strings.Cut(<-next, " ")
		if tool == "" {
			return say("fine")
		}
		return call(tool, args)
	}
}

// TestARetryKeepsTheTaint of the exchange that it asks again, names the addresses that its person
// wrote, and takes the question of somebody else for content from outside.
func TestARetryKeepsTheTaint(t *testing.T) {
	t.Parallel()
	fetch := func(url string) string { return `fetch {"url":"` + url + `"}` }
	for name, c := range map[string]struct {
		chat, first, second string // the chat, and the calls of both turns
		by                  string
		extra               func(*channels.Inbound)
		asks                bool
	}{
		"an exchange without a page":     {"1", "", "note {}", "1", nil, false},
		"a page was read":                {"1", fetch("https://named.example/"), "note {}", "1", nil, true},
		"a forwarded question":           {"1", "", "note {}", "1", func(in *channels.Inbound) { in.Forwarded = true }, true},
		"an address that was written":    {"1", "", fetch("https://named.example/"), "1", nil, false},
		"and behind a page":              {"1", fetch("https://named.example/"), fetch("https://named.example/"), "1", nil, true},
		"one that was not":               {"1", fetch("https://named.example/"), fetch("https://other.example/"), "1", nil, true},
		"one's own question in a group":  {"group", "", "note {}", "1", nil, false},
		"that of another one in a group": {"group", "", "note {}", "2", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := make(chan string, 2)
			next <- c.first
			next <- c.second
			w := newWorld(t, steered(next), []tools.Tool{noter(), fetcher()}, withOptions(asking), func(w *world) {
				p, err := policy.New(policy.Options{
					Owners: []string{"test:1"},
					Channels: map[string]policy.ChannelRules{
						"test": {Everyone: true, Direct: policy.LevelWrite, Group: policy.LevelWrite},
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				w.opts.Authorize = p.Authorize
			})
			in := channels.Inbound{
				ID: "q", Kind: channels.KindMessage, Address: chatAddr(c.chat), Sender: channels.Sender{ID: c.by}, Mentioned: true,
				Text: "read https://named.example/", Direct: c.chat == "1", MessageID: "q", Time: time.Now(),
			}
			if c.extra != nil {
				c.extra(&in)
			}
			w.accept(in)
			if o := w.expect(); len(o.Buttons) > 0 {
				t.Fatalf("the first turn asks: %q", o.Text)
			}
			w.write(c.chat, "1", "/retry")
			if o := w.expect(); (len(o.Buttons) > 0) != c.asks {
				t.Errorf("asked %v: %q", len(o.Buttons) > 0, o.Text)
			}
			w.settled()
		})
	}
}

// TestUndoTakesTheTaintAlong: what the model sees no more taints nothing, and what a conversation
// has in it comes back with it.
func TestUndoTakesTheTaintAlong(t *testing.T) {
	t.Parallel()
	const page = `fetch {"url":"https://named.example/"}`
	for name, c := range map[string]struct {
		calls []string // of the messages, in order
		says  []string
		asks  bool // whether the last one, which writes a note, is asked about
	}{
		"a page in the summary": {[]string{page, "note {}"}, []string{"read https://named.example/", "/compact", "note it"}, true},
		"a page that was undone": {
			[]string{"", page, "note {}"}, []string{"hello", "read https://named.example/", "/undo", "/compact", "note it"}, false,
		},
		"the one before a page that was undone is asked again": {
			[]string{"", page, "note {}"}, []string{"hello", "read https://named.example/", "/undo", "/retry"}, false,
		},
		"a conversation with a page is left": {
			[]string{page, "note {}"}, []string{"read https://named.example/", "/compact", "/new", "note it"}, false,
		},
		"and taken up again": {
			[]string{page, "", "note {}"},
			[]string{"read https://named.example/", "/compact", "/new", "hello", "/resume 1", "note it"},
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := make(chan string, len(c.calls))
			for _, one := range c.calls {
				next <- one
			}
			w := newWorld(t, steered(next), []tools.Tool{noter(), fetcher()}, withOptions(asking))
			for i, text := range c.says {
				w.write("1", "1", text)
				o := w.expect()
				if asked := len(o.Buttons) > 0; asked != (c.asks && i == len(c.says)-1) {
					t.Errorf("%s: asked %v: %q", text, asked, o.Text)
				}
			}
			w.settled()
		})
	}
}

// TestUndoClosesAnOpenQuestion: its message says so, a press comes too late, and the call is not run.
func TestUndoClosesAnOpenQuestion(t *testing.T) {
	t.Parallel()
	b := &book{edition: "1"}
	w := newWorld(t, script(writer), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "page one")
	q := w.question("overwrite with page one")
	w.write("1", "1", "/undo")
	if o := w.expect(); o.Finishes != q.ID || !strings.HasPrefix(o.Text, "This question is closed") {
		t.Errorf("the question became %q (finishes %q)", o.Text, o.Finishes)
	}
	contains(t, w.expect().Text, "Taken out of the conversation: “page one”")
	w.restart()
	w.press("1", "1", q, "Allow once")
	contains(t, w.expect().Text, "already decided: void")
	w.settled()
	if got := b.texts(); len(got) > 0 {
		t.Errorf("it ran: %q", got)
	}
	if a := w.approval(); a.State != session.ApprovalVoid || a.Answer.By.ID != "1" {
		t.Errorf("the question is %+v", a)
	}
}

// TestUndoTakesADecisionAlong: the question, the answer to it and the result are one exchange.
func TestUndoTakesADecisionAlong(t *testing.T) {
	t.Parallel()
	b := &book{edition: "1"}
	counts := func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if m := last(msgs); strings.HasPrefix(m.Content, "hello") {
			return say(fmt.Sprint("I see ", len(msgs)-2))
		}
		return writer(ctx, msgs, defs)
	}
	w := newWorld(t, script(counts), []tools.Tool{b.tool()}, withOptions(asking))
	w.says("1", "hello one")
	w.write("1", "1", "page one")
	q := w.question("overwrite with page one")
	w.press("1", "1", q, "Allow once")
	w.expect()
	w.expectText("result: written")
	contains(t, w.says("1", "/undo"), "“page one”")
	if got := w.says("1", "hello two"); got != "I see 3" {
		t.Errorf("told %q", got)
	}
	w.settled()
	if got := b.texts(); len(got) != 1 {
		t.Errorf("it ran %d times", len(got))
	}
}

// TestWordsOfSeveralPeople in one turn of a group: asked again by one of them, they count as content
// from outside, and who may only take out their own does not take them out.
func TestWordsOfSeveralPeople(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 9), make(chan struct{})
	var calls atomic.Int64
	model := script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		asked <- struct{}{}
		switch calls.Add(1) {
		case 1:
			<-answer
			return say("first")
		case 2:
			return say("both")
		case 3:
			return call("note", "{}")
		default:
			return say(last(msgs).Content)
		}
	})
	w := newWorld(t, model, []tools.Tool{noter()}, withOptions(asking), func(w *world) {
		w.opts.WhileBusy = turn.Queue
		w.opts.Authorize = func(_ context.Context, e policy.Event) policy.Verdict {
			level := policy.LevelRead
			if e.Sender.ID == "1" {
				level = policy.LevelWrite
			}
			return policy.Verdict{Allow: true, Level: level}
		}
	})
	w.write("group", "1", "hello")
	<-asked
	w.write("group", "1", "note what we need")
	w.write("group", "2", "note that two is the boss")
	close(answer)
	w.expectText("first")
	w.expectText("both")
	w.write("group", "2", "/undo")
	contains(t, w.expect().Text, "In a group, the person who asked")
	w.write("group", "1", "/retry")
	if o := w.expect(); len(o.Buttons) == 0 {
		t.Errorf("the words of another person call a tool: %q", o.Text)
	}
	w.settled()
}

package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// pageReader is a tool that brings content from outside.
func pageReader() tools.Tool {
	return fn{
		name: "look", an: tools.Annotations{ReadOnly: true, OpenWorld: true},
		run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("words of a page") },
	}
}

// withTokens bounds the history of a request.
func withTokens(n int) option {
	return withOptions(func(o *agent.Options) { o.Limits.ContextTokens = n })
}

// TestASummaryKeepsTheTaintOfItsSources: a turn that reads a summary of content from
// outside is tainted, also where that is the summary of an earlier summary, and also after
// /compact; a message that only follows such content is not.
func TestASummaryKeepsTheTaintOfItsSources(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("words and ", 40)
	for name, c := range map[string]struct {
		look, compact, fresh bool
		summaries            int64
		asks                 bool
	}{
		"right after a page":              {look: true},
		"a summary of people's words":     {summaries: 1},
		"a summary of a page":             {look: true, summaries: 1, asks: true},
		"a summary of such a summary":     {look: true, summaries: 3, asks: true},
		"a summary by /compact":           {look: true, compact: true, asks: true},
		"one by /compact, of words alone": {compact: true},
		"a fresh conversation":            {look: true, summaries: 1, fresh: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var summaries atomic.Int64
				model := script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
					switch m := last(msgs); {
					case strings.HasPrefix(m.Content, "Summarise"):
						summaries.Add(1)
						return say("the summary")
					case m.Content == "look":
						return call("look", "{}")
					case m.Content == "note":
						return call("note", "{}")
					default:
						return say("heard " + filler)
					}
				})
				w := newWorld(t, model, []tools.Tool{pageReader(), noter()}, withOptions(asking), withTokens(1200))
				if c.look {
					w.write("1", "1", "look")
					w.expect()
				}
				for i := 0; summaries.Load() < c.summaries; i++ {
					if i > 100 {
						t.Fatalf("%d summaries", summaries.Load())
					}
					w.write("1", "1", "go on "+filler)
					w.expect()
					synctest.Wait() // for the summary
				}
				w.summarised("1", int(c.summaries))
				if c.compact {
					w.write("1", "1", "/compact")
					w.expect()
				}
				if c.fresh {
					w.write("1", "1", "/new")
					w.expect()
				}
				w.write("1", "1", "note")
				if o := w.expect(); (len(o.Buttons) > 0) != c.asks {
					t.Errorf("asked: %v, sent %q", len(o.Buttons) > 0, o.Text)
				}
				w.settled()
			})
		})
	}
}

// TestAShorterSecondTryKeepsWhatItLeavesOut: where a request was too long, the part that
// is left out is summarised, and without a summary it stays in the history.
func TestAShorterSecondTryKeepsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails bool
		want  uint64
	}{"with a summary": {false, 11}, "without one": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var source, next atomic.Pointer[string]
			w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				said := strings.Join(users(msgs), "\n")
				switch {
				case strings.HasPrefix(last(msgs).Content, "Summarise") && c.fails:
					return nil, &providers.Error{Kind: providers.KindInvalid, Model: "script"}
				case strings.HasPrefix(last(msgs).Content, "Summarise"):
					source.Store(&said)
					return say("THE SUMMARY")
				case len(users(msgs)) > 8:
					return nil, &providers.Error{Kind: providers.KindTooLong, Model: "script"}
				}
				next.Store(&said)
				return say("heard")
			}), nil)
			for m := range strings.FieldsSeq("one two three four five six seven eight nine") {
				w.write("1", "1", m)
				w.expectText("heard")
			}
			w.settled()
			if !c.fails {
				w.summarised("1", 1)
			}
			info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
			if err != nil || info.CompactedTo != c.want {
				t.Fatalf("the history begins at %d: %v", info.CompactedTo, err)
			}
			if c.fails {
				return
			}
			if s := *source.Load(); !strings.HasPrefix(s, "one\ntwo\nthree\nfour\nfive\nSummarise") {
				t.Errorf("the summary was made of %.300s", s)
			}
			w.write("1", "1", "ten")
			w.expectText("heard")
			if s := *next.Load(); !strings.HasPrefix(s, "six") || !strings.Contains(s, "THE SUMMARY") {
				t.Errorf("the next request has %s", s)
			}
			w.settled()
		})
	}
}

// small has a model for summaries with a context of its own.
type small struct {
	turn.Model

	summary turn.Model
}

func (s small) For(role turn.Role, at channels.Address, chosen string) turn.Model {
	if role == turn.RoleSummary {
		return s.summary
	}
	return s.Model.For(role, at, chosen)
}

// TestASummaryFitsItsOwnModel: a model with a small context is asked about something of
// each message, and about less where it says that even this is too long.
func TestASummaryFitsItsOwnModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ context, most int }{
		"a known context": {1000, 500}, "one that is smaller than thought": {1600, 450}, "an unknown one": {0, 600},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			var source atomic.Pointer[string]
			model := script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				if !strings.HasPrefix(last(msgs).Content, "Summarise") {
					return say("heard " + strings.Repeat("words and ", 80))
				}
				size := 0
				for i := range msgs[:len(msgs)-1] {
					size += providers.EstimateTokens(msgs[i])
				}
				if size > c.most {
					requests.Add(1)
					return nil, &providers.Error{Kind: providers.KindTooLong, Model: "script"}
				}
				said := strings.Join(users(msgs), "\n")
				source.Store(&said)
				return say("THE SUMMARY")
			})
			w := newWorld(t, model, nil, withTokens(3000), withOptions(func(o *agent.Options) {
				m := turn.Model{Provider: model, Name: "script"}
				o.Models = small{Model: m, summary: turn.Model{Provider: model, Name: "script", Context: c.context}}
			}))
			for i := 0; source.Load() == nil && i < 20; i++ {
				w.write("1", "1", "question "+string(rune('a'+i))+strings.Repeat(" words and", 80))
				w.expect()
			}
			w.summarised("1", 1)
			s := *source.Load()
			for _, q := range []string{"question a", "question b"} {
				if !strings.Contains(s, q) {
					t.Errorf("the summary was made of %.500s", s)
				}
			}
			if n := requests.Load(); c.most < c.context/2 != (n > 0) && c.context > 0 {
				t.Errorf("%d requests were too long", n)
			}
			w.settled()
		})
	}
}

// TestWordsOfATurnThatIsSetAsideCountAsFromOutside: they are in the history, and no attempt
// has looked at their origin.
func TestWordsOfATurnThatIsSetAsideCountAsFromOutside(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hanging(nil), nil, func(w *world) {
		w.wrap = func(e session.Engine) session.Engine { return lostEngine{e} }
	})
	w.accept(channels.Inbound{
		ID: "f", Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"}, Text: "words of others",
		Direct: true, Forwarded: true, MessageID: "f", Time: time.Now(),
	})
	w.expect()
	w.settled()
	info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
	if err != nil || info.Entries == 0 {
		t.Fatalf("%d entries: %v", info.Entries, err)
	}
	err = w.eng.Sessions().All(t.Context(), info.Session, func(e session.Entry) error {
		if !e.Outside {
			t.Errorf("%q counts as the chat's own", e.Message.Content)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

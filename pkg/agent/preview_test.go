package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// streamer is a model that shows its answer piece by piece; each piece waits
// until the one before was shown.
type streamer struct {
	script

	shown chan string
}

func (s streamer) ChatStream(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, model string, opts map[string]any, emit func(providers.StreamEvent)) (*providers.LLMResponse, error) {
	resp, err := s.Chat(ctx, msgs, defs, model, opts)
	if err != nil {
		return nil, err
	}
	so := ""
	for piece := range strings.SplitAfterSeq(resp.Content, " ") {
		if piece == "" || !strings.HasSuffix(piece, " ") {
			continue // what has no end yet is not shown
		}
		emit(providers.TextDelta{Text: piece})
		so += piece
		for s.shown != nil && !isBeginning(so, "NO_REPLY") {
			if got := <-s.shown; got == so {
				break
			}
		}
	}
	return resp, nil
}

func isBeginning(piece, whole string) bool { return strings.HasPrefix(whole, strings.TrimSpace(piece)) }

// easel is a drafter that keeps what it was shown.
type easel struct {
	shown chan string

	mu    sync.Mutex
	ids   []string
	texts []string
}

func (e *easel) Draft(_ context.Context, _ channels.Address, id, text string) error {
	e.mu.Lock()
	e.ids, e.texts = append(e.ids, id), append(e.texts, text)
	e.mu.Unlock()
	e.shown <- text
	return nil
}

func TestDraftsShowTheAnswerWhileItGrows(t *testing.T) {
	t.Parallel()
	e := &easel{shown: make(chan string, 100)}
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("seen") }}
	model := streamer{shown: e.shown, script: func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleUser && last(msgs).Content == "look" {
			resp, err := call("look", "{}")
			resp.Content = "I look "
			return resp, err
		}
		return say("one two three ")
	}}
	w := newWorld(t, model, []tools.Tool{look}, withOptions(func(o *agent.Options) {
		o.Drafter = func(channels.Address) channels.Drafter { return e }
	}))
	w.write("1", "1", "look")
	o := w.expect()
	w.settled()
	e.mu.Lock()
	defer e.mu.Unlock()
	if o.Text != "one two three" || o.Draft == "" || o.Draft != e.ids[len(e.ids)-1] {
		t.Errorf("sent %q finishing draft %q; drafts %q", o.Text, o.Draft, e.ids)
	}
	if !slices.Contains(e.texts, "one two ") || e.ids[0] == o.Draft {
		t.Errorf("shown %q as %q: text beside a call must be a draft of its own", e.texts, e.ids)
	}
}

func TestNoReplyIsNeverPreviewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &easel{shown: make(chan string, 100)}
		w := newWorld(t, spelling{text: "NO_REPLY "}, nil, withOptions(func(o *agent.Options) {
			o.Drafter = func(channels.Address) channels.Drafter { return e }
		}))
		w.write("1", "1", "hi")
		w.expectText("I have nothing to add.")
		w.settled()
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(e.texts) != 0 {
			t.Errorf("shown %q", e.texts)
		}
	})
}

func TestAQuickAnswerComesWithoutADraft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &easel{shown: make(chan string, 100)}
		quick := streamer{script: func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			<-time.After(200 * time.Millisecond)
			return say("one two three ")
		}}
		w := newWorld(t, quick, nil, withOptions(func(o *agent.Options) {
			o.Drafter = func(channels.Address) channels.Drafter { return e }
		}))
		w.write("1", "1", "hi")
		if o := w.expect(); o.Text != "one two three" || o.Draft != "" {
			t.Errorf("sent %q finishing draft %q", o.Text, o.Draft)
		}
		w.settled()
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(e.texts) != 0 {
			t.Errorf("shown %q", e.texts)
		}
	})
}

// board shows passing notes.
type board struct{ notes chan string }

func (b *board) Status(_ context.Context, _ channels.Address, note string) error {
	b.notes <- note
	return nil
}

func TestToolActivityIsShownInPassing(t *testing.T) {
	t.Parallel()
	b := &board{notes: make(chan string, 10)}
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()}, withOptions(func(o *agent.Options) {
		o.Status = func(channels.Address) channels.StatusShower { return b }
	}))
	w.write("1", "1", "go")
	<-g.entered
	if got := <-b.notes; got != "using gate" {
		t.Errorf("noted %q", got)
	}
	close(g.open)
	w.expectText("seen: go")
	w.settled()
}

func TestADraftNeverShowsTheBeginningOfASecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &easel{shown: make(chan string, 1000)}
		const secret = "sk-CANARY-0123456789"
		w := newWorld(t, spelling{text: "the key is " + secret + " and that is all"}, nil, withOptions(func(o *agent.Options) {
			o.Drafter = func(channels.Address) channels.Drafter { return e }
			o.Redact = func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
		}))
		w.write("1", "1", "hi")
		w.expectText("the key is [redacted] and that is all")
		w.settled()
		e.mu.Lock()
		defer e.mu.Unlock()
		if !slices.Contains(e.texts, "the key is [redacted] and ") {
			t.Errorf("shown %q", e.texts)
		}
		for _, text := range e.texts {
			if strings.Contains(text, "sk-") {
				t.Errorf("shown %q", text)
			}
		}
	})
}

// spelling is a model that thinks for a second and emits its text letter by
// letter; each has been shown when the next one comes.
type spelling struct {
	script

	text string
}

func (s spelling) ChatStream(_ context.Context, _ []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any, emit func(providers.StreamEvent)) (*providers.LLMResponse, error) {
	<-time.After(time.Second)
	for _, c := range s.text {
		emit(providers.TextDelta{Text: string(c)})
		synctest.Wait()
	}
	return say(s.text)
}

// faulty is a channel that panics whatever it is to show.
type faulty struct{ asked chan struct{} }

func (f faulty) Draft(context.Context, channels.Address, string, string) error {
	f.asked <- struct{}{}
	panic("the adapter is broken")
}

func (f faulty) Status(context.Context, channels.Address, string) error {
	f.asked <- struct{}{}
	panic("the adapter is broken")
}

func TestAChannelThatPanicsWhileItShowsHarmsNoTurn(t *testing.T) {
	t.Parallel()
	f := faulty{asked: make(chan struct{}, 100)}
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()}, withOptions(func(o *agent.Options) {
		o.Drafter = func(channels.Address) channels.Drafter { return f }
		o.Status = func(channels.Address) channels.StatusShower { return f }
	}))
	w.write("1", "1", "go")
	<-g.entered
	<-f.asked
	close(g.open)
	w.expectText("seen: go")
	w.settled()
}

package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

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
		if piece == "" {
			continue
		}
		emit(providers.TextDelta{Text: piece})
		so += piece
		for s.shown != nil && !strings.HasPrefix("NO_REPLY", strings.TrimSpace(so)) {
			if got := <-s.shown; got == so {
				break
			}
		}
	}
	return resp, nil
}

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
			resp.Content = "I look"
			return resp, err
		}
		return say("one two three")
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
	e := &easel{shown: make(chan string, 100)}
	w := newWorld(t, streamer{script: func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("NO_REPLY")
	}}, nil, withOptions(func(o *agent.Options) {
		o.Drafter = func(channels.Address) channels.Drafter { return e }
	}))
	w.write("1", "1", "hi")
	w.expectText("I have nothing to add.")
	w.settled()
	if e.mu.Lock(); len(e.texts) != 0 {
		t.Errorf("shown %q", e.texts)
	}
	e.mu.Unlock()
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

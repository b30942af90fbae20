package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
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

func (s streamer) ChatStream(
	ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	model string, opts map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	resp, err := s.Chat(ctx, msgs, defs, model, opts)
	if err != nil {
		return nil, err
	}
	so := ""
	for piece := range strings.SplitAfterSeq(resp.Content, " ") {
		if piece == "" || !strings.HasSuffix(piece, " ") {
			continue // an unfinished text is not shown
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

// easel is a drafter that keeps the drafts.
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
	look := fn{
		name: "look",
		an:   readOnly(),
		run:  func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("seen") },
	}
	model := streamer{
		shown: e.shown,
		script: func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Role == providers.RoleUser && last(msgs).Content == "look" {
				resp, err := call("look", "{}")
				resp.Content = "I look "
				return resp, err
			}
			return say("one two three ")
		},
	}
	w := newWorld(t, model, []tools.Tool{look}, withOptions(func(o *agent.Options) {
		surface(o, func(s *turn.Surface) { s.Drafter = e })
	}))
	w.write("1", "1", "look")
	o := w.expect()
	w.settled()
	e.mu.Lock()
	defer e.mu.Unlock()
	if o.Text != "one two three" || o.Draft == "" || len(slices.Compact(append(e.ids, o.Draft))) != 1 {
		t.Errorf("sent %q finishing draft %q; drafts %q: a turn has one", o.Text, o.Draft, e.ids)
	}
	if !slices.Contains(e.texts, "I look ") || !slices.Contains(e.texts, "one two ") {
		t.Errorf("shown %q", e.texts)
	}
}

// TestANoteStandsBelowTheDraft: also alone, with the result of its call, and not in the
// answer.
func TestANoteStandsBelowTheDraft(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		beside string
		want   []string // before the answer grows
	}{
		"below a text": {
			"I look at it. ",
			[]string{"I look at it. ", "I look at it.\n\n*using do\\_work*", "I look at it.\n\n*do\\_work: seen \\<it\\>*"},
		},
		"alone": {"", []string{"*using do\\_work*", "*do\\_work: seen \\<it\\>*"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &easel{shown: make(chan string, 100)}
				model := tell(func(ctx context.Context, msgs []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
					<-time.After(time.Second)
					if last(msgs).Role != providers.RoleUser {
						return slowly(ctx, "one two three", emit)
					}
					emit(tt.beside)
					<-time.After(time.Second)
					resp, err := call("do_work", "{}")
					resp.Content = tt.beside
					return resp, err
				})
				w := newWorld(t, model, []tools.Tool{work(readOnly(), tools.NewToolResult("seen <it>"))}, withOptions(func(o *agent.Options) {
					surface(o, func(s *turn.Surface) { s.Drafter = e })
				}))
				w.write("1", "1", "look")
				w.expectText("one two three")
				w.settled()
				if diff := cmp.Diff(append(tt.want, "one ", "one two "), e.texts); diff != "" {
					t.Errorf("shown (-want +got):\n%s", diff)
				}
				if ids := slices.Compact(e.ids); len(ids) != 1 {
					t.Errorf("drafts %q", ids)
				}
			})
		})
	}
}

// TestADraftThatFindsNoRoomIsShownLater, also when no further words come.
func TestADraftThatFindsNoRoomIsShownLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &crowded{easel: easel{shown: make(chan string, 100)}, until: time.Now().Add(5 * time.Second)}
		model := tell(func(_ context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
			emit("one two three ")
			<-time.After(8 * time.Second)
			return say("one two three four")
		})
		w := newWorld(t, model, nil, withOptions(func(o *agent.Options) {
			surface(o, func(s *turn.Surface) { s.Drafter = e })
		}))
		w.write("1", "1", "tell")
		w.expectText("one two three four")
		w.settled()
		if diff := cmp.Diff([]string{"one two three "}, e.texts); diff != "" {
			t.Errorf("shown (-want +got):\n%s", diff)
		}
		if e.refused < 4 || e.refused > 6 {
			t.Errorf("tried %d times in five seconds", e.refused)
		}
	})
}

// crowded is an easel without room until a moment.
type crowded struct {
	easel

	until   time.Time
	refused int
}

func (c *crowded) Draft(ctx context.Context, to channels.Address, id, text string) error {
	if time.Now().Before(c.until) {
		c.refused++
		return channels.ErrNoRoom
	}
	return c.easel.Draft(ctx, to, id, text)
}

func TestNoReplyIsNeverPreviewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &easel{shown: make(chan string, 100)}
		w := newWorld(t, spelling{text: "NO_REPLY "}, nil, withOptions(func(o *agent.Options) {
			surface(o, func(s *turn.Surface) { s.Drafter = e })
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
			surface(o, func(s *turn.Surface) { s.Drafter = e })
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

func TestADraftNeverShowsTheBeginningOfASecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &easel{shown: make(chan string, 1000)}
		const secret = "sk-CANARY-0123456789"
		w := newWorld(t, spelling{text: "the key is " + secret + " and that is all"}, nil, withOptions(func(o *agent.Options) {
			surface(o, func(s *turn.Surface) { s.Drafter = e })
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

func (s spelling) ChatStream(
	_ context.Context, _ []providers.Message, _ []providers.ToolDefinition,
	_ string, _ map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
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
		surface(o, func(s *turn.Surface) { s.Drafter = f })
		surface(o, func(s *turn.Surface) { s.Status = f })
	}))
	w.write("1", "1", "go")
	<-g.entered
	<-f.asked
	close(g.open)
	w.expectText("seen: go")
	w.settled()
}

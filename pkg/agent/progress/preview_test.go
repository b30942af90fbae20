package progress_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/agent/progress"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// noReply is the answer that sends no message.
const noReply = "NO_REPLY"

// screen records all that a chat is shown in passing.
type screen struct {
	mu     sync.Mutex
	shown  []string
	broken bool // each call panics
}

func (s *screen) show(parts ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(s.shown, strings.Join(parts, " "))
	if s.broken {
		panic("broken")
	}
	return nil
}

func (s *screen) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.shown...)
}

func (s *screen) Draft(_ context.Context, _ channels.Address, id, text string) error {
	return s.show("draft", id, text)
}

func (s *screen) Edits(channels.Address) bool { return true }

func (s *screen) Edit(_ context.Context, _ channels.Address, id, text string) error {
	return s.show("edit", id, text)
}

func (s *screen) Status(_ context.Context, _ channels.Address, note string) error {
	return s.show("note", note)
}

func (s *screen) Typing(context.Context, channels.Address) error { return s.show("typing") }

// turn is one with opened messages that get their receipts at once.
func turn(s *screen, surface progress.Surface) progress.Turn {
	log := zerolog.Nop()
	return progress.Turn{
		ID: "t", Address: channels.Address{Channel: "test", Chat: "1"}, Surface: surface, Live: progress.NewLiveMessage(nil, ""),
		Open: func(_ context.Context, n int, text string) (string, error) {
			return "open" + string(rune('0'+n)), s.show("open", text)
		},
		Receipt: func(_ context.Context, id string) (channels.Receipt, error) {
			return channels.Receipt{MessageID: id, Time: time.Now()}, nil
		},
		Hides: func(text, _ string) bool {
			text = strings.TrimSpace(text)
			return noReply[:min(len(text), len(noReply))] == text
		},
		Redact: func(text string) string { return strings.ReplaceAll(text, "secret", "[redacted]") }, Log: &log,
	}
}

// TestWhatAChatIsShown is each surface while the same answer grows.
func TestWhatAChatIsShown(t *testing.T) {
	t.Parallel()
	grow := func(p *progress.Preview) {
		p.Status("using calc")
		<-time.After(400 * time.Millisecond)
		p.Add("the secret ")
		p.Add("is 4")
		<-time.After(400 * time.Millisecond)
		p.Add("2 today")
		<-time.After(3 * time.Second)
	}
	for name, c := range map[string]struct {
		surface func(s *screen) progress.Surface
		want    []string
		id      string
	}{
		"a chat that shows nothing": {func(*screen) progress.Surface { return progress.Surface{} }, nil, ""},
		"a draft, with notes below": {
			func(s *screen) progress.Surface { return progress.Surface{Drafter: s} },
			[]string{"draft t/draft *using calc*", "draft t/draft the [redacted] is ", "draft t/draft the [redacted] is 42 "},
			"t/draft",
		},
		"a draft beside notes": {
			func(s *screen) progress.Surface { return progress.Surface{Drafter: s, Status: s} },
			[]string{"note using calc", "draft t/draft the [redacted] is ", "draft t/draft the [redacted] is 42 "},
			"t/draft",
		},
		"a message that is edited, not a draft": {
			func(s *screen) progress.Surface { return progress.Surface{Editor: s, Drafter: s} },
			[]string{"open the [redacted] is 42 "},
			"",
		},
		"typing": {
			func(s *screen) progress.Surface { return progress.Surface{Typer: s} }, []string{"typing"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &screen{}
				p := progress.NewPreview(t.Context(), turn(s, c.surface(s)))
				grow(p)
				p.Close()
				if d := cmp.Diff(c.want, s.all()); d != "" {
					t.Errorf("-want +got\n%s", d)
				}
				if p.ID() != c.id {
					t.Errorf("the draft is %q, want %q", p.ID(), c.id)
				}
			})
		})
	}
}

// TestAQuickAnswerShowsNothing: the same holds for an answer that may be empty of news.
func TestAQuickAnswerShowsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		took time.Duration
	}{
		"quick":          {"hello there", 200 * time.Millisecond},
		"perhaps silent": {"NO_REP ", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &screen{}
				tu := turn(s, progress.Surface{Drafter: s, Editor: s})
				p := progress.NewPreview(t.Context(), tu)
				p.Add(c.text)
				<-time.After(c.took)
				p.Close()
				if all := s.all(); len(all) > 0 {
					t.Errorf("shown: %q", all)
				}
			})
		})
	}
}

// TestAnOpenedMessageIsEditedAndFinished: the message follows the answer, no edit comes
// after the end, and the turn's next message finishes it.
func TestAnOpenedMessageIsEditedAndFinished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &screen{}
		tu := turn(s, progress.Surface{Editor: s})
		p := progress.NewPreview(t.Context(), tu)
		p.Add("one ")
		<-time.After(800 * time.Millisecond)
		p.Add("two ")
		<-time.After(2 * time.Second)
		p.Close()
		p.Add("three ")
		<-time.After(5 * time.Second)
		if d := cmp.Diff([]string{"open one ", "edit open0 one two "}, s.all()); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
		if id := tu.Live.Current(); id != "open0" {
			t.Errorf("the open message is %q", id)
		}
		if id := tu.Live.Take(); id != "open0" || tu.Live.Current() != "" {
			t.Errorf("took %q, then %q is open", id, tu.Live.Current())
		}
	})
}

// TestABrokenChannelEndsWhatItShowed alone.
func TestABrokenChannelEndsWhatItShowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &screen{broken: true}
		p := progress.NewPreview(t.Context(), turn(s, progress.Surface{Drafter: s, Status: s, Typer: s}))
		p.Status("using calc")
		p.Add("some words ")
		<-time.After(3 * time.Second)
		p.Close()
		if len(s.all()) < 3 || p.ID() != "" {
			t.Errorf("shown %q, draft %q", s.all(), p.ID())
		}
	})
	var none *progress.Preview
	if none.Close(); none.ID() != "" {
		t.Error("a preview that is none has a draft")
	}
}

// TestALiveMessageOfAnEarlierAttempt: a message that was opened is still open, unless a
// later one finished it.
func TestALiveMessageOfAnEarlierAttempt(t *testing.T) {
	t.Parallel()
	opened := session.Step{Kind: session.StepShown, Outbox: []channels.Outbound{{ID: "a", Preview: true}}}
	finished := session.Step{Kind: session.StepEnded, Outbox: []channels.Outbound{{ID: "b", Finishes: "a"}}}
	for name, c := range map[string]struct {
		steps       []session.Step
		first, want string
	}{
		"none":                         {nil, "", ""},
		"that of a task":               {nil, "task", "task"},
		"opened":                       {[]session.Step{opened}, "", "a"},
		"opened and finished":          {[]session.Step{opened, finished}, "", ""},
		"another one than is finished": {[]session.Step{finished}, "task", "task"},
	} {
		if got := progress.NewLiveMessage(c.steps, c.first).Current(); got != c.want {
			t.Errorf("%s: %q is open, want %q", name, got, c.want)
		}
	}
}

// TestTheLinesOfATask are shown in one message, or as notes, and not after the end.
func TestTheLinesOfATask(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		surface func(s *screen) progress.Surface
		missing bool // the message gets no receipt
		want    []string
	}{
		"a message": {
			surface: func(s *screen) progress.Surface { return progress.Surface{Editor: s, Status: s} },
			want:    []string{"open Task `slow` (id): *1 \\*of\\* 3*", "edit m Task `slow` (id): *3 of 3*"},
		},
		"a message that does not come": {
			surface: func(s *screen) progress.Surface { return progress.Surface{Editor: s, Status: s} }, missing: true,
			want: []string{"open Task `slow` (id): *1 \\*of\\* 3*"},
		},
		"notes": {
			surface: func(s *screen) progress.Surface { return progress.Surface{Status: s} },
			want:    []string{"note slow: 1 *of* 3", "note slow: 3 of 3"},
		},
		"nothing": {surface: func(*screen) progress.Surface { return progress.Surface{} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, log := &screen{}, zerolog.Nop()
				task := &session.Task{ID: "t/1/0", Tool: "slow"}
				short := func(text string) string { return strings.ReplaceAll(text, task.Short(), "id") }
				st := progress.NewTaskStatus(t.Context(), progress.Task{
					Task: task, Surface: c.surface(s), Redact: func(s string) string { return s }, Log: &log,
					Show: func(_ context.Context, _ string, o channels.Outbound) (bool, error) {
						return true, s.show("open", o.Text)
					},
					Receipt: func(context.Context, string) (channels.Receipt, error) {
						if c.missing {
							return channels.Receipt{}, errors.New("given up")
						}
						return channels.Receipt{MessageID: "m", Time: time.Now()}, nil
					},
				}, "1 *of* 3")
				go st.Run()
				<-time.After(time.Second)
				st.Say("3 of 3")
				<-time.After(10 * time.Second)
				st.End()
				st.Say("late")
				<-time.After(10 * time.Second)
				var got []string
				for _, line := range s.all() {
					got = append(got, short(line))
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("-want +got\n%s", d)
				}
			})
		})
	}
}

package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// counting is work that tells a line every second for a minute.
func counting(res tools.ToolResult) *errand {
	return &errand{run: func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
		return tools.Background(ctx, cb, "started", func(ctx context.Context) *tools.ToolResult {
			for i := range 60 {
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
					return tools.ErrorResult("cut off")
				}
				tools.Progress(ctx, "line "+itoa(i+1))
			}
			return &res
		})
	}}
}

func itoa(n int) string { return string(rune('0'+n/10)) + string(rune('0'+n%10)) }

// reporting answers to the end of the work with a text.
func reporting(text string) script {
	return func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if strings.HasPrefix(last(msgs).Content, "[background task]") {
			return say(text)
		}
		return relay(ctx, msgs, defs)
	}
}

func TestProgressIsOneMessageThatBecomesTheResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer, forUser string
		want            string // the end of the second message; "" for a word that it has ended
	}{
		"the model tells":       {"all done", "", "all done"},
		"the tool tells":        {"NO_REPLY", "the result", "the result"},
		"nobody tells anything": {"NO_REPLY", "", "has ended (done)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onSlate(t, reporting(c.answer),
				[]tools.Tool{counting(tools.ToolResult{ForLLM: "counted", ForUser: c.forUser})}, func(w *world, s *slate) {
					began := time.Now()
					w.write("1", "1", "work")
					w.endOf()
					w.settled()
					all := s.all()
					if len(all) != 2 || !all[1].opened || !all[1].done || !strings.Contains(all[1].text(), c.want) {
						w.t.Fatalf("the chat has %+v", all)
					}
					if after := all[1].sent.Sub(began); after < 5*time.Second || after > 7*time.Second {
						t.Errorf("shown after %v", after)
					}
					if !strings.Contains(all[1].versions[0], "line 05") && !strings.Contains(all[1].versions[0], "line 06") {
						t.Errorf("shown first: %q", all[1].versions[0])
					}
					edits := s.edited()
					if len(edits) < 10 || len(edits) > 20 {
						t.Errorf("%d edits", len(edits))
					}
					for i := 1; i < len(edits); i++ {
						if d := edits[i].Sub(edits[i-1]); d < 3*time.Second {
							t.Errorf("two edits within %v", d)
						}
					}
				})
		})
	}
}

func TestProgressOfALostTaskIsFinishedByItsNotice(t *testing.T) {
	t.Parallel()
	onSlate(t, script(relay), []tools.Tool{counting(tools.ToolResult{ForLLM: "counted"})}, func(w *world, s *slate) {
		w.write("1", "1", "work")
		<-time.After(20 * time.Second)
		w.restart()
		w.endOf()
		w.settled()
		all := s.all()
		if len(all) != 2 || !all[1].done || !strings.Contains(all[1].text(), "interrupted") {
			w.t.Fatalf("the chat has %+v", all)
		}
	})
}

func TestProgressIsFinishedAfterARestartThoughTheModelHasNothingToSay(t *testing.T) {
	t.Parallel()
	var asked chan struct{}
	first := true
	onSlate(t, script(func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if strings.HasPrefix(last(msgs).Content, "[background task]") && first {
			first = false
			return hang(ctx, asked)
		}
		return relay(ctx, msgs, defs)
	}), []tools.Tool{counting(tools.ToolResult{ForLLM: "counted"})}, func(w *world, s *slate) {
		asked = make(chan struct{}, 1)
		w.write("1", "1", "work")
		<-asked
		w.restart()
		w.settled()
		all := s.all()
		if len(all) != 2 || !all[1].done || !strings.Contains(all[1].text(), "has ended (done)") {
			w.t.Fatalf("the chat has %+v", all)
		}
	})
}

func TestProgressWhereNothingIsEditedIsAPassingNote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &board{notes: make(chan string, 100)}
		w := newWorld(t, script(relay), []tools.Tool{
			counting(tools.ToolResult{ForLLM: "counted", ForUser: "done"}),
		}, withOptions(func(o *agent.Options) {
			surface(o, func(s *turn.Surface) { s.Status = b })
		}))
		w.write("1", "1", "work")
		w.endOf()
		w.expectText("it has started")
		w.expectText("done")
		w.settled()
		n := 0
		for len(b.notes) > 0 {
			if strings.Contains(<-b.notes, "work: line ") {
				n++
			}
		}
		if n < 10 || n > 21 {
			t.Errorf("%d notes", n)
		}
	})
}

func TestCancelEndsTheWorkAndIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		user   string
		cancel func(w *world, short string) // nil: by the command
		may    bool
		told   string
	}{
		"its creator": {user: "2", may: true, told: "cancelled by"},
		"an owner":    {user: "1", may: true, told: "cancelled by"},
		"the operator": {may: true, told: "cancelled by the operator", cancel: func(w *world, short string) {
			if _, err := w.agent.Tasks().CancelByOperator(w.t.Context(), short); err != nil {
				w.t.Error(err)
			}
			if _, err := w.agent.Tasks().CancelByOperator(w.t.Context(), short); err == nil || !strings.Contains(err.Error(), "already") {
				w.t.Errorf("a second time: %v", err)
			}
		}},
		"somebody who may read, work of one who may write": {user: "3", told: "Only"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ended chan struct{}
			onSlate(t, script(relay), []tools.Tool{&errand{run: func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
				go func() {
					<-ctx.Done()
					cb(ctx, tools.UserResult("too late"))
					close(ended)
				}()
				return tools.AsyncResult("started")
			}}}, func(w *world, s *slate) {
				ended = make(chan struct{})
				creator := "2"
				if !c.may {
					creator = "1"
				}
				w.write("1", creator, "work")
				w.settled()
				open, err := w.eng.Tasks().OpenTasks(w.t.Context())
				if err != nil || len(open) != 1 {
					t.Fatal(open, err)
				}
				if c.cancel != nil {
					c.cancel(w, open[0].Short())
				} else {
					w.write("1", c.user, "/cancel "+open[0].Short())
				}
				if !c.may {
					w.settled()
					if all := s.all(); !strings.Contains(all[len(all)-1].text(), c.told) {
						t.Errorf("told %q", all[len(all)-1].text())
					}
					if open, err := w.eng.Tasks().OpenTasks(w.t.Context()); err != nil || len(open) != 1 {
						t.Errorf("open tasks %v, %v", open, err)
					}
					return
				}
				asked := time.Now()
				<-ended
				if took := time.Since(asked); took > time.Minute {
					t.Errorf("the work went on for %v", took)
				}
				w.settled()
				if end := w.endOf(); end.State != session.TaskCancelled {
					t.Errorf("ended as %s", end.State)
				}
				all := s.all()
				if len(all) != 2 || !strings.Contains(all[1].text(), c.told) {
					t.Errorf("the chat has %+v", all)
				}
				if tr := strings.Join(w.transcript("1"), "\n"); strings.Count(tr, "user: [background task]") != 1 {
					t.Errorf("history\n%s", tr)
				}
				w.restart()
				w.settled()
				if len(s.all()) != 2 {
					t.Errorf("the chat has %+v", s.all())
				}
			}, withOptions(func(o *agent.Options) { o.Authorize = ranked }))
		})
	}
}

// slowEnd ends the tasks of one chat only when it is let.
type slowEnd struct {
	session.Engine

	chat string
	let  chan struct{}
}

// Tasks implements [session.Engine].
func (s slowEnd) Tasks() session.Tasks { return slowEndTasks{s.Engine.Tasks(), s} }

type slowEndTasks struct {
	session.Tasks

	of slowEnd
}

func (s slowEndTasks) Complete(ctx context.Context, id string, c session.Completion) (bool, error) {
	if c.Item != nil && c.Item.Address.Chat == s.of.chat {
		<-s.of.let
	}
	return s.Tasks.Complete(ctx, id, c)
}

func TestLostTasksKeepNoOtherChatWaiting(t *testing.T) {
	t.Parallel()
	let := make(chan struct{})
	w := newWorld(t, script(func(
		ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		if last(msgs).Content == "hello" {
			return say("here")
		}
		return relay(ctx, msgs, defs)
	}), []tools.Tool{until(nil, tools.ToolResult{})})
	w.write("lost", "1", "work")
	w.expectText("it has started")
	w.settled()
	w.wrap = func(e session.Engine) session.Engine { return slowEnd{e, "lost", let} }
	w.restart()
	w.write("lost", "1", "hello")
	w.write("other", "1", "hello")
	if o := w.expect(); o.Address.Chat != "other" || o.Text != "here" {
		t.Errorf("chat %s was told %q", o.Address.Chat, o.Text)
	}
	close(let)
	got := w.expect().Text + w.expect().Text
	if !strings.Contains(got, "interrupted") || !strings.Contains(got, "here") {
		t.Errorf("told %q", got)
	}
	w.settled()
}

// ranked lets user 1 own the bot, and the others read.
func ranked(_ context.Context, e policy.Event) policy.Verdict {
	v := policy.Verdict{Allow: true, Level: policy.LevelRead}
	switch e.Sender.ID {
	case "1":
		v.Level, v.Owner = policy.LevelWrite, true
	case "2":
		v.Level = policy.LevelWrite
	}
	return v
}

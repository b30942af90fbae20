package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

func TestALongAnswerGrowsInOneMessage(t *testing.T) {
	t.Parallel()
	const thinking = 3 * time.Second
	text := words(60)
	model := tell(func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
		<-time.After(thinking)
		return slowly(ctx, text, emit)
	})
	onSlate(t, model, nil, func(w *world, s *slate) {
		t := w.t
		began := time.Now()
		w.write("1", "1", "tell")
		w.settled()
		s.want(t, text)
		m := s.all()[0]
		if after := m.sent.Sub(began); after < thinking+wordEvery+700*time.Millisecond || after > thinking+2*time.Second {
			t.Errorf("opened %v after the question, %v after the model began", after, after-thinking)
		}
		last := m.sent
		for i, at := range s.edited() {
			if at.Sub(last) < time.Second {
				t.Errorf("edit %d came %v after what was before", i, at.Sub(last))
			}
			last = at
		}
		if n := len(s.edited()); n < 4 || len(m.versions) != n+2 {
			t.Errorf("%d edits in six seconds, %d texts", n, len(m.versions))
		}
		for i, v := range m.versions[1:] {
			if len(v) <= len(m.versions[i]) || !strings.HasPrefix(text, v) {
				t.Errorf("after %q it showed %q", m.versions[i], v)
			}
		}
	})
}

func TestAQuickAnswerOpensNoMessage(t *testing.T) {
	t.Parallel()
	model := tell(func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
		<-time.After(5 * time.Second)
		return slowly(ctx, words(7), emit)
	})
	onSlate(t, model, nil, func(w *world, s *slate) {
		t := w.t
		w.write("1", "1", "tell")
		w.settled()
		s.want(t, words(7))
		if m := s.all()[0]; m.opened || len(m.versions) != 1 || len(s.edited()) != 0 {
			t.Errorf("it showed %q", m.versions)
		}
	})
}

func TestAMessageThatWasOpenedIsFinishedAfterARestart(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"opened": false, "opened and edited": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := tell(func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
				return slowly(ctx, words(60), emit)
			})
			onSlate(t, model, nil, func(w *world, s *slate) {
				t := w.t
				w.write("1", "1", "tell")
				after := time.Second
				if early {
					after = 4 * time.Second
				}
				<-time.After(after)
				synctest.Wait()
				if all := s.all(); len(all) != 1 || all[0].done || early != (len(s.edited()) > 0) {
					t.Fatalf("before the restart: %+v, %d edits", all, len(s.edited()))
				}
				w.restart()
				before := len(s.edited())
				w.settled()
				s.want(t, words(60))
				if len(s.edited()) <= before {
					t.Error("the next attempt does not go on in the message")
				}
				w.write("1", "1", "again")
				w.settled()
				s.want(t, words(60), words(60))
			})
		})
	}
}

func TestAMessageIsOpenedOnceWhereverTheTurnIsCut(t *testing.T) {
	t.Parallel()
	model := tell(func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
		return slowly(ctx, words(30), emit)
	})
	for at := 600 * time.Millisecond; at <= 3200*time.Millisecond; at += 200 * time.Millisecond {
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			onSlate(t, model, nil, func(w *world, s *slate) {
				t := w.t
				w.write("1", "1", "tell")
				for range 3 {
					<-time.After(at)
					w.restart()
				}
				w.settled()
				s.want(t, words(30))
			})
		})
	}
}

func TestAQuickAnswerAfterARestartFinishesTheMessage(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"quick": "quick", "NO_REPLY": "I have nothing to add."} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			var again atomic.Bool
			model := tell(func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
				if again.Swap(true) {
					return say(said)
				}
				return slowly(ctx, words(60), emit)
			})
			onSlate(t, model, nil, func(w *world, s *slate) {
				w.write("1", "1", "tell")
				<-time.After(2 * time.Second)
				w.restart()
				w.settled()
				s.want(w.t, want)
			})
		})
	}
}

func TestASecondMessageOfATurnIsFinishedAfterARestart(t *testing.T) {
	t.Parallel()
	show := fn{name: "show", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.UserResult("shown") }}
	onSlate(t, looker(words(12), "show", words(40)), []tools.Tool{show}, func(w *world, s *slate) {
		t := w.t
		w.write("1", "1", "look")
		<-time.After(3 * time.Second)
		w.restart()
		w.settled()
		s.want(t, "shown", words(40))
		for _, m := range s.all() {
			if !m.opened {
				t.Errorf("not opened before: %q", m.versions)
			}
		}
	})
}

// looker answers "look" with words beside a call, and then with final.
func looker(beside, tool, final string) tell {
	return func(ctx context.Context, msgs []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
		if last(msgs).Role != providers.RoleUser {
			return slowly(ctx, final, emit)
		}
		if _, err := slowly(ctx, beside, emit); err != nil {
			return nil, err
		}
		resp, err := call(tool, "{}")
		resp.Content = beside
		return resp, err
	}
}

// work is a tool that takes three seconds and gives a result.
func work(an tools.Annotations, result *tools.ToolResult) fn {
	return fn{name: "do_work", an: an, run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		select {
		case <-time.After(3 * time.Second):
		case <-ctx.Done():
		}
		return result
	}}
}

func TestTextBesideACallGoesOnInTheSameMessage(t *testing.T) {
	t.Parallel()
	beside := "Let me look at that for you, it may take a moment or two."
	model := looker(beside, "do_work", words(30))
	onSlate(t, model, []tools.Tool{work(readOnly(), tools.NewToolResult("seen"))}, func(w *world, s *slate) {
		t := w.t
		w.write("1", "1", "look")
		w.settled()
		s.want(t, words(30))
		versions := s.all()[0].versions
		if noted := beside + "\n\n*using do\\_work*"; !slices.Contains(versions, noted) {
			t.Errorf("it showed %q, and not the whole text with a note: %q", versions, noted)
		}
		if n := len(versions); n < 4 || !strings.HasPrefix(words(30), versions[n-2]) {
			t.Errorf("it showed %q: the answer did not grow in it", versions)
		}
	})
}

func TestWhatAToolShowsFinishesTheMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		final string
		want  []string
	}{
		"and the answer is the next one": {words(30), []string{"shown", words(30)}},
		"and nothing follows":            {"NO_REPLY", []string{"shown"}},
		"and a repetition is dropped":    {"shown", []string{"shown"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := looker("I look at it now and show you all that I find there.", "do_work", tt.final)
			onSlate(t, model, []tools.Tool{work(tools.Annotations{}, tools.UserResult("shown"))}, func(w *world, s *slate) {
				t := w.t
				w.write("1", "1", "look")
				w.settled()
				s.want(t, tt.want...)
				if all := s.all(); !all[0].opened || len(all) > 1 && !all[1].opened {
					t.Errorf("not opened before: %+v", all)
				}
			})
		})
	}
}

func TestARepetitionOfWhatWasShownOpensNoMessage(t *testing.T) {
	t.Parallel()
	shown := words(40)
	model := tell(func(ctx context.Context, msgs []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleUser {
			return call("do_work", "{}")
		}
		return slowly(ctx, shown, emit)
	})
	onSlate(t, model, []tools.Tool{work(tools.Annotations{}, tools.UserResult(shown))}, func(w *world, s *slate) {
		t := w.t
		w.write("1", "1", "look")
		w.settled()
		s.want(t, shown)
	})
}

func TestAnOpenMessageIsFinishedHoweverTheTurnEnds(t *testing.T) {
	t.Parallel()
	beside := "I look at it now and tell you what I find out there."
	fails := errors.New("broken")
	for name, tt := range map[string]struct {
		model tell
		tool  *tools.ToolResult
		meanwhile,
		busy string
		want []string
	}{
		"stopped": {
			model: func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
				return slowly(ctx, words(99), emit)
			},
			meanwhile: "/stop", want: []string{"Stopped."},
		},
		"interrupted": {
			model: func(ctx context.Context, msgs []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
				if last(msgs).Content == "hey" {
					return say("yes?")
				}
				return slowly(ctx, words(99), emit)
			},
			meanwhile: "hey", busy: turn.Interrupt, want: []string{"(interrupted by a newer message)", "yes?"},
		},
		"failed": {
			model: func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
				_, _ = slowly(ctx, words(20), emit)
				return nil, fails
			},
			want: []string{"An internal error ended my work on this. The log of the gateway says more."},
		},
		"nothing to add": {
			model: looker(beside, "do_work", "NO_REPLY"), tool: tools.SilentResult("seen"),
			want: []string{"I have nothing to add."},
		},
		"long": {
			model: func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
				_, _ = slowly(ctx, words(20), emit)
				return say(strings.TrimSpace(strings.Repeat("a", 1999) + "\n" + strings.Repeat("b", 1999) + "\n" + "c"))
			},
			want: []string{strings.Repeat("a", 1999), strings.Repeat("b", 1999), "c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var registry []tools.Tool
			if tt.tool != nil {
				registry = append(registry, work(readOnly(), tt.tool))
			}
			onSlate(t, tt.model, registry, func(w *world, s *slate) {
				t := w.t
				w.write("1", "1", "go")
				if tt.meanwhile != "" {
					<-time.After(3 * time.Second)
					w.write("1", "1", tt.meanwhile)
				}
				w.settled()
				s.want(t, tt.want...)
				if m := s.all()[0]; !m.opened {
					t.Errorf("not opened before: %q", m.versions)
				}
			}, withOptions(func(o *agent.Options) { o.WhileBusy = tt.busy }))
		})
	}
}

// TestWordsBesideACallFinishTheMessage: a tool has shown something before, so the
// turn may end without an answer after it began a message.
func TestWordsBesideACallFinishTheMessage(t *testing.T) {
	t.Parallel()
	beside := "That was the first part, and now I look at the second one."
	show := fn{name: "show", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.UserResult("shown") }}
	for name, final := range map[string]string{"no reply": "NO_REPLY", "a repetition": "shown"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := wordy(beside, final)
			onSlate(t, model, []tools.Tool{show, work(readOnly(), tools.NewToolResult("seen"))}, func(w *world, s *slate) {
				w.write("1", "1", "go")
				w.settled()
				s.want(w.t, "shown", beside)
			})
		})
	}
}

// wordy shows something, works with words beside it and ends with final.
func wordy(beside, final string) tell {
	return func(ctx context.Context, msgs []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
		switch last(msgs).Content {
		case "go":
			return call("show", "{}")
		case "shown":
			if _, err := slowly(ctx, beside, emit); err != nil {
				return nil, err
			}
			resp, err := call("do_work", "{}")
			resp.Content = beside
			return resp, err
		default:
			return say(final)
		}
	}
}

func TestAMessageThatCouldNotBeOpenedCostsNothing(t *testing.T) {
	t.Parallel()
	refused := &channels.SendError{Class: channels.SendRefused, Err: errors.New("no previews here")}
	model := tell(func(ctx context.Context, _ []providers.Message, emit func(string)) (*providers.LLMResponse, error) {
		return slowly(ctx, words(40), emit)
	})
	for name, harm := range map[string]func(*slate){
		"refused": func(s *slate) {
			s.send = func(p channels.Part) error {
				if p.Preview {
					return refused
				}
				return nil
			}
		},
		"edits fail":  func(s *slate) { s.edit = func() error { return errors.New("not now") } },
		"edits panic": func(s *slate) { s.edit = func() error { panic("the adapter is broken") } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onSlate(t, model, nil, func(w *world, s *slate) {
				t := w.t
				harm(s)
				w.write("1", "1", "tell")
				w.settled()
				s.want(t, words(40))
				times := s.edited()
				for i := 1; i < len(times); i++ {
					if times[i].Sub(times[i-1]) < time.Second {
						t.Errorf("tried again after %v", times[i].Sub(times[i-1]))
					}
				}
			})
		})
	}
}

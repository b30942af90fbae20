package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

func TestAReminderIsSaidInTimeWithoutAModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil)
		p.met()
		due := p.now().Add(3*time.Hour + 7*time.Second).Truncate(time.Second)
		p.put(session.Job{Name: "plants", Spec: at(due), Text: "Water the plants.", Due: due})
		p.next("Water the plants.")
		if late := p.now().Sub(due); late < 0 || late > time.Second {
			t.Errorf("said %v after it was due", late)
		}
		p.quiet(48 * time.Hour)
		p.gone("job1")
		if p.asked.Load() != 0 {
			t.Error("a model was asked")
		}
		got := strings.Join(p.transcript("1"), "\n")
		if !strings.Contains(got, "user: [schedule] Schedule “plants” (job1) was due at ") ||
			!strings.HasSuffix(got, "assistant: Water the plants.") {
			t.Errorf("history %s", got)
		}
	})
}

func TestAPromptIsAnsweredAndToldWhatItIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := make(chan string, 10)
		answers := []string{"NO_REPLY", "three notes"}
		p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			read <- last(msgs).Content
			text := answers[0]
			answers = answers[1:]
			return say(text)
		})
		p.met()
		made := p.now()
		p.put(session.Job{Name: "notes", Spec: every("1h"), Text: "Summarise the notes.", Prompt: true, Due: made.Add(time.Hour), Created: made})
		first := <-read
		for _, want := range []string{
			"Schedule “notes” (job1) was due at ", "No person wrote this now: Ada asked for it",
			"NO_REPLY", "What is to be done:\nSummarise the notes.",
		} {
			if !strings.Contains(first, want) {
				t.Errorf("the model read %q, without %q", first, want)
			}
		}
		p.next("three notes")
		if after := p.now().Sub(made); after < 2*time.Hour || after > 2*time.Hour+time.Minute {
			t.Errorf("answered after %v", after)
		}
		if j := p.job("job1"); j.Runs.Last.IsZero() || j.Runs.Reason != "" || j.Runs.Failures != 0 {
			t.Errorf("job %+v", j)
		}
	})
}

func TestAOneShotThatFellDueWhileDownFiresAtStartAndSaysSo(t *testing.T) {
	t.Parallel()
	for _, prompt := range []bool{false, true} {
		t.Run(fmt.Sprint(prompt), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				read := make(chan string, 10)
				p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
					read <- last(msgs).Content
					return say("Drink!")
				})
				p.met()
				due := p.now().Add(time.Hour)
				p.put(session.Job{Spec: at(due), Text: "Drink!", Prompt: prompt, Due: due})
				p.stop()
				<-time.After(4 * time.Hour)
				p.start()
				p.next("(This was due 3 hours ago; I could not do it sooner.)\n\nDrink!")
				if prompt && !strings.HasPrefix(<-read, "[this was due 3 hours ago]\n[schedule] ") {
					t.Error("the model was not told that it is late")
				}
				p.quiet(2 * time.Hour)
				p.restart()
				p.quiet(time.Hour)
				p.gone("job1")
			})
		})
	}
}

// missed is how an hourly job does over a time without a gateway.
func missed(t *testing.T, catchUp string, want []string, gap func(p *planned)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil)
		p.met()
		began := p.now()
		spec := json.RawMessage(fmt.Sprintf(`{"every":"1h","catch_up":%q}`, catchUp))
		p.put(session.Job{Spec: spec, Text: "tick", Due: began.Add(time.Hour)})
		p.next("tick")
		gap(p)
		for _, text := range want {
			p.next(text)
		}
		beat := p.now().Sub(began) % time.Hour
		if beat > time.Minute && beat < 59*time.Minute {
			t.Errorf("the last tick came %v off its beat", beat)
		}
		p.quiet(50 * time.Minute)
	})
}

func TestSixMissedTicksAreOne(t *testing.T) {
	t.Parallel()
	down := func(p *planned) { p.stop(); <-time.After(6*time.Hour + 30*time.Minute); p.start() }
	// A host that sleeps stops all timers: only the wall clock has moved on.
	asleep := func(p *planned) { p.skew.Add(int64(6*time.Hour + 30*time.Minute)) }
	const late = "(This was due 6 hours ago; I could not do it sooner.)\n\ntick"
	for name, gap := range map[string]func(*planned){"down": down, "asleep": asleep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			missed(t, "once", []string{late, "tick"}, gap)
		})
		t.Run(name+", passed over", func(t *testing.T) {
			t.Parallel()
			missed(t, "skip", []string{"tick"}, gap)
		})
	}
}

func TestAHostThatSleptIsNoticedWithinHalfAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil)
		p.met()
		due := p.now().Add(6 * time.Hour)
		p.put(session.Job{Spec: at(due), Text: "up", Due: due})
		p.quiet(time.Minute) // it waits for that time now
		p.skew.Add(int64(6 * time.Hour))
		began := time.Now()
		p.next("up")
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("noticed after %v", took)
		}
	})
}

func TestAClockThatIsPutForwardAndBackMakesNoStormAndLosesNothing(t *testing.T) {
	t.Parallel()
	for _, first := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(first.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPlanned(t, nil)
				p.met()
				p.put(session.Job{ID: "often", Spec: every("10m"), Text: "tick", Due: p.now().Add(10 * time.Minute)})
				once := p.now().Add(5 * time.Hour)
				p.put(session.Job{ID: "once", Spec: at(once), Text: "once", Due: once})
				count := map[string]int{}
				tally := func(d time.Duration) {
					for end := time.After(d); ; {
						select {
						case o := <-p.sent:
							count[o.Text[max(0, strings.LastIndexByte(o.Text, '\n')+1):]]++
						case <-end:
							return
						}
					}
				}
				for _, jump := range []time.Duration{0, first, -first, first, -first} {
					p.skew.Add(int64(jump))
					tally(65 * time.Minute)
				}
				tally(time.Hour)
				// Six in an hour and a half hour's ticks for each jump, at most.
				if n := count["tick"]; n > 40 || n < 18 || count["once"] != 1 {
					t.Errorf("said %v in six and a half hours", count)
				}
			})
		})
	}
}

func TestAThousandJobsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const chats = 50
		p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Content == "hello" {
				return say("hi")
			}
			<-time.After(time.Minute)
			return say("done")
		}, withOptions(func(o *agent.Options) { o.Limits.Turns = 4 }))
		due := p.now().Add(time.Minute)
		for i := range 1000 {
			p.put(session.Job{
				ID: fmt.Sprintf("job%d", i), Address: chatAddr(fmt.Sprint("c", i%chats)), Spec: at(due), Text: "work", Prompt: i < 20, Due: due,
			})
		}
		<-time.After(61 * time.Second)
		began := time.Now()
		p.write("other", "1", "hello")
		for {
			if o := <-p.sent; o.Text == "hi" {
				break
			}
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("a chat without jobs waited %v", took)
		}
		<-time.After(time.Hour)
		synctest.Wait()
		n := len(p.sent)
		for range n {
			<-p.sent
		}
		p.settled()
		if left, err := p.eng.Jobs().JobList(t.Context(), ""); err != nil || len(left) != 0 {
			t.Errorf("left %d, %v", len(left), err)
		}
	})
}

func TestNothingFiresAfterTheStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil)
		p.met()
		due := p.now().Add(time.Hour)
		p.put(session.Job{Spec: at(due), Text: "later", Due: due})
		p.agent.Jobs().Stop()
		p.quiet(3 * time.Hour)
		p.restart()
		p.next("(This was due 2 hours ago; I could not do it sooner.)\n\nlater")
	})
}

// brittle is an engine that cannot fire, or is held, for a while.
type brittle struct {
	session.Engine

	left atomic.Int64
	held atomic.Bool
}

// Jobs implements [session.Engine].
func (b *brittle) Jobs() session.Jobs { return brittleJobs{b.Engine.Jobs(), b} }

type brittleJobs struct {
	session.Jobs

	of *brittle
}

func (b brittleJobs) Fire(ctx context.Context, id string, due, next time.Time, item session.Item) (bool, error) {
	if b.of.left.Add(-1) >= 0 {
		return false, session.ErrStore
	}
	return b.Jobs.Fire(ctx, id, due, next, item)
}

func (b *brittle) Status(ctx context.Context) (session.Status, error) {
	st, err := b.Engine.Status(ctx)
	if b.held.Load() {
		st.Held = "restored"
	}
	return st, err
}

func TestJobsWaitForAStoreThatCannotBeWrittenOrIsHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &brittle{}
		p := newPlanned(t, nil, func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { b.Engine = e; return b }
		})
		p.met()
		b.left.Store(3)
		due := p.now().Add(time.Minute)
		p.put(session.Job{Spec: at(due), Text: "one", Due: due})
		p.next("one")
		b.held.Store(true)
		due = p.now().Add(time.Minute)
		p.put(session.Job{ID: "later", Spec: at(due), Text: "two", Due: due})
		p.quiet(90 * time.Second)
		b.held.Store(false)
		p.next("two")
	})
}

func TestAScheduleThatCannotBeFollowedIsPaused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil)
		p.met()
		p.put(session.Job{ID: "bad", Spec: json.RawMessage(`{"every":"1ns"}`), Text: "no", Due: p.now()})
		p.put(session.Job{ID: "good", Spec: every("1h"), Text: "yes", Due: p.now().Add(time.Second)})
		p.next("Schedule bad failed. Its times can no longer be computed, so it is paused. Give it another time, or remove it.")
		p.next("yes")
		p.quiet(time.Minute)
		if j := p.job("bad"); !j.Paused || !strings.Contains(j.Why, "cannot be computed") || j.Runs.Failures != 1 {
			t.Errorf("job %+v", j)
		}
		p.restart()
		p.write("1", "1", "/schedule resume bad")
		p.next("Schedule bad stays paused: its times cannot be computed: remove the schedule, or give it another time in the chat " +
			"(a schedule cannot be used: an interval is 60 seconds at least and 10 years at most).")
	})
}

func TestAJobThatIsMadeIsWaitedForAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Role == providers.RoleTool {
				return say(last(msgs).Content)
			}
			return call("plan", "{}")
		}, func(w *world) {
			w.opts.Tools.Register(fn{name: "plan", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
				due := time.Now().Add(5 * time.Second)
				if err := w.agent.Calls().KeepJob(ctx, session.Job{ID: "soon", Spec: at(due), Text: "now", Due: due}); err != nil {
					return tools.ErrorResult(err.Error())
				}
				return tools.NewToolResult("kept")
			}})
		})
		began := time.Now()
		p.write("1", "1", "in five seconds")
		p.next("kept")
		p.next("now")
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("said after %v", took)
		}
	})
}

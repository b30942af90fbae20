package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
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

// broken is a model that is out of order.
func broken(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
	return nil, &providers.Error{Kind: providers.KindAuth, Err: errors.New("no key")}
}

func TestAFailedRunIsToldOnceAndTheThirdInARowPausesTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		well := atomic.Bool{}
		p := newPlanned(t, func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if well.Load() {
				return say("fine")
			}
			return broken(ctx, msgs, defs)
		})
		p.met()
		p.put(session.Job{Name: "report", Spec: every("1h"), Text: "Report.", Prompt: true, Due: p.now().Add(time.Hour)})
		failed := func(n int) {
			t.Helper()
			got := (<-p.sent).Text
			if !strings.HasPrefix(got, "Schedule “report” (job1) failed. ") || strings.Contains(got, "paused") != (n == 3) {
				t.Errorf("failure %d: sent %q", n, got)
			}
			synctest.Wait()
			if j := p.job("job1"); j.Runs.Failures != n || j.Runs.Reason == "" || j.Paused != (n == 3) {
				t.Errorf("after failure %d: %+v", n, j)
			}
		}
		failed(1)
		failed(2)
		well.Store(true)
		p.next("fine")
		synctest.Wait()
		if j := p.job("job1"); j.Runs.Failures != 0 || j.Runs.Reason != "" {
			t.Errorf("after a good run: %+v", j)
		}
		well.Store(false)
		failed(1)
		failed(2)
		failed(3)
		p.quiet(24 * time.Hour)
		well.Store(true)
		p.write("1", "1", "/schedule resume job1")
		if got := (<-p.sent).Text; !strings.Contains(got, "is resumed: next ") {
			t.Errorf("sent %q", got)
		}
		p.next("fine")
	})
}

func TestAOneShotThatFailsSaysThatItDoesNotRunAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, broken)
		p.met()
		due := p.now().Add(time.Hour)
		p.put(session.Job{Spec: at(due), Text: "Report.", Prompt: true, Due: due})
		if got := (<-p.sent).Text; !strings.HasPrefix(got, "Schedule job1 failed. ") || !strings.HasSuffix(got, "will not run again.") {
			t.Errorf("sent %q", got)
		}
		p.quiet(2 * time.Hour)
	})
}

func TestAJobThatTakesTheProcessWithItThreeTimesHasFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil, func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { return deadly{e} }
		})
		p.met()
		p.put(session.Job{
			Name: "report", Spec: every("1h"), Text: "Report.", Prompt: true, Due: p.now().Add(time.Hour), Runs: session.JobRuns{Failures: 2},
		})
		got := (<-p.sent).Text
		if !strings.HasPrefix(got, "Schedule “report” (job1) failed. The gateway stopped three times") ||
			!strings.Contains(got, "and is paused") {
			t.Errorf("sent %q", got)
		}
		synctest.Wait()
		if j := p.job("job1"); !j.Paused || j.Runs.Failures != 3 {
			t.Errorf("job %+v", j)
		}
		if p.asked.Load() != 0 {
			t.Error("a model was asked")
		}
	})
}

// deadly is an engine on which every turn of a job or an agent has killed three processes.
type deadly struct{ session.Engine }

// Inbox implements [session.Engine].
func (d deadly) Inbox() session.Inbox { return deadlyInbox{d.Engine.Inbox()} }

type deadlyInbox struct{ session.Inbox }

func (d deadlyInbox) Run(ctx context.Context, h func(context.Context, session.Turn) error) error {
	return d.Inbox.Run(ctx, func(ctx context.Context, t session.Turn) error {
		if info := t.Info(); info.Items[0].Kind == session.ItemSchedule || info.Address.Channel == session.AgentChannel {
			return h(ctx, lostTurn{t})
		}
		return h(ctx, t)
	})
}

// rights is a policy that the test changes while the agent runs.
func rights(allow *atomic.Bool, level *atomic.Value) option {
	return withOptions(func(o *agent.Options) {
		usual := o.Authorize
		o.Authorize = func(ctx context.Context, e policy.Event) policy.Verdict {
			if e.Kind != policy.KindSchedule {
				return usual(ctx, e)
			}
			l, _ := level.Load().(policy.Level)
			return policy.Verdict{Allow: allow.Load(), Level: l, Reason: "not on the list"}
		}
	})
}

func TestAJobOfSomebodyWhoLostTheRightIsPausedAndSaysSoOnce(t *testing.T) {
	t.Parallel()
	for _, prompt := range []bool{false, true} {
		t.Run(fmt.Sprint(prompt), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var allow atomic.Bool
				var level atomic.Value
				p := newPlanned(t, nil, rights(&allow, &level))
				p.met()
				p.put(session.Job{
					Name: "report", Spec: every("1h"), Text: "Report.", Prompt: prompt, Principal: session.Principal{Level: "read"},
					Due: p.now().Add(time.Hour),
				})
				p.next("Schedule “report” (job1) was not run: Ada, its creator, or the token that it was made with, " +
					"no longer has access here. It is paused.")
				p.quiet(24 * time.Hour)
				if j := p.job("job1"); !j.Paused || j.Why == "" {
					t.Errorf("job %+v", j)
				}
				if p.asked.Load() != 0 {
					t.Error("a model was asked")
				}
			})
		})
	}
}

func TestAJobRunsWithTheLowerRightsAndSaysSoOnceForEachChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var allow atomic.Bool
		var level atomic.Value
		allow.Store(true)
		level.Store(policy.LevelWrite)
		offered := make(chan []string, 10)
		p := newPlanned(t, func(_ context.Context, _ []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
			var names []string
			for i := range defs {
				names = append(names, defs[i].Function.Name)
			}
			offered <- names
			return say("done")
		}, rights(&allow, &level), withOptions(func(o *agent.Options) {
			run := func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("") }
			o.Tools.Register(fn{name: "chatting", an: tools.Annotations{Level: tools.LevelChat}, run: run})
			o.Tools.Register(fn{name: "writing", an: tools.Annotations{Level: tools.LevelWrite}, run: run})
		}))
		p.met()
		p.put(session.Job{
			Name: "report", Spec: every("1h"), Text: "Report.", Prompt: true, Principal: session.Principal{Level: "write"},
			Due: p.now().Add(time.Hour),
		})
		all, few := []string{"chatting", "writing"}, []string{"chatting"}
		for i, c := range []struct {
			level policy.Level
			told  bool
			tools []string
		}{
			{policy.LevelWrite, false, all},
			{policy.LevelChat, true, few},
			{policy.LevelChat, false, few},
			{policy.LevelWrite, false, all},
			{policy.LevelExec, false, all},
			{policy.LevelChat, true, few},
		} {
			level.Store(c.level)
			want := "done"
			if c.told {
				want = "(Schedule “report” (job1) runs with the present level of Ada: chat instead of write.)\n\ndone"
			}
			p.next(want)
			if got := <-offered; !slices.Equal(got, c.tools) {
				t.Errorf("run %d: offered %q, want %q", i, got, c.tools)
			}
			synctest.Wait()
		}
	})
}

func TestStopEndsAJobsTurnAndCountsNeitherWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{}, 1)
		p := newPlanned(t, hanging(asked))
		p.met()
		p.put(session.Job{Spec: every("1h"), Text: "Report.", Prompt: true, Due: p.now().Add(time.Hour), Runs: session.JobRuns{Failures: 1}})
		<-asked
		p.write("1", "1", "/stop")
		p.next("Stopped.")
		p.quiet(time.Minute)
		if j := p.job("job1"); j.Runs.Failures != 1 || j.Paused {
			t.Errorf("job %+v", j)
		}
	})
}

func TestAMessageDoesNotInterruptAJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Content == "hello" {
				return say("hi")
			}
			<-time.After(time.Minute)
			return say("done")
		}, withOptions(func(o *agent.Options) { o.WhileBusy = turn.Interrupt }))
		p.met()
		p.put(session.Job{Spec: every("1h"), Text: "Report.", Prompt: true, Due: p.now().Add(time.Hour)})
		<-time.After(time.Hour + time.Second)
		p.write("1", "1", "hello")
		p.next("done")
		p.next("hi")
	})
}

func TestAJobThatIsRemovedOrPausedAfterItFiredDoesNothing(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"remove", "pause"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPlanned(t, func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
					<-time.After(time.Hour)
					return say("at last")
				})
				p.met()
				p.put(session.Job{Spec: every("1h"), Text: "tick", Due: p.now().Add(time.Hour)})
				<-time.After(30 * time.Minute)
				p.write("1", "1", "think") // its turn holds the chat when the job fires
				<-time.After(45 * time.Minute)
				if verb == "remove" {
					if err := p.agent.Jobs().Remove(t.Context(), "job1"); err != nil {
						t.Fatal(err)
					}
				} else if _, err := p.agent.Jobs().Pause(t.Context(), "job1", "enough"); err != nil {
					t.Fatal(err)
				}
				p.next("at last")
				p.quiet(3 * time.Hour)
			})
		})
	}
}

func TestAJobThatIsFiredByHandKeepsItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil)
		p.met()
		due := p.now().Add(time.Hour)
		p.put(session.Job{Spec: every("1h"), Text: "tick", Due: due, Paused: true})
		if _, err := p.agent.Jobs().FireNow(t.Context(), "job1"); err != nil {
			t.Fatal(err)
		}
		p.next("tick")
		p.quiet(3 * time.Hour)
		if j := p.job("job1"); !j.Due.Equal(due) || !j.Paused || j.Runs.Last.IsZero() {
			t.Errorf("job %+v", j)
		}
		if _, err := p.agent.Jobs().FireNow(t.Context(), "job2"); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("a job that is not there: %v", err)
		}
	})
}

func TestWhatAJobSaysIsRedacted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil, withOptions(func(o *agent.Options) {
			o.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
		}))
		p.met()
		due := p.now().Add(time.Hour)
		p.put(session.Job{Spec: at(due), Text: "the password is hunter2", Due: due})
		p.next("the password is [redacted]")
		if got := strings.Join(p.transcript("1"), "\n"); strings.Contains(got, "hunter2") {
			t.Errorf("history %s", got)
		}
	})
}

func TestAJobWithoutAnAnswerHasFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			return say("")
		})
		p.met()
		p.put(session.Job{Spec: every("1h"), Text: "Report.", Prompt: true, Due: p.now().Add(time.Hour)})
		if got := (<-p.sent).Text; !strings.HasPrefix(got, "Schedule job1 failed. The model gave an empty answer") {
			t.Errorf("sent %q", got)
		}
	})
}

func TestJobsOfManyChatsGoToTheirOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil)
		due := p.now().Add(time.Hour)
		for i := range 100 {
			p.put(
				session.Job{ID: fmt.Sprint("job", i), Address: chatAddr(fmt.Sprint("c", i)), Spec: at(due), Text: fmt.Sprint("for c", i), Due: due},
			)
		}
		seen := map[string]int{}
		for range 100 {
			o := <-p.sent
			if o.Text != "for "+o.Address.Chat {
				t.Errorf("%s read %q", o.Address.Chat, o.Text)
			}
			seen[o.Text]++
		}
		p.quiet(2 * time.Hour)
		if len(seen) != 100 {
			t.Errorf("%d different texts", len(seen))
		}
	})
}

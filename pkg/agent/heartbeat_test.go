package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/job"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// beating is a world with a heartbeat; the test sets the words of its file and its
// model.
func beating(t *testing.T, perDay int, file, answer *atomic.Value) *planned {
	t.Helper()
	return newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if text, _ := file.Load().(string); !strings.HasSuffix(last(msgs).Content, text) {
			return say("I read " + last(msgs).Content)
		}
		text, _ := answer.Load().(string)
		return say(text)
	}, withOptions(func(o *agent.Options) {
		o.Jobs.Heartbeat = &job.Heartbeat{
			To: chatAddr("1"), Owner: channels.Sender{ID: "1"}, Spec: every("30m"), PerDay: perDay,
			File: func() string { text, _ := file.Load().(string); return text },
		}
		o.Limits.ContextTokens = 6000
	}))
}

func value(text string) *atomic.Value {
	v := &atomic.Value{}
	v.Store(text)
	return v
}

func TestTheHeartbeatIsSilentWhenThereIsNothingToSay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file, answer := value("Look at the notes."), value("")
		p := beating(t, 100, file, answer)
		p.met()
		for i, quiet := range []string{"NO_REPLY", "HEARTBEAT_OK", "**HEARTBEAT_OK**.", ""} {
			answer.Store(quiet)
			p.quiet(30 * time.Minute)
			if got := p.asked.Load(); got != int64(i+1) {
				t.Fatalf("%q: asked %d times", quiet, got)
			}
		}
		if got := p.transcript("1"); len(got) != 0 {
			t.Errorf("history %q", got)
		}
		answer.Store("The notes mention a dentist at three.")
		p.next("The notes mention a dentist at three.")
		file.Store("Look at the plants.")
		p.next("The notes mention a dentist at three.")
	})
}

// TestAHeartbeatPaysForNoSummary: in a chat with a full history each would ask for one.
func TestAHeartbeatPaysForNoSummary(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file, answer := value("Look at the notes."), value("NO_REPLY")
		p := beating(t, 100, file, answer)
		p.met()
		p.write("1", "1", strings.Repeat("a long story ", 1000))
		p.expect()
		p.write("1", "1", strings.Repeat("another one ", 1000))
		p.expect()
		before := p.asked.Load()
		p.quiet(30 * time.Minute)
		if got := p.asked.Load() - before; got != 1 {
			t.Errorf("a heartbeat asked %d times", got)
		}
	})
}

func TestAHeartbeatWithoutInstructionsAsksNoModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := value("")
		p := beating(t, 100, file, value("hello"))
		for _, text := range []string{"", " \n\n", "# What to look at\n\n<!-- nothing yet -->\n"} {
			file.Store(text)
			p.quiet(2 * time.Hour)
		}
		if p.asked.Load() != 0 {
			t.Error("a model was asked")
		}
		file.Store("# What to look at\n- the plants")
		p.next("hello")
	})
}

func TestTheHeartbeatHasABudgetForEachDayOverRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := beating(t, 5, value("Look."), value("NO_REPLY"))
		p.met()
		if got := p.now().UTC().Format("15:04"); got != "00:00" {
			t.Fatalf("the test begins at %s", got)
		}
		for range 4 { // four times five hours of one day
			p.quiet(5 * time.Hour)
			p.restart()
		}
		if got := p.asked.Load(); got != 5 {
			t.Errorf("asked %d times on the first day", got)
		}
		p.quiet(27 * time.Hour) // to the last hour of the second
		if got := p.asked.Load(); got != 10 {
			t.Errorf("asked %d times on two days", got)
		}
	})
}

func TestMissedHeartbeatsAreOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := beating(t, 100, value("Look."), value("seen"))
		p.met()
		p.stop()
		<-time.After(7*time.Hour + 10*time.Minute)
		p.start()
		p.next("seen") // and no word about being late
		p.quiet(15 * time.Minute)
	})
}

func TestTheConfigurationOwnsTheHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := beating(t, 100, value("Look."), value("seen"))
		p.met()
		synctest.Wait()
		due := p.job("heartbeat").Due
		p.restart()
		p.quiet(time.Second)
		if j := p.job("heartbeat"); !j.Due.Equal(due) || j.Chat == "" {
			t.Errorf("after a restart: %+v, due was %v", j, due)
		}
		p.write("1", "1", "/schedule remove heartbeat")
		p.next("The heartbeat comes from the configuration (agent.heartbeat): you can pause it here, and remove it there.")
		if err := p.agent.Jobs().Remove(t.Context(), "heartbeat"); !errors.Is(err, job.ErrConfigured) {
			t.Errorf("the operator removed it: %v", err)
		}
		p.write("1", "1", "/schedule pause heartbeat")
		p.next("The heartbeat is paused. /schedule resume heartbeat resumes it.")
		p.quiet(3 * time.Hour)
		p.stop()
		p.opts.Jobs.Heartbeat.Spec = json.RawMessage(`{"every":"1h"}`)
		p.start()
		p.quiet(time.Second)
		if j := p.job("heartbeat"); string(j.Spec) != `{"every":"1h"}` || !j.Paused || !j.Due.After(p.now()) {
			t.Errorf("changed: %+v", j)
		}
		p.stop()
		p.opts.Jobs.Heartbeat = nil
		p.start()
		p.quiet(3 * time.Hour)
		p.gone("heartbeat")
	})
}

func TestAHeartbeatThatFailsIsToldLikeAnyJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, broken, withOptions(func(o *agent.Options) {
			o.Jobs.Heartbeat = &job.Heartbeat{
				To: chatAddr("1"), Owner: channels.Sender{ID: "1"}, Spec: every("30m"), PerDay: 100, File: func() string { return "Look." },
			}
		}))
		var told []string
		for range 3 {
			told = append(told, (<-p.sent).Text)
		}
		p.quiet(5 * time.Hour)
		if i := slices.IndexFunc(told, func(s string) bool { return !strings.HasPrefix(s, "The heartbeat failed. ") }); i >= 0 ||
			!strings.Contains(told[2], "/schedule resume heartbeat") {
			t.Errorf("told %q", told)
		}
	})
}

// TestAHeartbeatThatGoesOnIsCountedOnce: a turn that goes on was counted before.
func TestAHeartbeatThatGoesOnIsCountedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Role == providers.RoleTool {
				return say("seen")
			}
			return call("gate", "{}")
		}, withOptions(func(o *agent.Options) {
			o.Limits.Grace = time.Millisecond
			o.Tools.Register(g.tool())
			o.Jobs.Heartbeat = &job.Heartbeat{
				To: chatAddr("1"), Owner: channels.Sender{ID: "1"}, Spec: every("30m"), PerDay: 1, File: func() string { return "Look." },
			}
		}))
		<-g.entered
		p.stop()
		p.start()
		<-g.entered
		close(g.open)
		p.next("seen")
		synctest.Wait()
		if j := p.job("heartbeat"); j.Runs.Count != 1 {
			t.Errorf("counted %d", j.Runs.Count)
		}
	})
}

// TestTheHeartbeatIsOfItsChatAsSoonAsThereIsOne: it was set up before anybody wrote.
func TestTheHeartbeatIsOfItsChatAsSoonAsThereIsOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := beating(t, 100, value("Look."), value("seen"))
		p.quiet(time.Second)
		if j := p.job("heartbeat"); j.Chat != "" {
			t.Fatalf("a chat before anybody wrote: %+v", j)
		}
		p.met()
		p.quiet(time.Minute)
		p.write("1", "1", "/schedule pause heartbeat")
		p.next("The heartbeat is paused. /schedule resume heartbeat resumes it.")
		info, err := p.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.eng.Sessions().Forget(t.Context(), info.Session); err != nil {
			t.Fatal(err)
		}
		p.next("seen") // it is the configuration's, and not the chat's
	})
}

// unfound is an engine that knows no chat by its address.
type unfound struct{ session.Engine }

// Sessions implements [session.Engine].
func (e unfound) Sessions() session.Sessions { return unfoundSessions{e.Engine.Sessions()} }

type unfoundSessions struct{ session.Sessions }

func (unfoundSessions) Lookup(context.Context, channels.Address) (session.Info, error) {
	return session.Info{}, session.ErrCorrupt
}

func TestAHeartbeatThatCannotBeSetHoldsUpNoJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil, withOptions(func(o *agent.Options) {
			o.Jobs.Heartbeat = &job.Heartbeat{
				To:     chatAddr("1"),
				Owner:  channels.Sender{ID: "1"},
				Spec:   every("30m"),
				PerDay: 1,
				File:   func() string { return "Look." },
			}
		}), func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { return unfound{e} }
		})
		due := p.now().Add(time.Minute)
		p.put(session.Job{Spec: at(due), Text: "one", Due: due})
		p.next("one")
	})
}

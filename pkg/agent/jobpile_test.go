package agent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
)

// TestRunsThatTakeLongerThanTheTimeBetweenThemDoNotPileUp: a job that is due every
// minute and takes ten leaves the chat to people after each run.
func TestRunsThatTakeLongerThanTheTimeBetweenThemDoNotPileUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Content == "hello" {
				return say("hi")
			}
			<-time.After(10*time.Minute + time.Second)
			return say("done")
		})
		p.met()
		p.put(session.Job{Spec: every("1m"), Text: "Report.", Prompt: true, Due: p.now().Add(time.Minute)})
		<-time.After(2*time.Hour + time.Second)
		if n := p.asked.Load(); n < 11 || n > 12 {
			t.Errorf("ran %d times in two hours of runs of ten minutes", n)
		}
		began := time.Now()
		p.write("1", "1", "hello")
		for (<-p.sent).Text != "hi" {
		}
		if took := time.Since(began); took > 21*time.Minute {
			t.Errorf("a message waited %v", took)
		}
		p.write("1", "1", "/schedule pause job1")
		for range 2 {
			<-p.sent // the run under way, and the answer
		}
		p.quiet(time.Hour)
	})
}

// heavy is an engine that takes its time to fire.
type heavy struct{ session.Engine }

// Jobs implements [session.Engine].
func (s heavy) Jobs() session.Jobs { return heavyJobs{s.Engine.Jobs()} }

type heavyJobs struct{ session.Jobs }

func (s heavyJobs) Fire(ctx context.Context, id string, due, next time.Time, item session.Item) (bool, error) {
	<-time.After(3 * time.Second)
	return s.Jobs.Fire(ctx, id, due, next, item)
}

func TestWhatFallsDueWhileAnotherJobFiresIsNotLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPlanned(t, nil, func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { return heavy{e} }
		})
		p.met()
		due := p.now().Add(time.Minute)
		p.put(session.Job{ID: "first", Spec: at(due), Text: "first", Due: due})
		p.put(session.Job{ID: "second", Spec: at(due.Add(time.Second)), Text: "second", Due: due.Add(time.Second)})
		p.next("first")
		p.next("second")
		if late := p.now().Sub(due); late > 7*time.Second {
			t.Errorf("said %v after it was due", late)
		}
	})
}

package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// ahead is a store with tasks and questions that were recorded while the clock was a
// year ahead.
type ahead struct{ session.Engine }

const year = 365 * 24 * time.Hour

func late(t *session.Task) { t.Started, t.Deadline = t.Started.Add(year), t.Deadline.Add(year) }

// Tasks implements [session.Engine].
func (e ahead) Tasks() session.Tasks { return aheadTasks{e.Engine.Tasks()} }

type aheadTasks struct{ session.Tasks }

func (e aheadTasks) OpenTasks(ctx context.Context) ([]session.Task, error) {
	all, err := e.Tasks.OpenTasks(ctx)
	for i := range all {
		late(&all[i])
	}
	return all, err
}

func (e aheadTasks) Task(ctx context.Context, id string) (session.Task, error) {
	t, err := e.Tasks.Task(ctx, id)
	late(&t)
	return t, err
}

// Approvals implements [session.Engine].
func (e ahead) Approvals() session.Approvals { return aheadApprovals{e.Engine.Approvals()} }

type aheadApprovals struct{ session.Approvals }

func (e aheadApprovals) Approval(ctx context.Context, id string) (session.Approval, error) {
	q, err := e.Approvals.Approval(ctx, id)
	q.Asked, q.Expires = q.Asked.Add(year), q.Expires.Add(year)
	return q, err
}

func (e aheadApprovals) ApprovalList(ctx context.Context, chat string) ([]session.Approval, error) {
	all, err := e.Approvals.ApprovalList(ctx, chat)
	for i := range all {
		all[i].Asked, all[i].Expires = all[i].Asked.Add(year), all[i].Expires.Add(year)
	}
	return all, err
}

// TestAnAgentOfAClockThatWasAheadIsGivenUp: an agent that was started while the clock was
// a year ahead has no more time than its limit after the clock was put right.
func TestAnAgentOfAClockThatWasAheadIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{}, 10)
		w := newParty(t, func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			switch {
			case isAgent(msgs):
				return hang(ctx, asked)
			case last(msgs).Role == providers.RoleTool:
				return say("started")
			}
			return call("spawn", `{"task":"think","name":"thought","deadline_minutes":5}`)
		}, nil, quietly)
		w.write("1", "1", "go")
		w.expectText("started")
		<-asked
		w.stop()
		w.wrap = func(e session.Engine) session.Engine { return ahead{e} }
		began := time.Now()
		w.start()
		o := <-w.sent
		if after := time.Since(began); after > 6*time.Minute || !strings.Contains(o.Text, "did not end within 5 minutes") {
			t.Errorf("after %v the chat was told %q", after, o.Text)
		}
		w.settled()
	})
}

// TestADayOfABudgetWhoseClockWasAhead: the use of a chat counts on its own day alone,
// whichever way the clock leaps: a day in the future neither blocks the present one nor
// sets it free.
func TestADayOfABudgetWhoseClockWasAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var leap atomic.Int64 // how far the clock is ahead
		w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			return say("an answer")
		}), nil, withOptions(func(o *agent.Options) {
			o.Now = func() time.Time { return time.Now().Add(time.Duration(leap.Load())) }
			o.Budgets.Of = func(channels.Address) budget.Budget { return budget.Budget{All: budget.Limits{Turns: 2}} }
		}))
		asks := func(n int, answered bool) {
			t.Helper()
			for range n {
				w.write("1", "1", "hello")
				if o := w.expect(); (o.Text == "an answer") != answered {
					t.Errorf("with the clock %v ahead the chat reads %q", time.Duration(leap.Load()), o.Text)
				}
			}
			synctest.Wait()
		}
		asks(1, true)
		leap.Store(int64(year))
		asks(2, true)
		asks(1, false)
		leap.Store(0)
		asks(1, true)
		asks(1, false)
	})
}

// TestAQuestionOfAClockThatWasAheadLapses: a question of an agent that was put while the
// clock was a year ahead is over once the clock was put right.
func TestAQuestionOfAClockThatWasAheadLapses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		w := newParty(t, overwrites("spawn"), []tools.Tool{b.tool()}, withOptions(asking), quietly)
		w.write("1", "1", "page one")
		q := w.started("page one")[0]
		w.settled()
		w.stop()
		w.wrap = func(e session.Engine) session.Engine { return ahead{e} }
		began := time.Now()
		w.start()
		o := <-w.sent
		if after := time.Since(began); after > time.Minute || o.Finishes != q.ID || !strings.Contains(o.Text, "expired without a decision") {
			t.Errorf("after %v the question became %q", after, o.Text)
		}
		w.expectText(
			"Task “the work” (" + shortOf(w) + ") failed. The approval of `overwrite` expired, and the task could not continue without it.",
		)
		w.settled()
	})
}

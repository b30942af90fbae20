package subagent

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/visible"
)

// Starter lets tools start agents for the turn that their call belongs to. A call finds its
// turn by its context; outside of a running turn each method returns an error.
type Starter struct {
	running *turn.Running
	agents  *Agents
}

// Starter starts agents for the calls of the turns that run.
func (a *Agents) Starter(running *turn.Running) Starter { return Starter{running, a} }

// StartAgent starts a background agent for the call in ctx and returns the name of
// its task, which is durable then.
func (c Starter) StartAgent(ctx context.Context, name, brief string, limit time.Duration) (string, error) {
	t, _, err := c.spawn(ctx, session.Task{Tool: "spawn"}, task.Brief{Task: brief, Name: name}, limit)
	if err != nil {
		return "", err
	}
	if t.State == session.TaskCancelled {
		return "", tools.Fail(tools.ErrExecutionFailed, "the agent was cancelled", nil)
	}
	return t.Short(), nil
}

// AskAgent starts a background agent for the call in ctx and waits for its report.
// A call that is made again after a crash goes on waiting for the same agent.
func (c Starter) AskAgent(ctx context.Context, name, brief string, limit time.Duration) (string, error) {
	t, r, err := c.spawn(ctx, session.Task{Tool: "subagent", Waited: true}, task.Brief{Task: brief, Name: name}, limit)
	if err != nil {
		return "", err
	}
	if t.State == session.TaskRunning {
		_, h, err := c.agents.Open(ctx, t.ID)
		if err != nil {
			return "", tools.Fail(tools.ErrExecutionFailed, "the agent's report cannot be read", nil).Because(err)
		}
		if r.Input.Place != nil {
			r.Input.Place.Leave()
		}
		h.ReportTo(func(line string) { tools.Progress(ctx, visible.Text(name)+": "+line) })
		defer h.ReportTo(nil)
		select {
		case <-h.ctx.Done():
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	ended, err := c.agents.o.Store.Task(ctx, t.ID)
	if err != nil {
		return "", tools.Fail(tools.ErrExecutionFailed, "the agent's report cannot be read", nil).Because(err)
	}
	if ended.Tainted {
		r.Provenance.Brings(tools.InvocationFrom(ctx).CallID)
	}
	switch ended.State {
	case session.TaskDone:
		return ended.Result, nil
	case session.TaskRunning: // the gateway stops: the call is made again at the next start
		<-ctx.Done()
		return "", ctx.Err()
	case session.TaskTimedOut:
		return "", tools.TimedOut(ended.Deadline.Sub(ended.Started), ended.Result, nil)
	case session.TaskCancelled:
		return "", tools.Fail(tools.ErrExecutionFailed, "the agent was cancelled and has no report", nil)
	default:
		return "", tools.Fail(tools.ErrExecutionFailed, ended.Result, nil)
	}
}

// spawn records a task for an agent, and lets the agent begin. Of the same call the
// same brief is the same task.
func (c Starter) spawn(ctx context.Context, t session.Task, o task.Brief, limit time.Duration) (session.Task, *turn.Turn, error) {
	a := c.agents
	r, key, err := c.running.Of(ctx)
	if err != nil {
		return t, nil, err
	}
	t.ID = session.AgentTaskID(r.Info.ID, key, digest(o))
	lock := a.startingIn(r.Origin.Chat)
	lock.Lock()
	defer lock.Unlock()
	known, err := a.o.Store.Task(ctx, t.ID)
	switch {
	case err == nil:
		t = known
		r.Tasks.AddAgent(&t)
	case !errors.Is(err, session.ErrNotFound):
		return t, r, tools.Fail(tools.ErrExecutionFailed, "no agent can be started now", nil).Because(err)
	default:
		if err := c.record(ctx, r, &t, o, limit); err != nil {
			return t, r, err
		}
	}
	if t.State != session.TaskRunning {
		return t, r, nil
	}
	a.hold(ctx, &t)
	if err := a.o.Store.Append(ctx, []session.Item{beginningOf(&t)}, nil); err != nil {
		err = a.notBegun(ctx, &t, err)
		return t, r, err
	}
	return t, r, nil
}

// record makes an agent's task durable, if one may be started.
func (c Starter) record(ctx context.Context, r *turn.Turn, t *session.Task, o task.Brief, limit time.Duration) error {
	if err := c.mayStart(r); err != nil {
		return err
	}
	describe(ctx, r, t, o, limit)
	r.Tasks.AddAgent(t)
	step := session.Step{Kind: session.StepStarted, Tasks: []session.Task{*t}, Await: true}
	failpoint.Hit("T1")
	if err := r.Record(ctx, step); err != nil {
		return tools.Fail(tools.ErrExecutionFailed, "the agent could not be recorded and was not started", nil).Because(err)
	}
	failpoint.Hit("T2")
	r.Log().Info().Str("task", t.ID).Str("tool", t.Tool).Int("depth", t.Depth).Msg("background agent started")
	return nil
}

// notBegun gives up an agent that is recorded and cannot begin.
func (a *Agents) notBegun(ctx context.Context, t *session.Task, why error) error {
	if err := a.o.Tasks.EndQuietly(context.WithoutCancel(ctx), t.ID, session.TaskCancelled); err != nil {
		a.o.Log.Error().Err(err).Str("task", t.ID).Msg("an agent that did not begin stays open until the next start")
	}
	return tools.Fail(tools.ErrExecutionFailed, "the agent could not be started", nil).Because(why)
}

// describe fills in the creator of the agent and its bounds.
func describe(ctx context.Context, r *turn.Turn, t *session.Task, o task.Brief, limit time.Duration) {
	arguments, err := json.Marshal(o)
	if err != nil {
		arguments = []byte("{}") // two texts can be marshalled
	}
	now := time.Now()
	t.Chat, t.Session, t.Address, t.Turn = r.Origin.Chat, r.Origin.Session, r.Origin.Address, r.Info.ID
	t.Call, t.Arguments = tools.InvocationFrom(ctx).CallID, arguments
	t.Principal, t.Tainted = r.Principal.Stored(r.Provenance), r.Provenance.Tainted()
	t.Wish = turn.Wish(r).Handed()
	t.Agent, t.Depth, t.State = true, r.Tasks.Depth+1, session.TaskRunning
	t.Started, t.Deadline = now, now.Add(limit)
	if t.Waited && !r.Tasks.Deadline.IsZero() && t.Deadline.After(r.Tasks.Deadline) {
		t.Deadline = r.Tasks.Deadline
	}
}

// mayStart says why no agent may be started (any more) by the turn.
func (c Starter) mayStart(r *turn.Turn) error {
	b := &c.agents.o.Limits
	if r.Tasks.Depth >= b.MaxDepth {
		return tools.Fail(tools.ErrPermissionDenied, fmt.Sprintf(
			"agents may start each other %d deep (background.max_depth) and no deeper, also by way of their reports: do it without one",
			b.MaxDepth,
		), nil)
	}
	if n := r.Tasks.Agents(); n >= b.PerTurn {
		return tools.Fail(tools.ErrBusy, fmt.Sprintf("one turn may start %d agents (background.per_turn), and this one has", n), nil)
	}
	here, all := c.agents.count(r.Origin.Chat)
	switch {
	case here >= b.PerChat:
		return tools.Fail(tools.ErrBusy, fmt.Sprintf("%d agents work for this chat, and no more may at a time (background.per_chat)", here), nil)
	case here >= maxAgents-all:
		return tools.Fail(tools.ErrBusy, "the gateway has as many agents as it can; try again later", nil)
	}
	return nil
}

// digest tells the briefs of one call apart.
func digest(o task.Brief) string {
	sum := sha256.Sum256([]byte(o.Name + "\x00" + o.Task))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// startingIn orders the starts of a chat's agents.
func (a *Agents) startingIn(chat string) *sync.Mutex {
	return &a.starting[maphash.String(a.seed, chat)%uint64(len(a.starting))]
}

package turn

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/pkg/session"
	"parley/pkg/tools"
)

// OpenTasks are the tasks of a turn: those that its calls have begun, and the background
// agents that it started, with their bounds.
type OpenTasks struct {
	// Depth is how many agents deep the turn is: those count, too, that it reads
	// reports of, so that a chain of reports ends.
	Depth int
	// Deadline is the turn's own, or zero.
	Deadline time.Time

	mu      sync.Mutex
	begun   map[string]session.Task // tasks of calls that have not ended
	started map[string]bool         // the agents that the turn has started, by task id
}

func newOpenTasks(info *session.TurnInfo) *OpenTasks {
	return &OpenTasks{begun: begunBy(info), started: startedBy(info.Steps)}
}

// startedBy are the agents that earlier attempts at a turn started.
func startedBy(steps []session.Step) map[string]bool {
	out := map[string]bool{}
	for i := range steps {
		for j := range steps[i].Tasks {
			if t := &steps[i].Tasks[j]; t.Agent {
				out[t.ID] = true
			}
		}
	}
	return out
}

// begunBy are those of them with calls that have not ended.
func begunBy(info *session.TurnInfo) map[string]session.Task {
	out := map[string]session.Task{}
	for i := range info.Steps {
		for j := range info.Steps[i].Tasks {
			if t := &info.Steps[i].Tasks[j]; t.Agent {
				out[t.ID] = *t
			}
		}
	}
	for i := range info.Steps {
		if s := &info.Steps[i]; s.Kind == session.StepEnded && s.Call != nil {
			dropCall(out, session.CallID(info.ID, session.CallKey(s.Round, s.Call.Index)))
		}
	}
	return out
}

// dropCall forgets the agents of a call.
func dropCall(ids map[string]session.Task, call string) {
	for id := range ids {
		if strings.HasPrefix(id, call+"/") {
			delete(ids, id)
		}
	}
}

// AddAgent remembers an agent with a call that has not ended: one that is waited for,
// or has hardly begun, ends where the turn is cut off.
func (ts *OpenTasks) AddAgent(t *session.Task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.started[t.ID], ts.begun[t.ID] = true, *t
}

// Agents is how many agents the turn has started.
func (ts *OpenTasks) Agents() int {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return len(ts.started)
}

// releaseAgents is called when a call has ended: its agents go on without it.
func (ts *OpenTasks) releaseAgents(call string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	dropCall(ts.begun, call)
}

// add remembers the task of a call that begins.
func (ts *OpenTasks) add(t session.Task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.begun[t.ID] = t
}

// remove forgets the task of a call that has ended.
func (ts *OpenTasks) remove(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.begun, id)
}

// get gives the task of a call that has begun and not ended.
func (ts *OpenTasks) get(id string) (session.Task, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t, ok := ts.begun[id]
	return t, ok
}

// takeAll gives the tasks of calls that were cut off, by id, and forgets them.
func (ts *OpenTasks) takeAll() []string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.begun) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(ts.begun))
	clear(ts.begun)
	return ids
}

// drop ends the tasks of calls that were cut off, so that they are silent after the
// turn has said how it ended.
func (ts *OpenTasks) drop(ctx context.Context, of Tasks) error {
	for _, id := range ts.takeAll() {
		if err := of.EndQuietly(ctx, id, session.TaskCancelled); err != nil && !errors.Is(err, session.ErrNotFound) {
			return err
		}
	}
	return nil
}

// callTasks makes the tasks of a turn's calls.
type callTasks struct{ t *Turn }

// id is the id of the task of a call.
func (c callTasks) id(call tools.Call) string {
	r := c.t
	return session.CallID(r.Info.ID, session.CallKey(call.Round, call.Index))
}

func (c callTasks) newTask(call tools.Call) session.Task {
	r := c.t
	now := time.Now()
	return session.Task{
		ID: c.id(call), Chat: r.Origin.Chat, Session: r.Origin.Session, Address: r.Origin.Address,
		Turn: r.Info.ID, Call: call.ID, Principal: r.Principal.Stored(r.Provenance), Wish: Wish(r).Handed(),
		Tool: call.Name, Arguments: json.RawMessage(orEmpty(call.RawArguments)),
		Tainted: r.Provenance.Tainted() || r.Provenance.FromOutside(call.ID, call.Annotations),
		State:   session.TaskRunning, Started: now, Deadline: now.Add(call.Annotations.BackgroundLimit),
	}
}

// orEmpty gives JSON for arguments that a model may have left out.
func orEmpty(raw string) string {
	if !json.Valid([]byte(raw)) {
		return "{}"
	}
	return raw
}

// taskContext is the context that an asynchronous tool works in.
func (c callTasks) taskContext(ctx context.Context, call tools.Call) context.Context {
	r := c.t
	t, begun := r.Tasks.get(c.id(call))
	if !begun { // its begin was not recorded, and no work may outlast the turn
		return ctx
	}
	return r.Deps.Tasks.Arm(ctx, tools.InvocationFrom(ctx), t)
}

// progress receives the progress of an asynchronous tool's work.
func (c callTasks) progress(call tools.Call) func(string) {
	work, id := c.t.Deps.Work, c.id(call) // and no state of the turn
	return func(line string) { work.ShowProgress(id, line) }
}

// brings notes that a call brings in content from outside, in its turn and, where the
// work outlasts that, in its task.
func (c callTasks) brings(call tools.Call) func() {
	work, id, p := c.t.Deps.Work, c.id(call), c.t.Provenance // and no other state of the turn
	return func() {
		p.Brings(call.ID)
		work.Taint(id)
	}
}

// callback is the callback of an asynchronous tool.
func (c callTasks) callback(_ context.Context, call tools.Call) tools.AsyncCallback {
	tasks, id := c.t.Deps.Tasks, c.id(call) // and no state of the turn
	return func(ctx context.Context, result *tools.ToolResult) {
		if result == nil {
			result = tools.NewToolResult("(no output)")
		}
		tasks.Finish(context.WithoutCancel(ctx), id, result)
	}
}

// EndState is the state of a task that ends with a result.
func EndState(result *tools.ToolResult) session.TaskState {
	if result.IsError {
		return session.TaskFailed
	}
	return session.TaskDone
}

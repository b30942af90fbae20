package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/fair"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// A background agent is a task whose work is a turn of its own conversation, at
// [session.AgentAddress]: it waits in an inbox, runs in a lane, writes a ledger and
// resumes as any turn does. It works for the chat that started it, its home: with
// that chat's files, tools and rules, and with the rights of whoever asked. It sends
// nothing; its last words end the task, and the task's item brings them home.

// Background bounds background agents.
type Background struct {
	// Agents is how many are at work at once, over all chats. 0: 32.
	Agents int
	// PerChat bounds the open agents of one chat, PerTurn those that one turn starts,
	// MaxDepth how many deep they may start each other. 0: 10, 5 and 2.
	PerChat, PerTurn, MaxDepth int
	// Offered says which of its chat's tools an agent has that is depth agents deep.
	// Nil: those that do not speak.
	Offered func(tool string, depth int) bool
}

// maxAgents bounds the open agents of all chats: each that waits for its place holds
// a lane of the engine. A chat has at most as many of them as it leaves to others.
const maxAgents = 2000

func (b *Background) fill() {
	set := func(v *int, usual int) {
		if *v <= 0 {
			*v = usual
		}
	}
	set(&b.Agents, 32)
	set(&b.PerChat, 10)
	set(&b.PerTurn, 5)
	set(&b.MaxDepth, 2)
	if b.Offered == nil {
		b.Offered = func(string, int) bool { return true }
	}
}

// agents are what this process runs of background agents.
type agents struct {
	// places are shared by the chats that agents work for.
	places *fair.Places
	// starting orders the starts of a chat's agents, so that its bound holds: each
	// chat has one of these, which others may share.
	starting [64]sync.Mutex
	seed     maphash.Seed
	// lives are those of the open tasks by id, perChat is how many a chat has. Both are
	// under the mutex of tasks.
	lives   map[string]*life
	perChat map[string]int
}

func newAgents(b *Background) *agents {
	return &agents{
		places: fair.NewWithQueues(b.Agents, maxAgents),
		lives:  map[string]*life{}, perChat: map[string]int{}, seed: maphash.MakeSeed(),
	}
}

// openAgents is how many agents' tasks are open, of one chat and of all.
func (a *Agent) openAgents(chat string) (here, all int) {
	a.tasks.mu.Lock()
	defer a.tasks.mu.Unlock()
	return a.agents.perChat[chat], len(a.agents.lives)
}

// agentWaits says that an agent waits for its place.
func (a *Agent) agentWaits(id string) bool {
	a.tasks.mu.Lock()
	l := a.agents.lives[id]
	a.tasks.mu.Unlock()
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waits
}

// life is an open task of an agent in this process. Its context ends with the task,
// after the task's end was stored, or with the process.
type life struct {
	ctx context.Context //nolint:containedctx // it is the task's life

	mu   sync.Mutex
	tell func(line string)
	// waits says that the agent stands in line for a place.
	waits bool
}

func (l *life) stands(inLine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = inLine
}

// say passes on how far the agent is, to whoever waits for it.
func (l *life) say(line string) {
	l.mu.Lock()
	tell := l.tell
	l.mu.Unlock()
	if tell != nil {
		tell(line)
	}
}

func (l *life) tells(tell func(line string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell = tell
}

// live gives the life of an open task, which has its deadline from then on.
func (a *Agent) live(ctx context.Context, t *session.Task) *life {
	ts := &a.tasks
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if l := a.agents.lives[t.ID]; l != nil {
		return l
	}
	base := ts.base //nolint:contextcheck // a task outlives the call that starts it
	if base == nil {
		base = ctx
	}
	own, cancel := context.WithCancelCause(base)
	l := &life{ctx: own}
	if base.Err() != nil || ts.open == nil {
		cancel(nil)
		return l
	}
	late, after := *t, context.WithoutCancel(ctx)
	timer := time.AfterFunc(left(t.Started, t.Deadline), func() { ts.begin(func() { a.tooLate(after, &late) }) })
	a.agents.lives[t.ID] = l
	a.agents.perChat[t.Chat]++
	end := func(cause error) { // close has the lock
		timer.Stop()
		cancel(cause)
		delete(a.agents.lives, late.ID)
		if a.agents.perChat[late.Chat]--; a.agents.perChat[late.Chat] == 0 {
			delete(a.agents.perChat, late.Chat)
		}
	}
	bare := *t
	bare.Arguments = nil
	ts.open[t.ID] = &work{task: bare, ctx: own, end: end, away: !t.Waited}
	return l
}

// left is how much of a time is left that began and ends at the given moments: never
// more than all of it, where a clock that was ahead has been put right since.
func left(began, ends time.Time) time.Duration { return min(time.Until(ends), ends.Sub(began)) }

// liveNow is live for a task that may have ended since it was read: it gives the
// task as it is now, and a life that is over where that is.
func (a *Agent) liveNow(ctx context.Context, t *session.Task) (session.Task, *life, error) {
	l := a.live(ctx, t)
	now, err := a.o.Engine.Tasks().Task(ctx, t.ID)
	if err == nil && now.State != session.TaskRunning {
		a.tasks.close(t.ID)
	}
	return now, l, err
}

// tooLate ends a task at its deadline.
func (a *Agent) tooLate(ctx context.Context, t *session.Task) {
	text := tooLong(t)
	for {
		_, err := a.endAgentTask(ctx, t, session.Completion{State: session.TaskTimedOut, Result: text})
		if !errors.Is(err, session.ErrStore) || !a.tasks.pause() {
			return
		}
	}
}

// order is what an agent was asked to do, as the task keeps it.
type order struct {
	Task string `json:"task"`
	Name string `json:"name"`
}

func orderOf(t *session.Task) order {
	var o order
	_ = json.Unmarshal(t.Arguments, &o) // what cannot be read has no name
	return o
}

// maxReport is how much of a report goes home, in bytes.
const maxReport = session.MaxTurnBytes / 2

// endAgentTask ends an agent's task and brings its result home, unless the call that
// started it waits: then it is woken. False: it is over already, and stays as it is.
func (a *Agent) endAgentTask(ctx context.Context, t *session.Task, c session.Completion) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	c.Result = text.ClipBytes(a.o.Redact(c.Result), maxReport)
	if !t.Waited && c.Item == nil && len(c.Outbox) == 0 {
		c.Item = &session.Item{
			ID: session.TaskItemID(t.ID), Kind: session.ItemTask, Address: t.Address, TaskID: t.ID, Solo: true, Time: time.Now(),
			Text: endText(t, &c),
		}
	}
	a.stopProgress(t.ID)
	if len(c.Outbox) > 0 { // it takes over what shows how far the agent was
		now, err := a.o.Engine.Tasks().Task(ctx, t.ID)
		if err != nil {
			return false, err
		}
		c.Outbox[0].Finishes = now.Status
	}
	first, err := a.endTask(ctx, t, c)
	if err != nil {
		if errors.Is(err, session.ErrNotFound) { // it was forgotten with its chat
			a.tasks.close(t.ID)
		}
		a.o.Log.Error().Err(err).Str("task", t.ID).Msg("a background agent ended and its end could not be stored")
		return false, err
	}
	a.tasks.close(t.ID)
	return first, nil
}

// endText is what the model is told of an agent's end.
func endText(t *session.Task, c *session.Completion) string {
	said := fmt.Sprintf("%s The background agent %s has ended (%s). It was asked: %s\n", taskMark, taskName(t), c.State, text.ClipBytes(orderOf(t).Task, 500))
	if c.State == session.TaskDone {
		return said + "The person has not seen its report. Tell them what came of it; answer " + noReply +
			" only if they want nothing told.\nReport:\n" + c.Result
	}
	return said + "The person is told: " + c.Result
}

// takeUpAgents goes on with the agents of the last process. What begins one may
// not have been stored with its task; appending it again changes nothing.
func (a *Agent) takeUpAgents(ctx context.Context) error {
	open, err := a.o.Engine.Tasks().OpenTasks(ctx)
	if err != nil {
		return err
	}
	waits := map[string]bool{}
	for i := range open {
		t := &open[i]
		if !t.Agent {
			continue
		}
		waits[t.ID] = true
		a.live(ctx, t)
		if err := a.o.Engine.Inbox().Append(ctx, []session.Item{beginningOf(t)}, nil); err != nil {
			a.o.Log.Error().Err(err).Str("task", t.ID).Msg("a background agent cannot begin")
			a.tasks.wg.Go(func() { a.beginLater(context.WithoutCancel(ctx), t) })
		}
	}
	questions, err := a.o.Engine.Approvals().ApprovalList(ctx, "")
	if err != nil {
		return err
	}
	for i := range questions {
		q := &questions[i]
		switch {
		case q.Task == "" || q.State != session.ApprovalOpen:
		case waits[q.Task]:
			a.lapses(ctx, q)
		default: // its task was ended while no gateway ran
			lapsed := lapsing(q)
			lapsed.Time = time.Now()
			if err := a.o.Engine.Inbox().Append(ctx, []session.Item{lapsed}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginLater begins an agent once the store can be written again.
func (a *Agent) beginLater(ctx context.Context, t *session.Task) {
	for a.tasks.pause() {
		if err := a.o.Engine.Inbox().Append(ctx, []session.Item{beginningOf(t)}, nil); !errors.Is(err, session.ErrStore) {
			return
		}
	}
}

// beginningOf is the item that an agent's first turn answers.
func beginningOf(t *session.Task) session.Item {
	return session.Item{
		ID: session.SpawnItemID(t.ID), Kind: session.ItemSpawn, Address: session.AgentAddress(t.ID), TaskID: t.ID,
		Text: orderOf(t).Task, Solo: true, Time: t.Started,
	}
}

// present is the address that a chat has now.
func (a *Agent) present(ctx context.Context, at channels.Address) channels.Address {
	if info, err := a.o.Engine.Sessions().Lookup(ctx, at); err == nil {
		return info.Address
	}
	return at
}

func errSpeaks() error {
	return tools.Fail(tools.ErrPermissionDenied, "a background agent sends nothing: what it has to say stands in its report", nil)
}

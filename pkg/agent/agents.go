package agent

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"parley/pkg/agent/prompt"
	"parley/pkg/agent/task"
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

	mu sync.Mutex
	// lives are those of the open tasks by id, perChat is how many a chat has.
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
	a.agents.mu.Lock()
	defer a.agents.mu.Unlock()
	return a.agents.perChat[chat], len(a.agents.lives)
}

// life is that of an open task, nil for none.
func (as *agents) life(id string) *life {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.lives[id]
}

// agentWaits says that an agent waits for its place.
func (a *Agent) agentWaits(id string) bool {
	l := a.agents.life(id)
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
	a     *Agent
	task  session.Task
	ctx   context.Context //nolint:containedctx // it is the task's life
	after context.Context //nolint:containedctx // for the end at the deadline

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
	l := &life{a: a, task: *t, after: context.WithoutCancel(ctx)}
	held := a.work.Hold(ctx, t, l)
	if known := a.agents.life(t.ID); known != nil {
		return known
	}
	return &life{ctx: held} // it is over already
}

// Begins implements [task.Holder].
func (l *life) Begins(ctx context.Context) {
	as := l.a.agents
	as.mu.Lock()
	defer as.mu.Unlock()
	l.ctx = ctx
	as.lives[l.task.ID] = l
	as.perChat[l.task.Chat]++
}

// Ends implements [task.Holder].
func (l *life) Ends() {
	as := l.a.agents
	as.mu.Lock()
	defer as.mu.Unlock()
	delete(as.lives, l.task.ID)
	if as.perChat[l.task.Chat]--; as.perChat[l.task.Chat] == 0 {
		delete(as.perChat, l.task.Chat)
	}
}

// Expires ends the task at its deadline; it implements [task.Holder].
func (l *life) Expires() { l.a.tooLate(l.after, &l.task) }

// liveNow is live for a task that may have ended since it was read: it gives the
// task as it is now, and a life that is over where that is.
func (a *Agent) liveNow(ctx context.Context, t *session.Task) (session.Task, *life, error) {
	l := a.live(ctx, t)
	now, err := a.o.Engine.Tasks().Task(ctx, t.ID)
	if err == nil && now.State != session.TaskRunning {
		a.work.Close(t.ID)
	}
	return now, l, err
}

// tooLate ends a task at its deadline.
func (a *Agent) tooLate(ctx context.Context, t *session.Task) {
	text := task.TimeOver(t)
	for {
		_, err := a.endAgentTask(ctx, t, session.Completion{State: session.TaskTimedOut, Result: text})
		if !errors.Is(err, session.ErrStore) || !a.work.Pause() {
			return
		}
	}
}

// maxReport is how much of a report goes home, in bytes.
const maxReport = session.MaxTurnBytes / 2

// endAgentTask ends an agent's task and brings its result home, unless the call that
// started it waits: then it is woken. False: it is over already, and stays as it is.
func (a *Agent) endAgentTask(ctx context.Context, t *session.Task, c session.Completion) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, task.EndTimeout)
	defer cancel()
	c.Result = text.ClipBytes(a.o.Redact(c.Result), maxReport)
	if !t.Waited && c.Item == nil && len(c.Outbox) == 0 {
		c.Item = &session.Item{
			ID: session.TaskItemID(t.ID), Kind: session.ItemTask, Address: t.Address, TaskID: t.ID, Solo: true, Time: time.Now(),
			Text: endText(t, &c),
		}
	}
	a.work.StopProgress(t.ID)
	if len(c.Outbox) > 0 { // it takes over what shows how far the agent was
		now, err := a.o.Engine.Tasks().Task(ctx, t.ID)
		if err != nil {
			return false, err
		}
		c.Outbox[0].Finishes = now.Status
	}
	first, err := a.tasks.End(ctx, t, c)
	if err != nil {
		if errors.Is(err, session.ErrNotFound) { // it was forgotten with its chat
			a.work.Close(t.ID)
		}
		a.o.Log.Error().Err(err).Str("task", t.ID).Msg("a background agent ended and its end could not be stored")
		return false, err
	}
	a.work.Close(t.ID)
	return first, nil
}

// endText is what the model is told of an agent's end.
func endText(t *session.Task, c *session.Completion) string {
	said := fmt.Sprintf("%s The background agent %s has ended (%s). It was asked: %s\n", task.Mark, task.Name(t), c.State, text.ClipBytes(task.BriefOf(t).Task, 500))
	if c.State == session.TaskDone {
		return said + "The person has not seen its report. Tell them what came of it; answer " + prompt.NoReply +
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
			a.work.Go(func() { a.beginLater(context.WithoutCancel(ctx), t) })
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
	for a.work.Pause() {
		if err := a.o.Engine.Inbox().Append(ctx, []session.Item{beginningOf(t)}, nil); !errors.Is(err, session.ErrStore) {
			return
		}
	}
}

// beginningOf is the item that an agent's first turn answers.
func beginningOf(t *session.Task) session.Item {
	return session.Item{
		ID: session.SpawnItemID(t.ID), Kind: session.ItemSpawn, Address: session.AgentAddress(t.ID), TaskID: t.ID,
		Text: task.BriefOf(t).Task, Solo: true, Time: t.Started,
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

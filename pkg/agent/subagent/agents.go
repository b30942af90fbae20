package subagent

import (
	"context"
	"hash/maphash"
	"sync"

	"github.com/rs/zerolog"

	"parley/pkg/agent/task"
	"parley/pkg/channels"
	"parley/pkg/fair"
	"parley/pkg/session"
)

// maxAgents bounds the open agents of all chats: each that waits for its place holds
// a lane of the engine. A chat has at most as many of them as it leaves to others.
const maxAgents = 2000

// Limits bound background agents.
type Limits struct {
	// Agents is how many are at work at once, over all chats. 0: 32.
	Agents int
	// PerChat bounds the open agents of one chat, PerTurn those that one turn starts,
	// MaxDepth how many deep they may start each other. 0: 10, 5 and 2.
	PerChat, PerTurn, MaxDepth int
	// Offered says which of its chat's tools an agent has that is depth agents deep.
	// Nil: those that do not speak.
	Offered func(tool string, depth int) bool
}

// fill sets the defaults.
func (l *Limits) fill() {
	set := func(v *int, usual int) {
		if *v <= 0 {
			*v = usual
		}
	}
	set(&l.Agents, 32)
	set(&l.PerChat, 10)
	set(&l.PerTurn, 5)
	set(&l.MaxDepth, 2)
	if l.Offered == nil {
		l.Offered = func(string, int) bool { return true }
	}
}

// Store is the agents' view of the engine.
type Store interface {
	// Task finds one task, OpenTasks those that have not ended.
	Task(ctx context.Context, taskID string) (session.Task, error)
	OpenTasks(ctx context.Context) ([]session.Task, error)
	// Approval finds one question; ApprovalList returns those of a chat, or of all for "".
	Approval(ctx context.Context, id string) (session.Approval, error)
	ApprovalList(ctx context.Context, chat string) ([]session.Approval, error)
	// Append stores items in the inboxes of their chats.
	Append(ctx context.Context, items []session.Item, cursor *channels.Cursor) error
}

// Options are the parts that [Agents] work with.
type Options struct {
	Store Store
	// Chat finds the chat at an address.
	Chat func(ctx context.Context, at channels.Address) (session.Info, error)
	// Tasks end the tasks of the agents, and Work has their contexts.
	Tasks  *task.Tasks
	Work   *task.Supervisor
	Limits Limits
	// Redact removes secrets from reports.
	Redact func(string) string
	Log    zerolog.Logger
}

// Agents are the background agents of this process.
type Agents struct {
	o Options
	// places are shared by the chats that agents work for.
	places *fair.Places
	// starting orders the starts of a chat's agents, so that its bound holds: each
	// chat has one of these, which others may share.
	starting [64]sync.Mutex
	seed     maphash.Seed

	mu sync.Mutex
	// handles are those of the open tasks by id, perChat is how many a chat has.
	handles map[string]*Handle
	perChat map[string]int
}

// New returns the agents of a store; they rest until TakeUp.
func New(o Options) *Agents {
	o.Limits.fill()
	return &Agents{
		o: o, places: fair.NewWithQueues(o.Limits.Agents, maxAgents),
		handles: map[string]*Handle{}, perChat: map[string]int{}, seed: maphash.MakeSeed(),
	}
}

// handle is that of an open task, or nil.
func (a *Agents) handle(id string) *Handle {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.handles[id]
}

// count is how many agents' tasks are open, of one chat and of all.
func (a *Agents) count(chat string) (here, all int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.perChat[chat], len(a.handles)
}

// Waits reports whether an agent stands in line for its place.
func (a *Agents) Waits(id string) bool {
	h := a.handle(id)
	return h != nil && h.inLine()
}

// hold gives the handle of an open task, which has its deadline from then on.
func (a *Agents) hold(ctx context.Context, t *session.Task) *Handle {
	h := &Handle{agents: a, task: *t, after: context.WithoutCancel(ctx)}
	held := a.o.Work.Hold(ctx, t, (*holder)(h))
	if known := a.handle(t.ID); known != nil {
		return known
	}
	return &Handle{ctx: held} // it is over already
}

// Open reads the task of an agent and gives its handle, which has its deadline from then
// on. Where the task has ended, the handle's context has ended too.
func (a *Agents) Open(ctx context.Context, id string) (session.Task, *Handle, error) {
	t, err := a.o.Store.Task(ctx, id)
	if err != nil {
		return t, nil, err
	}
	h := a.hold(ctx, &t)
	now, err := a.o.Store.Task(ctx, id) // it may have ended in between
	if err == nil && now.State != session.TaskRunning {
		a.o.Work.Close(id)
	}
	return now, h, err
}

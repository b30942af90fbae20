package agent

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/approval"
	"parley/pkg/agent/budget"
	"parley/pkg/agent/command"
	"parley/pkg/agent/job"
	"parley/pkg/agent/memory"
	"parley/pkg/agent/ongoing"
	"parley/pkg/agent/places"
	"parley/pkg/agent/progress"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/subagent"
	"parley/pkg/agent/summary"
	"parley/pkg/agent/task"
	"parley/pkg/agent/trust"
	"parley/pkg/agent/turn"
	"parley/pkg/agent/zone"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Options are the parts that an [Agent] works with. Engine, Models, Tools, Authorize and
// Files.Space are required.
type Options struct {
	Engine session.Engine
	// Models choose the model that answers; a [turn.Model] is the choice of one.
	Models turn.Models
	Tools  *tools.ToolRegistry
	// Offered, when set, further narrows the tools of one chat.
	Offered func(a channels.Address, tool string) bool
	// Authorize is the policy's one decision on the sender of a turn's messages.
	Authorize func(ctx context.Context, e policy.Event) policy.Verdict
	// Credential is that of [trust.Resolver].
	Credential func(name string) (policy.Level, bool)
	Files      Files
	// WhileBusy is one of the words of package turn; empty means [turn.Steer].
	WhileBusy string
	// AnswerEdits makes an edit of a message that was answered, or is being
	// answered, a message of its own; else it is dropped. An edit of a message
	// that still waits replaces it either way.
	AnswerEdits bool
	Limits      Limits
	Budgets     Budgets
	Questions
	Commands
	// Surfaces tell the abilities of the chats' channels; nil: they take messages and
	// do no more.
	Surfaces turn.Surfaces
	// Background bounds background agents.
	Background subagent.Limits
	// Redact removes secrets from every text that leaves; nil leaves texts as they are.
	Redact func(string) string
	Jobs   Jobs
	// Now is the wall clock, for all that schedules and the days of budgets do; nil: time.Now.
	Now func() time.Time
	// Zone is the time zone, an IANA name, of a chat that has not set one; "" or nil:
	// it is not known.
	Zone func(a channels.Address) string
	Log  zerolog.Logger
}

// Questions are those that people answer.
type Questions struct {
	// Approvals say which calls a person is asked about.
	Approvals policy.Approvals
	// OnApproval is told of each question that is put, and of each answer to one. It
	// must not wait.
	OnApproval func(approval.Event)
	// OnRevoke is told which grant a person ends in its chat. It must not wait.
	OnRevoke func(g session.Grant, by channels.Sender)
}

// Commands are the needs of the commands of the chats.
type Commands struct {
	// Links answer the commands of this name and unlink; nil: there are no such commands.
	Links Links
	// Forget forgets a chat whose person has said so; nil: none is forgotten.
	Forget func(ctx context.Context, f approval.Forget) error
	// Facts are those that chats were told to remember; nil: they remember none.
	Facts session.Facts
	// Has says whether the channel of a chat has what a command needs; nil: none has.
	Has func(at channels.Address, need command.Need) bool
}

// Links show chats on the pages of people.
type Links interface {
	Link(ctx context.Context, t *turn.Turn, arg string) (turn.Reply, error)
	Unlink(ctx context.Context, t *turn.Turn, arg string) (turn.Reply, error)
}

// Jobs are the needs of schedules.
type Jobs struct {
	// Timetable computes when jobs fire; nil: no job fires.
	Timetable job.Timetable
	// Heartbeat is the job that the configuration owns, or nil.
	Heartbeat *job.Heartbeat
}

// Files are where the files of the chats and the operator come from.
type Files struct {
	// Space names the folder of a chat's files; it need not be there yet.
	Space func(a channels.Address, owner bool) string
	// Fetch is the same of [prompt.Options]; nil fetches no file.
	Fetch func(ctx context.Context, a channels.Address, space string, f channels.Attachment) prompt.Fetched
	// AgentFile returns the operator's instructions; it is read for every turn.
	AgentFile func() string
	// ChatFile returns those for one chat; it is read for every turn there. Nil: there
	// are none.
	ChatFile func(a channels.Address) string
	// Folders is the same of [prompt.Options].
	Folders func(a channels.Address) string
	// Indexed tells people how far the corpora of a chat are indexed, or ""; nil: there are none.
	Indexed func(a channels.Address) string
	// Senses hear and see for the models; nil: files are named, and pictures shown.
	Senses turn.Senses
}

// Limits bound turns; a field that is 0 has its default.
type Limits struct {
	// Iterations bounds the model rounds of a turn (0: 10), Parallel the calls of a turn
	// that run at once (0: 4), Turns the turns that run at once (0: 208).
	Iterations, Parallel, Turns int
	// ContextTokens and ContextEntries bound the history that is sent to the model; 0:
	// 24,000 and 200.
	ContextTokens, ContextEntries int
	// Grace is how long running turns may go on after Run's context ended; 0: 20 s.
	Grace time.Duration
}

// Budgets bound the use of the chats in a day.
type Budgets struct {
	// Of is the budget of a chat; nil is no limit. It is asked before each request to
	// the model.
	Of func(a channels.Address) budget.Budget
	// Currency is the word for the unit of the models' prices.
	Currency string
}

// fill sets the defaults.
func (l *Limits) fill() {
	if l.Turns <= 0 {
		l.Turns = 208
	}
	if l.ContextTokens <= 0 {
		l.ContextTokens = 24_000
	}
	if l.Grace <= 0 {
		l.Grace = 20 * time.Second
	}
}

// Agent runs turns. It is a [channels.Sink] for admitted items.
type Agent struct {
	o Options
	// reports are the places of the turns that bring a background result home, jobPlaces
	// those of jobs: people do not wait for a storm of them.
	reports, jobPlaces *places.Places
	// works are the turns and calls that go on, by chat.
	works *ongoing.Works
	// work has the tasks that run in this process, tasks are all of them.
	work  *task.Supervisor
	tasks *task.Tasks
	jobs  *job.Scheduler
	zones *zone.Zones
	// memory has the facts that chats were told to remember.
	memory *memory.Memory
	// agents are the background agents, approvals the questions to people.
	agents    *subagent.Agents
	approvals *approval.Approvals
	// deps are the parts that all turns work with, turns those that run, kinds the
	// dispatcher's rows.
	deps  turn.Deps
	turns *turn.Running
	kinds []turn.Kind
}

// New returns an agent that is idle until Run.
func New(o Options) (*Agent, error) {
	if o.Engine == nil || o.Models == nil || o.Tools == nil || o.Authorize == nil || o.Files.Space == nil {
		return nil, errors.New("agent: Engine, Models, Tools, Authorize and Files.Space are required")
	}
	if o.WhileBusy == "" {
		o.WhileBusy = turn.Steer
	}
	o.Limits.fill()
	if one, ok := o.Models.(turn.Model); ok {
		one.Provider = providers.Metered(one.Provider, one.Name, providers.Prices{})
		o.Models = one
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Has == nil {
		o.Has = func(channels.Address, command.Need) bool { return false }
	}
	if o.Forget == nil {
		o.Forget = func(context.Context, approval.Forget) error { return errors.New("agent: no chat can be forgotten") }
	}
	if o.OnApproval == nil {
		o.OnApproval = func(approval.Event) {}
	}
	if o.OnRevoke == nil {
		o.OnRevoke = func(session.Grant, channels.Sender) {}
	}
	o.tellTime()
	if o.Surfaces == nil {
		o.Surfaces = turn.NoSurfaces{}
	}
	a := &Agent{
		o:       o,
		reports: places.New(o.Limits.Turns), jobPlaces: places.New(o.Limits.Turns),
		jobs: job.New(job.Options{
			Jobs: o.Engine.Jobs(), Inbox: o.Engine.Inbox(), Chats: o.Engine.Sessions(), Status: o.Engine.Status,
			Timetable: o.Jobs.Timetable, Now: o.Now, Heartbeat: o.Jobs.Heartbeat, Log: o.Log,
		}),
		zones: zone.New(o.Engine.Chats(), o.Zone, o.Log),
		turns: turn.NewRunning(), works: &ongoing.Works{},
	}
	a.work = task.NewSupervisor(task.SupervisorOptions{
		Surface: func(at channels.Address) progress.Surface { return o.Surfaces.At(at).Surface },
		Show:    o.Engine.Tasks().ShowTask, Receipt: o.Engine.Outbox().Receipt, Redact: o.Redact, Log: o.Log,
	})
	a.tasks = task.New(task.Options{
		Store: o.Engine.Tasks(), Back: o.Engine.Sessions().Back, Work: a.work, Zone: a.zones.Of, Redact: o.Redact, Log: o.Log,
	})
	a.agents = subagent.New(subagent.Options{
		Store: agentStore{o.Engine.Tasks(), o.Engine.Approvals(), o.Engine.Inbox()}, Chat: o.Engine.Sessions().Lookup,
		Tasks: a.tasks, Work: a.work, Limits: o.Background, Redact: o.Redact, Log: o.Log,
	})
	a.approvals = approval.New(approval.Options{
		Store: o.Engine.Approvals(), Inbox: o.Engine.Inbox(), Chat: o.Engine.Sessions().Lookup, Task: o.Engine.Tasks().Task, TaskName: task.Name,
		Rules: o.Approvals, OnEvent: o.OnApproval, OnRevoke: o.OnRevoke, Forget: o.Forget, Redact: o.Redact,
	})
	a.memory = &memory.Memory{Facts: o.Facts}
	a.deps, a.kinds = newDeps(a), newKinds(a)
	return a, nil
}

// newDeps are the parts that all turns work with.
func newDeps(a *Agent) turn.Deps {
	o := &a.o
	prompts := prompt.New(prompt.Options{
		Store: o.Engine.Sessions(), AgentFile: o.Files.AgentFile, ChatFile: o.Files.ChatFile, Folders: o.Files.Folders, Fetch: o.Files.Fetch,
	})
	return turn.Deps{
		Models: o.Models, Tools: o.Tools, Offered: o.Offered, WhileBusy: o.WhileBusy, Space: o.Files.Space,
		Limits: turn.Limits{
			Iterations: o.Limits.Iterations, Parallel: o.Limits.Parallel,
			ContextTokens: o.Limits.ContextTokens, ContextEntries: o.Limits.ContextEntries,
		},
		Store: o.Engine.Outbox(),
		Rights: trust.Resolver{
			Store: records{o.Engine.Tasks(), o.Engine.Approvals(), o.Engine.Sessions()}, Authorize: o.Authorize, Credential: o.Credential,
		},
		Prompts: turn.Prompts{
			Reader: prompts, Summaries: summary.NewSupervisor(summary.Options{Store: o.Engine.Sessions(), Oldest: prompts.Oldest, Redact: o.Redact}),
			Senses: o.Files.Senses, Facts: a.memory,
		},
		Meter:    budget.New(budget.Options{Store: o.Engine.Chats(), Budget: o.Budgets.Of, Currency: o.Budgets.Currency, Now: o.Now}),
		Surfaces: o.Surfaces, Places: places.New(o.Limits.Turns), Zones: a.zones,
		Tasks: a.tasks, Work: goingOn{a.work, a.works}, Approvals: a.approvals, Command: command.Name, Redact: o.Redact, Now: o.Now, Log: o.Log,
	}
}

// Tasks lists the tasks and ends them for the operator.
func (a *Agent) Tasks() *task.Tasks { return a.tasks }

// Approvals take the operator's decisions, and list the questions that wait.
func (a *Agent) Approvals() *approval.Approvals { return a.approvals }

// Jobs fires the jobs and changes them for the operator.
func (a *Agent) Jobs() *job.Scheduler { return a.jobs }

// records are the parts of the engine that tell the rights of a turn.
type records struct {
	session.Tasks
	session.Approvals
	session.Sessions
}

// agentStore are the parts of the engine that background agents need.
type agentStore struct {
	session.Tasks
	session.Approvals
	session.Inbox
}

// goingOn is what turns tell of their work.
type goingOn struct {
	*task.Supervisor
	*ongoing.Works
}

// tellTime stands in for a clock that knows the zones.
func (o *Options) tellTime() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Zone == nil {
		o.Zone = func(channels.Address) string { return "" }
	}
}

// Run tells chats about background work that did not survive the last process, then
// fires jobs and runs turns until ctx ends. Turns under way then have the grace period
// to finish; an unfinished one is recorded and resumes at the next start.
func (a *Agent) Run(ctx context.Context) error {
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(task.ErrStopping)
	stopGrace := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(a.o.Limits.Grace, func() { cancel(task.ErrStopping) })
		context.AfterFunc(work, func() { t.Stop() })
	})
	defer stopGrace()

	a.work.Start(work)
	defer a.work.Stop()
	a.deps.Prompts.Summaries.Start(work)
	defer a.deps.Prompts.Summaries.Stop()
	if err := a.tasks.TakeUp(ctx); err != nil && ctx.Err() == nil {
		a.o.Log.Error().Err(err).Msg("cannot look at the background tasks of the last run")
	}
	if err := a.agents.TakeUp(ctx); err != nil && ctx.Err() == nil {
		a.o.Log.Error().Err(err).Msg("cannot go on with the background agents of the last run")
	}
	defer a.jobs.Start(ctx)()
	err := a.o.Engine.Inbox().Run(ctx, func(_ context.Context, t session.Turn) error {
		return a.handle(work, t)
	})
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		a.deps.Prompts.Summaries.Finish()
		return nil
	}
	return err
}

// handle runs one turn in a slot of its own.
func (a *Agent) handle(ctx context.Context, t session.Turn) error {
	a.tasks.AwaitTold(ctx, t.Info().Chat)
	info := t.Info()
	ctx, ended, err := a.works.Begin(ctx, a.worksFor(ctx, &info), "turn "+info.ID)
	if err != nil {
		return err
	}
	defer ended()
	one := turn.New(&a.deps, t, kindOf(a.kinds, &info))
	defer a.turns.Add(one)()
	return one.Run(ctx)
}

// Today is the day on which a turn of a chat would count now, as YYYY-MM-DD, given
// the chat's key and where it is.
func (a *Agent) Today(ctx context.Context, chat string, address channels.Address) string {
	return a.o.Now().In(a.zones.Of(ctx, chat, address)).Format(time.DateOnly)
}

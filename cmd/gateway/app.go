package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/files"
	"parley/pkg/policy"
	"parley/pkg/providers/offline"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/tools"
	"parley/workspace"
)

// The times of a gateway. Those of a stop together stay under the 30 s that a
// stop may take.
const (
	// How long running turns may go on.
	turnGrace = 20 * time.Second
	// How long answers that are ready may take to leave.
	sendGrace = 3 * time.Second
	// The end of a stop that hangs: the store is safe without it.
	stopLimit = 29 * time.Second
	// When the memory that only the start needed goes back to the system: about a
	// megabyte, measured.
	settleTime = 3 * time.Second
	// The pause between two looks at what has not left yet.
	drainLook = 20 * time.Millisecond
)

// errStopLimit says that something did not end when it was told to.
var errStopLimit = errors.New("something did not end within 29 s of the stop; it will be taken up again at the next start")

// App is one gateway: newApp constructs it, Run runs it until its context ends
// and stops it in two phases, and Close gives back what newApp took.
type App struct {
	cfg      *config.Config
	log      zerolog.Logger
	redactor *policy.Redactor
	store    *bolt.Engine
	engine   session.Engine // the store, or what stands in front of it
	audit    *audit.Log
	policy   *policy.Policy
	// approvals say about which calls a person is asked.
	approvals policy.Approvals
	registry  *tools.ToolRegistry
	agent     *agent.Agent
	brain     brain
	spaces    files.Spaces
	agentFile *files.AgentFile
	uploads   *files.Uploads
	// attachments are the files that people send.
	attachments *files.Attachments
	deadLetters *files.DeadLetters
	started     time.Time
	running     bool // it takes in and answers
	roster      roster
	groups      groups
	// joiner makes a channel that cannot be made yet; nil where there is none.
	joiner *joiner
}

// appOptions are what newApp needs beside the configuration.
type appOptions struct {
	lookupEnv func(string) (string, bool)
	log       zerolog.Logger
	redactor  *policy.Redactor
	// wrap stands in front of the engine; nil is nothing.
	wrap func(session.Engine) session.Engine
	// trouble is told when the store cannot be written, and with nil when it can again.
	trouble func(error)
	// channels are run beside those of the configuration.
	channels []channels.Channel
	// grace is how long turns may go on after the stop; 0: 20 s.
	grace time.Duration
	// admin constructs for a command that needs no model: none is looked for. With
	// look, the command makes and changes nothing either.
	admin, look bool
}

func newApp(ctx context.Context, cfg *config.Config, o appOptions) (*App, error) {
	a := &App{cfg: cfg, log: o.log, redactor: o.redactor, started: time.Now(), spaces: files.NewSpaces(cfg.Workspace), agentFile: files.NewAgentFile(cfg.Workspace, o.log)}
	a.uploads = files.NewUploads(filepath.Join(cfg.StateDir, "outgoing"))
	const megabyte = 1e6
	a.attachments = files.NewAttachments(files.AttachmentOptions{Limit: int64(cfg.Channels.Inbox.MaxMB) * megabyte, Opener: a.opener, Log: o.log})
	a.deadLetters = files.NewDeadLetters(cfg.StateDir, o.log)
	var err error
	if a.policy, err = newPolicy(cfg); err != nil {
		return nil, err
	}
	if a.store, err = openStore(ctx, cfg, &o); err != nil {
		return nil, err
	}
	a.engine = a.store
	if o.wrap != nil {
		a.engine = o.wrap(a.engine)
	}
	if !o.look {
		if err := a.openAudit(); err != nil {
			return nil, errors.Join(err, a.engine.Close())
		}
	}
	a.policy = a.policy.WithPairs(a.engine.Pairs()).WithMoves(a.engine.Chats())
	if err := a.assemble(ctx, o); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *App) assemble(ctx context.Context, o appOptions) error {
	if !o.admin {
		if err := files.CheckAgentFile(a.cfg.Workspace); err != nil {
			return admin.WithCode(admin.CodeUsage, err)
		}
	}
	if !o.look {
		if err := workspace.Prepare(a.cfg.Workspace); err != nil {
			return admin.WithCode(admin.CodeUsage, fmt.Errorf("the workspace: %w", err))
		}
	}
	if !o.admin {
		a.agentFile.Text() // the first good one
	}
	var err error
	a.brain = brain{provider: offline.New(offline.Options{Version: version()}), model: "offline"}
	if !o.admin {
		if a.brain, err = chooseModel(ctx, a.cfg, o.lookupEnv, o.log); err != nil {
			return err
		}
		a.redactor.Add(a.brain.secret)
	}
	if err := a.openChannels(o); err != nil {
		return err
	}
	if !o.admin {
		a.groups = claimGroups(&a.cfg.Tools)
	}
	boxes := newSandboxes(a.cfg, a.groups.of)
	a.registry = newRegistry(a.cfg, a.policy.Addresses, boxes, o.lookupEnv, a.redactor.Redact, auditor{a}, o.log)
	rules := askRules(&a.cfg.Tools)
	a.agent, err = agent.New(agent.Options{
		Engine: a.engine, Provider: a.brain.provider, Direct: offline.New(offline.Options{Version: version()}), Model: a.brain.model,
		Tools: a.registry, Offered: offered(a.cfg.Tools.Chats, a.policy.Addresses), Authorize: a.policy.Authorize,
		Space: a.spaces.Of, Fetch: a.attachments.Fetch, AgentFile: a.agentFile.Text,
		AnswerEdits: a.cfg.Agent.AnswerEdits,
		WhileBusy:   a.cfg.Agent.WhileBusy, MaxIterations: a.cfg.Agent.MaxToolIterations, MaxParallel: a.cfg.Tools.MaxParallel,
		Drafter: gateOf[channels.Drafter](a), Editor: gateOf[channels.Editor](a),
		Status: gateOf[channels.StatusShower](a), Typer: gateOf[channels.Typer](a), Command: a.command,
		Redact: a.redactor.Redact, Grace: orGrace(o.grace), Log: o.log,
		Clock: clockwork{}, Zone: zones(a.cfg.Agent.Timezone, o.lookupEnv), Heartbeat: a.heartbeat(),
		Approvals: rules, CanAsk: a.canAsk, Noted: a.notedApproval,
		Budget: budgetOf(a.cfg.Budgets, a.policy.Addresses), Currency: a.cfg.Budgets.Currency,
		Background: background(&a.cfg.Background),
	})
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	a.registry.Register(newMessage(a.agent))
	a.registry.Register(newSchedule(a.agent, a.cfg.Schedules.PerChat))
	a.registry.Register(newTasksTool(a))
	a.registry.Register(newSendFile(a.cfg, a.policy.Addresses, fileSender{a}))
	for _, t := range spawnTools(a.cfg, a.agent) {
		a.registry.Register(t)
	}
	registerScripts(a.registry, a.cfg, boxes.safe)
	addComposed(a.registry, a.cfg.Tools.Composed, o.log)
	switchTools(a.registry, a.cfg.Tools)
	ownRules(rules, a.registry)
	a.approvals = rules
	a.sayWaived(rules)
	return nil
}

func orGrace(d time.Duration) time.Duration {
	if d <= 0 {
		return turnGrace
	}
	return d
}

// openChannels puts the channels of the configuration on the roster, behind those
// of the command. A command that runs none needs none.
func (a *App) openChannels(o appOptions) error {
	open := slices.Clone(o.channels)
	if !o.admin {
		bots, err := a.telegramChannels(o.log)
		if err != nil {
			return err
		}
		app, err := a.slackChannels(o.log)
		if err != nil {
			return err
		}
		open = slices.Concat(open, bots, app)
	}
	for _, c := range append(open, testChannels(o.lookupEnv, o.log)...) {
		a.line(c)
	}
	return nil
}

// expected is how many channels run, those that have yet to join among them.
func (a *App) expected() int {
	n := len(a.roster.all())
	if a.joiner != nil {
		n++
	}
	return n
}

// Run runs the channels, the agent and the admin socket until ctx ends or ended
// reports, after the end of the channel of that name, that nobody is left to serve. Then intake
// stops first, then the work, then sending. An error says what ended it before.
func (a *App) Run(ctx context.Context, ended func(ctx context.Context, channel string, err error) bool) error {
	intake, stopIntake := context.WithCancelCause(ctx)
	defer stopIntake(nil)
	rest := context.WithoutCancel(ctx)
	work, stopWork := context.WithCancel(rest)
	defer stopWork()
	sending, stopSending := context.WithCancel(rest)
	defer stopSending()

	if err := a.tidy(ctx); err != nil {
		return err
	}
	a.running = true
	a.deadLetters.Age()
	a.noted(processRow(audit.KindStart))
	defer a.noted(processRow(audit.KindStop))
	socket, err := admin.Listen(a.cfg.StateDir, a.operations())
	if err != nil {
		return err
	}
	at := &shift{stop: stopIntake, ended: ended}
	at.serving.Go(func() { socket.Serve(work) })
	working := make(chan struct{})
	go func() {
		defer close(working)
		failWith(stopIntake, a.agent.Run(work))
	}()
	a.runLines(intake, sending, at)
	a.groups.say(&a.cfg.Tools, a.log)
	a.log.Info().Str("model", a.brain.model).Dur("took", time.Since(a.started)).Msg("ready")

	settled := time.AfterFunc(settleTime, debug.FreeOSMemory)
	<-intake.Done()
	a.agent.StopJobs()
	settled.Stop()
	a.log.Info().Msg("stopping")
	limit, cancel := context.WithTimeout(rest, stopLimit)
	defer cancel()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		at.taking.Wait()
		stopWork()
		<-working
		a.drain(limit)
		stopSending()
		at.serving.Wait()
	}()
	defer a.logStats()
	select {
	case <-stopped:
	case <-limit.Done():
		return errStopLimit
	}
	return endCause(ctx, intake)
}

// tidy removes files that no message waits for any more. In a store that is held
// it is not known yet which ones those are.
func (a *App) tidy(ctx context.Context) error {
	st, err := a.engine.Status(ctx)
	if err != nil || st.Held != "" {
		return err
	}
	if err := a.uploads.Sweep(ctx, a.engine.Outbox()); err != nil {
		return admin.StoreError(bolt.DirError(a.uploads.Dir(), err))
	}
	return nil
}

// failWith ends the intake with an error, if there is one.
func failWith(stop context.CancelCauseFunc, err error) {
	if err != nil {
		stop(err)
	}
}

// endCause is why the intake ended, where it was not told to.
func endCause(ctx, intake context.Context) error {
	if cause := context.Cause(intake); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// drain lets the answers leave that are ready.
func (a *App) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sendGrace)
	defer cancel()
	look := time.NewTicker(drainLook)
	defer look.Stop()
	const patience = 25 // looks without a change: what waits belongs to a channel that is down
	last, same := -1, 0
	for same < patience {
		s, err := a.engine.Status(ctx)
		if err != nil || s.Sending == 0 {
			return
		}
		if s.Sending == last {
			same++
		} else {
			last, same = s.Sending, 0
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// logStats says in the log what each tool did.
func (a *App) logStats() {
	for _, s := range a.registry.Stats() {
		a.log.Info().Str("tool", s.Tool).Uint64("picks", s.Picks).Str("calls", s.String()).Msg("a tool's calls")
	}
}

// Close closes the audit log and the store.
func (a *App) Close() error {
	return errors.Join(a.closeAudit(), a.engine.Close())
}

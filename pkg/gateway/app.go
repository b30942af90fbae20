package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/agent/approval"
	"parley/pkg/channels"
	"parley/pkg/channels/web"
	"parley/pkg/config"
	"parley/pkg/corpus"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/corpora"
	"parley/pkg/gateway/files"
	"parley/pkg/gateway/forgetting"
	"parley/pkg/gateway/linking"
	"parley/pkg/gateway/modelset"
	"parley/pkg/gateway/screens"
	"parley/pkg/gateway/senses"
	"parley/pkg/gateway/telemetry"
	"parley/pkg/gateway/toolset"
	"parley/pkg/history"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/shelf"
	"parley/pkg/tools"
	"parley/workspace"
)

// App is one gateway: [New] constructs it, Run runs it until its context ends and stops
// it in two phases, and Close releases it.
type App struct {
	cfg     *config.Config
	o       Options
	started time.Time
	running bool // it takes in and answers

	store    *local.Engine
	audit    *auditTrail // nil with [Options.Look]
	policy   *policy.Policy
	kept     fileStores
	models   *modelset.Set
	channels *Channels
	front    front
	screens  *screens.Screens
	consoles http.Handler
	links    *linking.Linking
	tools    *toolset.Set
	agent    *agent.Agent
	// forgetting forgets chats.
	forgetting *forgetting.Forgetting
}

// fileStores keep the files beside the store.
type fileStores struct {
	spaces      files.Spaces
	agentFile   *files.AgentFile
	prompts     *files.ChatPrompts
	uploads     *files.Uploads
	shelf       *shelf.Shelf
	attachments *files.Attachments
	deadLetters *files.DeadLetters
	telemetry   *telemetry.Log
	past        *history.History
	corpora     *corpus.Library
}

// Options are the needs of an App beside the configuration.
type Options struct {
	LookupEnv func(string) (string, bool)
	Log       zerolog.Logger
	// Redactor takes secrets out of texts. New adds the key of the model.
	Redactor *policy.Redactor
	// Trouble is told when the store cannot be written, and with nil when it can again.
	Trouble func(error)
	// Console means that a person sits at a console of this process.
	Console bool
	// Passing means that the gateway lasts as long as a console of this process.
	Passing bool
	// Grace is how long turns may go on after the stop; 0: 20 s.
	Grace time.Duration
	// Operate constructs an App for one operation: it has no model and no channels.
	// With Look, it changes no file either.
	Operate, Look bool
}

// New constructs a gateway, part by part. Each part may use those before it.
func New(ctx context.Context, cfg *config.Config, o Options) (*App, error) {
	a := &App{cfg: cfg, o: o, started: time.Now()}
	for _, construct := range []func(context.Context) error{
		a.readPolicy,
		a.openStore,
		a.openAudit,
		a.keepFiles,
		a.chooseModel,
		func(context.Context) error { return a.front.open(a) },
		a.openChannels,
		a.makeTools,
		a.makeAgent,
		a.addAgentTools,
	} {
		if err := construct(ctx); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

// Close closes the audit log and the store.
func (a *App) Close() error {
	err := a.audit.close()
	if a.kept.past != nil {
		err = errors.Join(err, a.kept.past.Close())
	}
	if a.store != nil {
		err = errors.Join(err, a.store.Close())
	}
	return err
}

func (a *App) readPolicy(context.Context) (err error) {
	a.policy, err = newPolicy(a.cfg)
	return err
}

// openStore opens the engine in the state folder. An App that looks changes no file
// there.
func (a *App) openStore(ctx context.Context) error {
	open := local.Open
	if a.o.Look {
		open = local.Look
	}
	store, err := open(ctx, local.Options{Dir: a.cfg.StateDir, Log: a.o.Log, Trouble: a.front.follow(a.o.Trouble)})
	if err != nil {
		return admin.StoreError(err)
	}
	a.store = store
	a.policy = a.policy.WithPairs(a.store.Pairs()).WithMoves(a.store.Chats())
	return nil
}

// openAudit opens the audit log. The holder of the store is its only writer.
func (a *App) openAudit(context.Context) (err error) {
	if !a.o.Look {
		a.audit, err = openAuditTrail(a.cfg.StateDir, a.o.Redactor.Redact, a.o.Log)
	}
	return err
}

// keepFiles prepares the workspace and the folders of files.
func (a *App) keepFiles(context.Context) error {
	if !a.o.Operate {
		if err := files.CheckAgentFile(a.cfg.Workspace); err != nil {
			return admin.WithCode(admin.CodeUsage, err)
		}
	}
	if !a.o.Look {
		if err := workspace.Prepare(a.cfg.Workspace); err != nil {
			return admin.WithCode(admin.CodeUsage, fmt.Errorf("the workspace: %w", err))
		}
	}
	const megabyte = 1e6
	a.kept = fileStores{
		spaces:      files.NewSpaces(a.cfg.Workspace),
		agentFile:   files.NewAgentFile(a.cfg.Workspace, a.o.Log),
		uploads:     files.NewUploads(filepath.Join(a.cfg.StateDir, "outgoing")),
		shelf:       newShelf(a.cfg, a.store),
		deadLetters: files.NewDeadLetters(a.cfg.StateDir, a.o.Log),
		attachments: files.NewAttachments(files.AttachmentOptions{
			Limit: int64(a.cfg.Channels.Inbox.MaxMB) * megabyte, Log: a.o.Log,
			Opener: func(at channels.Address) (channels.AttachmentOpener, bool) { return a.channels.opener(at) },
		}),
	}
	a.kept.past = history.New(history.Options{
		Path: filepath.Join(a.cfg.StateDir, "index", "history"), Store: a.store.Sessions(), Redact: a.o.Redactor.Redact,
	})
	a.kept.telemetry = telemetry.New(telemetry.Options{
		Dir: filepath.Join(a.cfg.StateDir, "telemetry"), Now: time.Now, Log: a.o.Log,
		Counts: func() []tools.Stats { return a.tools.Registry.StatsByModel() },
	})
	a.kept.corpora = corpora.Open(a.cfg, a.o.Log)
	byPlace := map[string]string{}
	for place, chat := range a.cfg.Chats {
		if chat.Prompt != "" {
			byPlace[place] = chat.Prompt
		}
	}
	a.kept.prompts = files.NewChatPrompts(byPlace, a.o.Log)
	a.forgetting = newForgetting(a)
	if !a.o.Operate {
		a.kept.agentFile.Text() // the first good one
		for place := range byPlace {
			a.kept.prompts.Text(place)
		}
	}
	return nil
}

// chatPrompt is the operator's instructions for a chat.
func (a *App) chatPrompt(at channels.Address) string {
	return a.kept.prompts.Text(a.models.PromptOf(at))
}

// openChannels binds the channels that screens show, and behind them those of the
// configuration.
func (a *App) openChannels(ctx context.Context) error {
	a.channels = newChannels(channels.EgressOptions{
		Outbox: a.store.Outbox(), Files: a.kept.uploads, Log: a.o.Log,
		Redact: a.o.Redactor.Redact, Settled: func(o channels.Outbound, out channels.Outcome) { a.screens.Settled(o, out) },
	})
	links := linking.Options{
		Channel: web.Name, Log: a.o.Log,
		Allowed: func(at channels.Address, by channels.Sender, direct bool) bool {
			return a.policy.Authorize(ctx, policy.Event{Kind: policy.KindSchedule, Address: at, Sender: by, Direct: direct}).Allow
		},
		Note: func(l *session.Link, outcome linking.Outcome, by string) { a.audit.note(admin.LinkRow(l, outcome, by)) },
	}
	if a.front.server != nil {
		links.Links = a.store.Tokens()
	}
	a.links = linking.New(links)
	a.screens = screens.New(screens.Options{Store: a.store, Links: a.links, Files: a.kept.shelf, Redactor: a.o.Redactor})
	a.front.screens.Store(a.screens)
	if a.front.server != nil {
		a.channels.bind(a.screens.Web())
	}
	if !a.o.Operate {
		a.channels.attach(a.screens.Console())
	}
	if !a.o.Operate {
		p := platforms{cfg: a.cfg, engine: a.store, spaces: a.kept.spaces, deadLetters: a.kept.deadLetters, server: a.front.server, log: a.o.Log}
		if err := p.open(a.channels); err != nil {
			return err
		}
	}
	for _, c := range testChannels(a.o.LookupEnv, a.o.Log) {
		a.channels.bind(c)
	}
	return nil
}

// makeTools makes the tools that need no agent.
func (a *App) makeTools(context.Context) error {
	o := toolset.Options{
		Known: a.policy.Addresses, LookupEnv: a.o.LookupEnv, Redact: a.o.Redactor.Redact, Auditor: a.audit, Log: a.o.Log,
		Corpora: a.kept.corpora, Secrets: a.o.Redactor,
	}
	if !a.o.Operate {
		o.Groups = toolset.ClaimGroups(&a.cfg.Tools)
	}
	a.tools = toolset.New(a.cfg, o)
	return nil
}

func (a *App) makeAgent(context.Context) error {
	var err error
	a.agent, err = agent.New(agent.Options{
		Engine: a.store,
		Models: a.models,
		Tools:  a.tools.Registry, Offered: a.tools.Offered, Authorize: a.policy.Authorize,
		Credential: keyring{a.store.Tokens(), a.policy}.holds,
		Files: agent.Files{
			Space: a.kept.spaces.Of, Fetch: a.kept.attachments.Fetch, AgentFile: a.kept.agentFile.Text, ChatFile: a.chatPrompt,
			Folders: a.tools.Folders, Indexed: a.tools.Indexed,
			Senses: senses.New(senses.OptionsOf(&a.cfg.Agent)),
		},
		WhileBusy: a.cfg.Agent.WhileBusy, AnswerEdits: a.cfg.Agent.AnswerEdits,
		Limits: agent.Limits{
			Iterations: a.cfg.Agent.MaxToolIterations, Parallel: a.cfg.Tools.MaxParallel, Grace: cmp.Or(a.o.Grace, turnGrace),
			ContextTokens: a.cfg.Agent.History.Tokens, ContextEntries: a.cfg.Agent.History.Entries,
		},
		Surfaces: surfaces{a.channels, a.screens}, Redact: a.o.Redactor.Redact, Log: a.o.Log,
		Jobs: agent.Jobs{Timetable: cronTimetable{}, Heartbeat: heartbeat(a.cfg, a.channels)},
		Zone: zones(a.cfg.Agent.Timezone, a.o.LookupEnv),
		Questions: agent.Questions{Approvals: a.tools.Approvals, OnApproval: func(e approval.Event) {
			a.audit.approval(e)
			a.screens.Answered(e)
		}, OnRevoke: a.audit.revoked},
		Commands:   agent.Commands{Links: a.links, Forget: a.forget, Facts: local.Facts(a.store), Has: hasNeed(a.cfg)},
		Budgets:    agent.Budgets{Of: budgetOf(a.cfg.Budgets, a.policy.Addresses), Currency: a.cfg.Budgets.Currency},
		Background: background(&a.cfg.Background),
	})
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	serveAPI(a) //nolint:contextcheck // each request has a context of its own
	return nil
}

// addAgentTools adds the tools that go through the agent, and the operator's own.
func (a *App) addAgentTools(context.Context) error {
	a.tools.AddAgentTools(toolset.Ports{
		Messages: a.agent.Calls(), Jobs: jobStore{a.agent}, Zone: a.agent.Calls().UsualZone, Tasks: taskStore{a.agent},
		Files: fileSender{a.channels, a.agent, a.kept.uploads}, Agents: a.agent.Calls(), Facts: a.agent.Calls(),
		Past: a.kept.past, Location: a.agent.Calls().Location,
		Senses: senses.Models{Turns: a.agent.Turns()}, Hears: a.models.Hears(), Sees: a.models.Sees(),
	})
	return nil
}

// Channels is the number of channels that run, one that has yet to join among them.
func (a *App) Channels() int { return a.channels.expected() }

// Held is the reason for which the store hands no message out, as an error.
func (a *App) Held(ctx context.Context) error {
	st, err := a.store.Status(ctx)
	if err != nil {
		return err
	}
	if st.Held != "" {
		return fmt.Errorf("%w (%s)", session.ErrHeld, st.Held)
	}
	return nil
}

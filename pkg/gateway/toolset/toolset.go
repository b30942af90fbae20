package toolset

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/config"
	"parley/pkg/documents"
	"parley/pkg/policy"
	"parley/pkg/tools"
	"parley/pkg/tools/calc"
	"parley/pkg/tools/clock"
	"parley/pkg/tools/corpora"
	"parley/pkg/tools/files"
	"parley/pkg/tools/find"
	"parley/pkg/tools/message"
	"parley/pkg/tools/recall"
	"parley/pkg/tools/remember"
	"parley/pkg/tools/schedule"
	"parley/pkg/tools/script"
	"parley/pkg/tools/senses"
	"parley/pkg/tools/spawn"
	"parley/pkg/tools/tasks"
)

// Options are the needs of a [Set] beside the configuration; all may be nil.
type Options struct {
	Known     Addresses
	LookupEnv func(string) (string, bool)
	Redact    func(string) string
	// Secrets are those that Redact takes out.
	Secrets files.Secrets
	Auditor tools.Auditor
	Groups  Groups
	// Corpora are the folders of documents.
	Corpora corpora.Library
	Log     zerolog.Logger
}

// Set is the tools of a gateway.
type Set struct {
	Registry *tools.ToolRegistry
	// Approvals tell about which calls a person is asked. [Set.AddAgentTools] completes
	// them.
	Approvals policy.Approvals

	cfg     *config.Config
	o       Options
	boxes   sandboxes
	offered func(channels.Address, string) bool
	// corpora and roots are the folders of a chat.
	corpora func(channels.Address) []corpora.Corpus
	roots   func(channels.Address) []files.Root
	// lasting are the tools that a chat of one request lacks: those of its files, of what comes
	// later, and of its past.
	lasting map[string]bool
}

// New makes the tools that need no agent.
func New(cfg *config.Config, o Options) *Set {
	s := &Set{
		Approvals: askRules(&cfg.Tools), cfg: cfg, o: o,
		corpora: corporaOf(cfg.Corpora, o.Known), roots: rootsOf(cfg, o.Known),
		boxes: newSandboxes(cfg, o.Groups), offered: offered(cfg.Tools.Chats, o.Known), lasting: map[string]bool{},
		Registry: tools.NewToolRegistryWith(tools.Options{
			Log: o.Log, Authorizer: levelAuthorizer{}, Timeout: time.Duration(cfg.Tools.Timeout), Redact: o.Redact, Auditor: o.Auditor,
			MaxDepth: cfg.Tools.MaxDepth, Levels: toolLevels(&cfg.Tools),
		}),
	}
	r := s.Registry
	r.Register(calc.New())
	r.Register(clock.New(time.Now))
	r.Register(find.New())
	r.SetEnabled(find.Name, cfg.Tools.Lazy)
	s.addCorpora()
	s.registerLasting(fileTools(cfg, o.Known, documents.New(), o.Secrets))
	for _, t := range slices.Concat(
		commandTools(cfg, s.boxes, o.Log), codeTools(cfg, s.boxes), webTools(cfg, o.Redact), dataTools(), testTools(o.LookupEnv),
	) {
		r.Register(t)
	}
	switchPrograms(r, cfg, s.boxes, o.Log)
	switchWriters(r, &cfg.Tools.Files)
	return s
}

// Ports are the ways of tools to the agent.
type Ports struct {
	Messages message.Queue
	Jobs     schedule.Book
	// Zone is the time zone of a chat that has not named one.
	Zone   func(context.Context) string
	Tasks  tasks.Book
	Files  files.Sender
	Agents spawn.Agents
	Facts  remember.Book
	// Past has the conversations, Location is the time zone of a running call's chat.
	Past     recall.Past
	Location func(context.Context) *time.Location
	// Senses are the models of tools that hear, see and translate. Hears and Sees say that there is
	// a model which writes down speech, and one that takes pictures.
	Senses      senses.Models
	Hears, Sees bool
}

// AddAgentTools adds the tools that go through the agent and the operator's own ones,
// and applies the rules of the configuration to all.
func (s *Set) AddAgentTools(p Ports) {
	s.register(p)
	s.Registry.SetEnabled(senses.TranscribeName, p.Hears)
	s.Registry.SetEnabled(senses.DescribeName, p.Sees)
	s.Registry.SetEnabled(senses.TranslateName, s.cfg.Roles.Translate != "")
	before := s.Registry.List()
	registerScripts(s.Registry, s.cfg, s.boxes.safe)
	for _, name := range s.Registry.List() {
		if !slices.Contains(before, name) {
			s.lasting[name] = true
		}
	}
	addComposed(s.Registry, s.cfg.Tools.Composed, s.o.Log)
	switchTools(s.Registry, s.cfg.Tools)
	ownRules(s.Approvals, s.Registry)
	logWaived(s.Approvals, s.Registry, s.o.Log)
}

func (s *Set) register(p Ports) {
	s.Registry.Register(message.New(p.Messages))
	s.registerLasting(append([]tools.Tool{
		schedule.New(schedule.Options{Book: p.Jobs, PerChat: s.cfg.Schedules.PerChat, Zone: p.Zone}),
		tasks.New(p.Tasks),
		remember.New(p.Facts),
		newSendFile(s.cfg, s.o.Known, p.Files),
		recall.New(recall.Options{Past: p.Past, Location: p.Location}),
	}, slices.Concat(senseTools(s, &p), spawn.New(p.Agents, time.Duration(s.cfg.Background.Deadline)))...))
}

// senseTools hear, see and translate by other models.
func senseTools(s *Set, p *Ports) []tools.Tool {
	return senses.New(senses.Options{Models: p.Senses, Open: files.NewOpener(fileOptions(s.cfg, s.o.Known)).Open})
}

func (s *Set) registerLasting(all []tools.Tool) {
	for _, t := range all {
		s.Registry.Register(t)
		s.lasting[t.Name()] = true
	}
}

// Offered says whether a chat has a tool, by the configuration. A chat of one request has no
// tool that needs a chat which lasts.
func (s *Set) Offered(at channels.Address, tool string) bool {
	return (!at.Passing() || !s.lasting[tool]) && s.offered(at, tool) && (!isCorpora(tool) || len(s.corpora(at)) > 0)
}

// LogGroups tells the operator how the memory of programs is counted.
func (s *Set) LogGroups() { s.boxes.groups.log(&s.cfg.Tools, s.o.Log) }

// describe holds the built-in tools for their descriptions: they are not called there.
func describe(cfg *config.Config, lookup func(string) (string, bool)) *Set {
	s := New(cfg, Options{LookupEnv: lookup, Log: zerolog.Nop()})
	s.register(Ports{})
	return s
}

// Names are the tools there are, for the check of the configuration.
func Names(lookup func(string) (string, bool)) func(*config.Config) []string {
	return func(cfg *config.Config) []string {
		names := BuiltIn(lookup)
		if cfg.Tools.Scripts.Enabled {
			names = append(names, script.Names(Folder(cfg))...)
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
}

// BuiltIn are the names that no other tool can have.
func BuiltIn(lookup func(string) (string, bool)) []string {
	return describe(config.Default(""), lookup).Registry.List()
}

// switchTools applies tools.on, enabled and disabled to everything registered.
func switchTools(r *tools.ToolRegistry, t config.Tools) {
	for _, name := range r.List() {
		if !t.On || len(t.Enabled) > 0 && !slices.Contains(t.Enabled, name) || slices.Contains(t.Disabled, name) {
			r.SetEnabled(name, false)
		}
	}
}

// Addresses are all by which a chat is or was known, the given one among them.
type Addresses func(channels.Address) []channels.Address

// offered narrows the tools by the part of tools.chats about a chat, under any of the
// addresses that it is known by.
func offered(chats map[string]config.ChatTools, known Addresses) func(channels.Address, string) bool {
	type rule struct {
		place policy.Place
		tools config.ChatTools
	}
	var rules []*rule
	for s, t := range chats {
		if place, err := policy.ParsePlace(s); err == nil { // the configuration was checked
			rules = append(rules, &rule{place, t})
		}
	}
	return func(a channels.Address, tool string) bool {
		if len(rules) == 0 {
			return true
		}
		at := known(a)
		for _, r := range rules {
			if !slices.ContainsFunc(at, r.place.Governs) {
				continue
			}
			if len(r.tools.Enabled) > 0 && !slices.Contains(r.tools.Enabled, tool) || slices.Contains(r.tools.Disabled, tool) {
				return false
			}
		}
		return true
	}
}

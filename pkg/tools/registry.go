package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/providers"
)

// The defaults of [Options].
const (
	defaultTimeout   = 30 * time.Second
	defaultMaxOutput = 64 << 10
	defaultMaxDepth  = 3
)

// Options are what a registry needs from outside. The zero value logs nowhere,
// allows all and uses the defaults.
type Options struct {
	// Log gets start, end and failure of every call, without arguments.
	Log zerolog.Logger
	// Authorizer has the last word on every call; nil allows all.
	Authorizer Authorizer
	// Timeout bounds Execute where a tool names no time of its own; 0 means 30 s.
	Timeout time.Duration
	// MaxOutput bounds a result in bytes where a tool names no bound of its own; 0 means 64 KiB.
	MaxOutput int
	// Redact takes secrets out of every result; nil leaves them.
	Redact func(string) string
	// MaxDepth bounds how deep tools may call tools; 0 means 3: a call that a loop
	// makes, and two within it.
	MaxDepth int
	// Levels are the levels that tools need, by name, where the operator differs
	// from what they say themselves.
	Levels map[string]Level
	// Auditor is told of every call; nil: nobody is.
	Auditor Auditor
}

// ToolRegistry holds tools by name. It is safe for concurrent use.
//
// [ContextualTool] and [AsyncTool] keep facts of one call in a value that all
// chats would share, so every call runs on a value of its own. It is, in this order:
//
//  1. what Clone gives, where the tool is a [Cloner];
//  2. a fresh value, where it was registered by [ToolRegistry.RegisterFunc];
//  3. a shallow copy of the contextual or async value as it was when it was
//     registered, where its struct can be copied: no map, slice, channel, lock
//     or atomic in it, no embedded pointer or interface, and no pointer or
//     interface to something that itself has SetContext or SetCallback. What
//     other pointers reach is shared and must lock itself;
//  4. the registered value, one call at a time; for an async tool until it
//     called back, one hour at most. Registering such a tool logs a warning. A
//     call that waits longer than the tool's time-out fails as busy, and so does,
//     at once, a call made from within a call of the same tool.
//
// A tool that is neither contextual nor async runs on the registered value, in
// many goroutines at once, unless it is of the first two kinds.
type ToolRegistry struct {
	shared *shared
	keep   func(name string, a Annotations) bool
}

// shared is what a registry and its views have in common. Readers take the
// snapshot as it is; writers replace it under mu.
type shared struct {
	options Options
	mu      sync.Mutex
	now     atomic.Pointer[snapshot]
	// unknown counts the calls of names that no tool has.
	unknown counters
	// changes grows when a call that may change something begins and when it ends.
	changes atomic.Uint64
}

type snapshot struct {
	byName map[string]*entry
	sorted []*entry
	off    map[string]bool
	// offered are the lists that were asked for, by which of sorted are in them.
	offered *offers
}

// NewToolRegistry makes an empty registry that logs nowhere and allows all.
func NewToolRegistry() *ToolRegistry { return NewToolRegistryWith(Options{}) }

// NewToolRegistryWith makes an empty registry.
func NewToolRegistryWith(o Options) *ToolRegistry {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = defaultMaxOutput
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultMaxDepth
	}
	s := &shared{options: o}
	s.now.Store(&snapshot{offered: &offers{}})
	return &ToolRegistry{shared: s}
}

// RegisterOptions say how a tool is registered beyond its own words.
type RegisterOptions struct {
	// Community marks tools that did not come with the program (scripts, MCP
	// servers, composed tools): a built-in tool of the same name wins over them.
	Community bool
	// Factory makes a fresh value for every call.
	Factory func() Tool
	// Construct makes the value that runs, at the first call. The registered
	// value only describes it and must be contextual or async where that one is.
	// After an error the next call tries again.
	Construct func() (Tool, error)
}

// Register adds a built-in tool, or replaces the one of its name. A tool with a
// name or schema that no server takes is kept, disabled; [ToolRegistry.Reason] says why.
func (r *ToolRegistry) Register(tool Tool) {
	_ = r.register("", tool, RegisterOptions{})
}

// RegisterFunc adds a built-in tool under a name; every call runs on a fresh
// value from f, which is called once now for the tool's description.
func (r *ToolRegistry) RegisterFunc(name string, f func() Tool) {
	tool, err := fromFactory(f)
	if err != nil {
		r.shared.options.Log.Error().Err(err).Str("tool", clip(name, 64)).Msg("a tool cannot be registered")
		return
	}
	_ = r.register(name, tool, RegisterOptions{Factory: f})
}

// RegisterWith adds a tool like Register and returns what is wrong with it. A
// community tool does not replace a built-in one: that is an error too, and
// nothing changes.
func (r *ToolRegistry) RegisterWith(tool Tool, o RegisterOptions) error {
	if err := r.register("", tool, o); err != nil {
		return err
	}
	name, _ := protect(func() (string, error) { return tool.Name(), nil })
	now := r.shared.now.Load()
	if e := now.byName[name]; e != nil && !now.off[name] { // nobody calls what is switched off
		return e.check()
	}
	return nil
}

func (r *ToolRegistry) register(name string, tool Tool, o RegisterOptions) error {
	log := &r.shared.options.Log
	e, err := newEntry(name, tool, o, log)
	if err != nil {
		log.Error().Err(err).Msg("a tool cannot be registered")
		return err
	}
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	old := r.shared.now.Load()
	if prev := old.byName[e.name]; prev != nil && e.community && !prev.community {
		err := fmt.Errorf("tool %s: a built-in tool has this name", clip(e.name, 64))
		log.Warn().Err(err).Msg("a tool was not registered")
		return err
	}
	next := &snapshot{byName: maps.Clone(old.byName), off: old.off, offered: &offers{}}
	if next.byName == nil {
		next.byName = map[string]*entry{}
	}
	if prev := old.byName[e.name]; prev != nil {
		e.counts = prev.counts
	}
	next.byName[e.name] = e
	next.sorted = slices.SortedFunc(maps.Values(next.byName), func(a, b *entry) int {
		return strings.Compare(a.name, b.name)
	})
	r.shared.now.Store(next)
	switch _, annotated := tool.(Annotated); {
	case e.broken != nil:
		log.Error().Err(e.broken).Str("tool", clip(e.name, 64)).Msg("a tool is disabled")
	case !annotated:
		log.Info().Str("tool", clip(e.name, 64)).Str("needs", string(r.annotated(e).Level)).
			Msg("this tool says nothing of what it does: it counts as one that changes things; implement Annotations to say otherwise")
	}
	return nil
}

// SetEnabled switches a name on or off, also for tools of that name that are
// registered later. It reports whether there is a tool of that name now.
func (r *ToolRegistry) SetEnabled(name string, on bool) bool { //nolint:revive // flag-parameter: the switch's position is what is set
	r.shared.mu.Lock()
	defer r.shared.mu.Unlock()
	next := *r.shared.now.Load()
	next.off = maps.Clone(next.off)
	if next.off == nil {
		next.off = map[string]bool{}
	}
	if on {
		delete(next.off, name)
	} else {
		next.off[name] = true
	}
	r.shared.now.Store(&next)
	return next.byName[name] != nil
}

// Enabled says whether a tool of that name is registered and can be called.
func (r *ToolRegistry) Enabled(name string) bool {
	s := r.shared.now.Load()
	e := s.byName[name]
	return e != nil && r.offers(e) && s.whyNot(e) == nil
}

// Reason says why a registered tool is disabled; it is empty for one that is
// not and for a name without a tool.
func (r *ToolRegistry) Reason(name string) string {
	s := r.shared.now.Load()
	e := s.byName[name]
	if e == nil {
		return ""
	}
	if err := s.whyNot(e); err != nil {
		return err.Error()
	}
	return ""
}

// whyNot says why a tool cannot be called.
func (s *snapshot) whyNot(e *entry) error {
	if s.off[e.name] {
		return errors.New("switched off")
	}
	return e.check()
}

// Filter makes a view for one chat: the same tools with the same state, of
// which those that keep refuses are neither listed nor run. It costs nothing,
// so that every turn may have its own; keep is asked at every use.
func (r *ToolRegistry) Filter(keep func(name string, a Annotations) bool) *ToolRegistry {
	outer := r.keep
	if outer == nil {
		return &ToolRegistry{shared: r.shared, keep: keep}
	}
	return &ToolRegistry{shared: r.shared, keep: func(name string, a Annotations) bool {
		return outer(name, a) && keep(name, a)
	}}
}

func (r *ToolRegistry) offers(e *entry) bool {
	return r.keep == nil || r.keep(e.name, r.annotated(e))
}

// Get returns the tool as it was registered, disabled or not.
func (r *ToolRegistry) Get(name string) (Tool, bool) {
	e := r.shared.now.Load().byName[name]
	if e == nil || !r.offers(e) {
		return nil, false
	}
	return e.tool, true
}

// Annotations returns what a tool says about itself, with level, time-out and
// bound filled in.
func (r *ToolRegistry) Annotations(name string) (Annotations, bool) {
	e := r.shared.now.Load().byName[name]
	if e == nil || !r.offers(e) {
		return Annotations{}, false
	}
	return r.limits(e), true
}

func (r *ToolRegistry) limits(e *entry) Annotations {
	a := r.annotated(e)
	if a.Timeout <= 0 {
		a.Timeout = r.shared.options.Timeout
	}
	if a.MaxOutput <= 0 {
		a.MaxOutput = r.shared.options.MaxOutput
	}
	if e.async && a.BackgroundLimit <= 0 {
		a.BackgroundLimit = defaultBackground
	}
	return a
}

// annotated is what a tool says of itself, with the operator's level.
func (r *ToolRegistry) annotated(e *entry) Annotations {
	a := e.annotations
	if level, ok := r.shared.options.Levels[e.name]; ok {
		a.Level = level
	}
	return a
}

// listed are the registered tools of this view in name order.
func (r *ToolRegistry) listed() []*entry {
	all := r.shared.now.Load().sorted
	if r.keep == nil {
		return all
	}
	var out []*entry
	for _, e := range all {
		if r.offers(e) {
			out = append(out, e)
		}
	}
	return out
}

// usable are the enabled tools of this view in name order.
func (r *ToolRegistry) usable() []*entry {
	s := r.shared.now.Load()
	out := make([]*entry, 0, len(s.sorted))
	for _, e := range s.sorted {
		if r.offers(e) && s.whyNot(e) == nil {
			out = append(out, e)
		}
	}
	return out
}

// List returns the names of all registered tools, disabled ones too, sorted.
func (r *ToolRegistry) List() []string {
	all := r.listed()
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.name
	}
	return names
}

// Count returns how many tools are registered, disabled ones too.
func (r *ToolRegistry) Count() int { return len(r.listed()) }

// GetDefinitions returns the enabled tools as [ToolToSchema] shows them, sorted
// by name. The maps are shared and must not be changed.
func (r *ToolRegistry) GetDefinitions() []map[string]any {
	all := r.usable()
	out := make([]map[string]any, len(all))
	for i, e := range all {
		f := e.definition.Function
		out[i] = schemaMap(f.Name, f.Description, f.Parameters)
	}
	return out
}

// ToProviderDefs returns the enabled tools as a provider takes them, sorted by
// name. The maps are shared and must not be changed.
func (r *ToolRegistry) ToProviderDefs() []providers.ToolDefinition {
	return slices.Clone(r.definitions())
}

// GetSummaries returns a line for every enabled tool, sorted by name: "- `name` - description".
func (r *ToolRegistry) GetSummaries() []string {
	all := r.usable()
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = "- `" + e.name + "` - " + e.definition.Function.Description
	}
	return out
}

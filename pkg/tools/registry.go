package tools

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/providers"
	"parley/pkg/text"
	"parley/pkg/tools/internal/isolate"
	"parley/pkg/tools/internal/offer"
)

// The defaults of [Options].
const (
	defaultTimeout   = 30 * time.Second
	defaultMaxOutput = 64 << 10
	defaultMaxDepth  = 3
)

// Options are the things that a registry needs from outside. The zero value logs
// nowhere, allows all and uses the defaults.
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
	// Levels are the levels that tools need, by name, where the operator's rule differs
	// from their own.
	Levels map[string]Level
	// Auditor is told of every call; nil drops the reports.
	Auditor Auditor
}

// ToolRegistry holds tools by name. It is safe for concurrent use.
//
// [ContextualTool] and [AsyncTool] keep facts of one call in a value that all
// chats would share, so every call runs on a value of its own. It is, in this order:
//
//  1. the value of Clone, where the tool is a [Cloner];
//  2. a fresh value, where it was registered by [ToolRegistry.RegisterFunc];
//  3. a shallow copy of the contextual or async value as it was when it was registered,
//     where its struct can be copied: no map, slice, channel, lock or atomic in it, no
//     embedded pointer or interface, and no pointer or interface to something that
//     itself has SetContext or SetCallback. The values behind other pointers are shared
//     and must lock themselves;
//  4. the registered value, one call at a time; for an async tool until it
//     called back, one hour at most. Registering such a tool logs a warning. A
//     call that waits longer than the tool's time-out fails as busy, and so does,
//     at once, a call made from within a call of the same tool.
//
// A plain tool, without context or callback, runs on the registered value, in many
// goroutines at once, unless it is of the first two kinds.
type ToolRegistry struct{ calls dispatcher }

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
	c := &catalog{options: o}
	c.now.Store(&snapshot{offered: &offer.Lists{}})
	return &ToolRegistry{dispatcher{view{catalog: c}}}
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
	_ = r.catalog().register("", tool, RegisterOptions{})
}

// RegisterFunc adds a built-in tool under a name; every call runs on a fresh
// value from f, which is called once now for the tool's description.
func (r *ToolRegistry) RegisterFunc(name string, f func() Tool) {
	tool, err := isolate.FromFactory(f)
	if err != nil {
		r.catalog().options.Log.Error().Err(err).Str("tool", text.ClipBytes(name, 64)).Msg("a tool cannot be registered")
		return
	}
	_ = r.catalog().register(name, tool, RegisterOptions{Factory: f})
}

// RegisterWith adds a tool like Register and returns an error for one that cannot be
// called. A community tool does not replace a built-in one: that is an error too, and
// the built-in tool stays.
func (r *ToolRegistry) RegisterWith(tool Tool, o RegisterOptions) error {
	if err := r.catalog().register("", tool, o); err != nil {
		return err
	}
	name, _ := isolate.Protect(func() (string, error) { return tool.Name(), nil })
	now := r.catalog().now.Load()
	if e := now.byName[name]; e != nil && !now.off[name] { // a tool that is switched off is not called
		return e.check()
	}
	return nil
}

func (r *ToolRegistry) catalog() *catalog { return r.calls.view.catalog }

// SetEnabled switches a name on or off, also for tools of that name that are
// registered later. It reports whether there is a tool of that name now.
func (r *ToolRegistry) SetEnabled(name string, on bool) bool {
	return r.catalog().setEnabled(name, on)
}

// Enabled says whether a tool of that name is registered and can be called.
func (r *ToolRegistry) Enabled(name string) bool {
	s := r.catalog().now.Load()
	e := s.byName[name]
	return e != nil && r.calls.view.offers(e) && s.whyNot(e) == nil
}

// Reason says why a registered tool is disabled; it is empty for one that is
// not and for a name without a tool.
func (r *ToolRegistry) Reason(name string) string {
	s := r.catalog().now.Load()
	e := s.byName[name]
	if e == nil {
		return ""
	}
	if err := s.whyNot(e); err != nil {
		return err.Error()
	}
	return ""
}

// Filter makes a view for one chat: the same tools with the same state, without those
// that keep refuses, in its list and in its calls. It costs one small allocation, so
// that every turn may have its own; keep is asked at every use.
func (r *ToolRegistry) Filter(keep func(name string, a Annotations) bool) *ToolRegistry {
	return &ToolRegistry{dispatcher{r.calls.view.filter(keep)}}
}

// Get returns the tool as it was registered, disabled or not.
func (r *ToolRegistry) Get(name string) (Tool, bool) {
	e := r.calls.view.find(name)
	if e == nil {
		return nil, false
	}
	return e.tool, true
}

// Annotations returns a tool's description of itself, with level, time-out and bound
// filled in.
func (r *ToolRegistry) Annotations(name string) (Annotations, bool) {
	e := r.calls.view.find(name)
	if e == nil {
		return Annotations{}, false
	}
	return r.catalog().limits(e), true
}

// List returns the names of all registered tools, disabled ones too, sorted.
func (r *ToolRegistry) List() []string {
	all := r.calls.view.listed()
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.name
	}
	return names
}

// Count returns how many tools are registered, disabled ones too.
func (r *ToolRegistry) Count() int { return len(r.calls.view.listed()) }

// GetDefinitions returns the enabled tools as [ToolToSchema] shows them, sorted
// by name. The maps are shared and must not be changed.
func (r *ToolRegistry) GetDefinitions() []map[string]any {
	all := r.calls.view.usable()
	out := make([]map[string]any, len(all))
	for i, e := range all {
		f := e.definition.Function
		out[i] = schemaMap(f.Name, f.Description, e.parameters)
	}
	return out
}

// ToProviderDefs returns the enabled tools as a provider takes them, sorted by
// name. The maps are shared and must not be changed.
func (r *ToolRegistry) ToProviderDefs() []providers.ToolDefinition {
	return slices.Clone(r.calls.view.definitions())
}

// GetSummaries returns a line for every enabled tool, sorted by name: "- `name` - description".
func (r *ToolRegistry) GetSummaries() []string {
	all := r.calls.view.usable()
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = "- `" + e.name + "` - " + e.definition.Function.Description
	}
	return out
}

// Execute runs a tool by name, without channel, chat and callback.
func (r *ToolRegistry) Execute(ctx context.Context, name string, args map[string]any) *ToolResult {
	return r.ExecuteWithContext(ctx, name, args, "", "", nil)
}

// ExecuteWithContext runs a tool by name. A contextual tool gets channel and
// chatID when one of them is given, an async tool asyncCallback. Every failure
// is a result; see [ErrorText] for its shape.
func (r *ToolRegistry) ExecuteWithContext(
	ctx context.Context, name string, args map[string]any, channel, chatID string, asyncCallback AsyncCallback,
) *ToolResult {
	return r.calls.execute(ctx, name, args, channel, chatID, asyncCallback)
}

// Validate checks arguments against a tool's schema, without running it. The
// error is an [*Error].
func (r *ToolRegistry) Validate(name string, args map[string]any) error {
	e := r.calls.view.find(name)
	if e == nil {
		return r.calls.view.unknownTool(name)
	}
	if err := e.check(); err != nil {
		return disabled(e).Because(err)
	}
	if _, fail := e.fits(args); fail != nil {
		return fail
	}
	return nil
}

// Examine tells the effect of a call, as far as its tool can tell, or the reason for
// which it would be refused before any person is asked.
func (r *ToolRegistry) Examine(ctx context.Context, name string, args map[string]any) (Examination, error) {
	q := request{call: Call{Name: name, Arguments: args}, own: true}
	if _, fail := r.calls.examined(ctx, &q); fail != nil {
		return Examination{}, fail
	}
	return q.examination, nil
}

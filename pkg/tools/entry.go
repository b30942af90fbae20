package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/providers"
	"parley/pkg/text"
	"parley/pkg/tools/internal/counts"
	"parley/pkg/tools/internal/isolate"
	"parley/pkg/tools/internal/schema"
)

// entry is one registered tool. Everything but the lazily made parts is set
// when it is registered.
type entry struct {
	name        string
	tool        Tool
	definition  providers.ToolDefinition
	parameters  map[string]any // the whole schema
	annotations Annotations
	community   bool
	contextual  bool
	async       bool
	broken      error

	schemaOnce sync.Once
	schema     *schema.Schema
	schemaErr  error
	emptyFits  bool // the schema accepts a call without arguments

	values *isolate.Values[Tool]
	log    *zerolog.Logger

	// stuck counts the calls that were given up and have not ended.
	stuck  atomic.Int32
	counts *counts.Tool
}

// newEntry reads a tool's description of itself, once.
func newEntry(name string, tool Tool, o RegisterOptions, log *zerolog.Logger) (*entry, error) {
	if isolate.IsNil(tool) {
		return nil, errors.New("the tool is nil")
	}
	return isolate.Protect(func() (*entry, error) {
		if name == "" {
			name = tool.Name()
		}
		parameters, _ := schema.Copy(parametersOf(tool)).(map[string]any)
		e := &entry{
			name: name, tool: tool, community: o.Community, log: log,
			definition:  definitionOf(name, tool.Description(), parameters),
			parameters:  parameters,
			annotations: AnnotationsOf(tool),
			counts:      &counts.Tool{},
		}
		_, e.contextual = tool.(ContextualTool)
		_, e.async = tool.(AsyncTool)
		if !schema.ValidName(name) {
			e.broken = fmt.Errorf("the name %q is not 1 to 64 letters, digits, _ or -", text.ClipBytes(name, 64))
		}
		if b, ok := tool.(interface{ problem() error }); ok && e.broken == nil {
			e.broken = b.problem()
		}
		e.values = isolate.New(tool, isolate.Options[Tool]{
			Factory: o.Factory, Construct: o.Construct,
			Traits: traitsOf, Accept: e.accept, OnLease: e.leased, OnChange: e.changed,
		})
		return e, nil
	})
}

// traitsOf says how the calls of a tool can get values of their own.
func traitsOf(tool Tool) isolate.Traits[Tool] {
	t := isolate.Traits[Tool]{Stateful: isStateful(tool), Nested: takesFacts}
	if c, ok := tool.(Cloner); ok {
		t.Clone = c.Clone
	}
	return t
}

// isStateful says whether a tool stores facts of one call in its fields.
func isStateful(tool Tool) bool {
	_, contextual := tool.(ContextualTool)
	_, async := tool.(AsyncTool)
	return contextual || async
}

// takesFacts says of the type of a field that its values take a chat or a callback.
func takesFacts(t reflect.Type) bool {
	_, c := t.MethodByName("SetContext")
	_, a := t.MethodByName("SetCallback")
	return c || a
}

// accept refuses a value that would miss the facts of its call.
func (e *entry) accept(tool Tool) error {
	_, contextual := tool.(ContextualTool)
	_, async := tool.(AsyncTool)
	if contextual != e.contextual || async != e.async {
		return fmt.Errorf("%T takes other facts than the registered %T", tool, e.tool)
	}
	return nil
}

func (e *entry) leased(why string) {
	e.log.Warn().Str("tool", text.ClipBytes(e.name, 64)).Str("because", why).
		Msg("this tool serves one call at a time: it cannot be copied for a call; implement Clone or register it by factory")
}

func (e *entry) changed() {
	e.log.Warn().Str("tool", text.ClipBytes(e.name, 64)).
		Msg("the fields of this tool changed after it was registered, and calls run on copies of what it was then: " +
			"set them before, or register it by RegisterFunc")
}

// take gives a call its value. It waits for a leased one no longer than wait.
func (e *entry) take(ctx context.Context, wait time.Duration) (Tool, *isolate.Lease, *Error) {
	tool, lease, err := e.values.Take(ctx, wait, scopeFrom(ctx).lease)
	switch {
	case err == nil:
		return tool, lease, nil
	case errors.Is(err, isolate.ErrNested), errors.Is(err, isolate.ErrLeased), errors.Is(err, isolate.ErrBuilding):
		return nil, nil, Fail(ErrBusy, err.Error(), nil)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, nil, interrupted(false).Because(err)
	default:
		return nil, nil, Fail(ErrExecutionFailed, "the tool could not be prepared", nil).Because(err)
	}
}

// check returns an error for a tool that cannot be called because of its name or schema.
func (e *entry) check() error {
	if e.broken != nil {
		return e.broken
	}
	e.schemaOnce.Do(func() {
		e.schema, e.schemaErr = schema.Compile(e.parameters)
		if e.schemaErr != nil {
			e.log.Error().Err(e.schemaErr).Str("tool", e.name).Msg("a tool is disabled")
			return
		}
		_, err := e.schema.Check(map[string]any{})
		e.emptyFits = err == nil
	})
	return e.schemaErr
}

// fits checks a call's arguments, and gives them with numbers as the tool takes them;
// check has passed before.
func (e *entry) fits(args map[string]any) (map[string]any, *Error) {
	if len(args) == 0 && e.emptyFits {
		return args, nil
	}
	exact, err := e.schema.Check(args)
	if m, ok := errors.AsType[*schema.MismatchError](err); ok {
		return nil, mismatch(m)
	}
	return e.takeNumbers(args, exact)
}

func mismatch(m *schema.MismatchError) *Error {
	var details map[string]any
	if m.Problems != nil {
		details = map[string]any{"errors": m.Problems}
	}
	return Fail(ErrInvalidArguments, m.Message, details).Because(m.Err)
}

// takeNumbers fits the numbers of checked arguments to the tool. Exact is nil where all
// of them are float64.
func (e *entry) takeNumbers(args, exact map[string]any) (map[string]any, *Error) {
	if exact == nil {
		return args, nil
	}
	if x, ok := e.tool.(ExactTool); ok {
		if _, err := isolate.Protect(func() (struct{}, error) { return struct{}{}, x.TakesExact(exact) }); err != nil {
			return nil, typed(err, ErrInvalidArguments, err.Error())
		}
		return args, nil
	}
	floats, err := schema.Floats(args)
	if err != nil {
		return nil, Fail(ErrInvalidArguments, err.Error(), nil)
	}
	return floats, nil
}

// decode decodes the checked arguments of a typed tool's call; any other tool gets nil.
func (e *entry) decode(args map[string]any) (any, *Error) {
	d, ok := e.tool.(decoder)
	if !ok {
		return nil, nil
	}
	in, err := isolate.Protect(func() (any, error) { return d.decode(args) })
	if err != nil {
		return nil, typed(err, ErrInvalidArguments, "the arguments cannot be read")
	}
	return in, nil
}

// examine asks a tool for the effect of a call.
func (e *entry) examine(ctx context.Context, q *request) *Error {
	q.examination = Examination{Destructive: q.call.Annotations.Destructive}
	x, ok := e.tool.(Examiner)
	if !ok {
		return nil
	}
	ex, err := isolate.Protect(func() (Examination, error) {
		if d, ok := x.(decodedExaminer); ok {
			return d.examineDecoded(ctx, q.decoded, q.call.Arguments)
		}
		return x.Examine(ctx, q.call.Arguments)
	})
	if err != nil {
		return typed(err, ErrExecutionFailed, err.Error())
	}
	q.examination = ex
	q.examination.Examined = true
	return nil
}

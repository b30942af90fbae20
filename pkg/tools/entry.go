package tools

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rs/zerolog"

	"parley/pkg/providers"
)

// entry is one registered tool. Everything but the lazily made parts is set
// when it is registered.
type entry struct {
	name        string
	tool        Tool
	definition  providers.ToolDefinition
	annotations Annotations
	community   bool
	contextual  bool
	async       bool
	broken      error

	schemaOnce sync.Once
	schema     *jsonschema.Resolved
	schemaErr  error
	emptyFits  bool // what the schema says to no arguments at all

	construct func() (Tool, error)
	building  chan struct{}
	values    atomic.Pointer[source]
	log       *zerolog.Logger

	// stuck counts the calls that were given up and have not ended.
	stuck  atomic.Int32
	counts *counters
}

// newEntry reads what a tool says about itself, once.
func newEntry(name string, tool Tool, o RegisterOptions, log *zerolog.Logger) (*entry, error) {
	if isNil(tool) {
		return nil, errors.New("the tool is nil")
	}
	return protect(func() (*entry, error) {
		if name == "" {
			name = tool.Name()
		}
		parameters, _ := copySchema(parametersOf(tool)).(map[string]any)
		e := &entry{
			name: name, tool: tool, community: o.Community, log: log,
			definition:  definitionOf(name, tool.Description(), parameters),
			annotations: AnnotationsOf(tool),
			construct:   o.Construct,
			building:    make(chan struct{}, 1),
			counts:      &counters{},
		}
		_, e.contextual = tool.(ContextualTool)
		_, e.async = tool.(AsyncTool)
		if !validName(name) {
			e.broken = fmt.Errorf("the name %q is not 1 to 64 letters, digits, _ or -", clip(name, 64))
		}
		if b, ok := tool.(interface{ problem() error }); ok && e.broken == nil {
			e.broken = b.problem()
		}
		if o.Construct == nil {
			s := newSource(tool, o.Factory)
			e.values.Store(s)
			e.warn(s)
		}
		return e, nil
	})
}

func (e *entry) warn(s *source) {
	if s.hold != nil {
		e.log.Warn().Str("tool", clip(e.name, 64)).Str("because", s.why).
			Msg("this tool serves one call at a time: it cannot be copied for a call; implement Clone or register it by factory")
	}
}

// check says what is wrong with the tool itself.
func (e *entry) check() error {
	if e.broken != nil {
		return e.broken
	}
	e.schemaOnce.Do(func() {
		e.schema, e.schemaErr = compileSchema(e.definition.Function.Parameters)
		if e.schemaErr != nil {
			e.log.Error().Err(e.schemaErr).Str("tool", e.name).Msg("a tool is disabled")
			return
		}
		_, fail := validate(e.schema, map[string]any{})
		e.emptyFits = fail == nil
	})
	return e.schemaErr
}

// fits checks a call's arguments, and gives them as the tool takes their numbers;
// check has passed before.
func (e *entry) fits(args map[string]any) (map[string]any, *Error) {
	if len(args) == 0 && e.emptyFits {
		return args, nil
	}
	exact, fail := validate(e.schema, args)
	if fail != nil {
		return nil, fail
	}
	return e.takeNumbers(args, exact)
}

// isNil also sees a nil pointer in an interface.
func isNil(tool Tool) bool {
	if tool == nil {
		return true
	}
	v := reflect.ValueOf(tool)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// protect turns a panic of foreign code into an error.
func protect[T any](f func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// fromFactory asks a factory for a value.
func fromFactory(f func() Tool) (Tool, error) {
	if f == nil {
		return nil, errors.New("the factory is nil")
	}
	return protect(func() (Tool, error) {
		tool := f()
		if isNil(tool) {
			return nil, errors.New("the factory made no tool")
		}
		return tool, nil
	})
}

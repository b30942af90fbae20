package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// typedTool is what [New] makes.
type typedTool[In any] struct {
	name, description string
	annotations       Annotations
	parameters        map[string]any
	run               func(ctx context.Context, in In) (any, error)
	err               error
}

// New makes a tool of a function. The schema is inferred from the struct In:
// json tags name the properties, omitempty makes one optional, a jsonschema tag
// describes it, unknown properties are refused.
//
// What f returns becomes the result: a *[ToolResult] as it is, a string as text,
// nil as no output, anything else as JSON. An error becomes execution_failed;
// an [*Error] keeps its type.
func New[In any](name, description string, a Annotations, f func(ctx context.Context, in In) (any, error)) Tool {
	t := &typedTool[In]{name: name, description: description, annotations: a, run: f}
	t.parameters, t.err = infer[In]()
	return t
}

// NewExamined is [New] for a tool that is an [Examiner].
func NewExamined[In any](name, description string, a Annotations, examine func(ctx context.Context, in In) (Examination, error), f func(ctx context.Context, in In) (any, error)) Tool {
	t := &typedTool[In]{name: name, description: description, annotations: a, run: f}
	t.parameters, t.err = infer[In]()
	return &examinedTool[In]{typedTool: t, examine: examine}
}

// examinedTool is what [NewExamined] makes.
type examinedTool[In any] struct {
	*typedTool[In]

	examine func(ctx context.Context, in In) (Examination, error)
}

// Examine implements [Examiner].
func (t *examinedTool[In]) Examine(ctx context.Context, args map[string]any) (Examination, error) {
	in, fail := decodeArguments[In](args)
	if fail != nil {
		return Examination{}, fail
	}
	return t.examine(ctx, in)
}

// decodeArguments gives the arguments as the struct.
func decodeArguments[In any](args map[string]any) (In, *Error) {
	var in In
	b, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(b, &in)
	}
	if err != nil {
		return in, Fail(ErrInvalidArguments, "the arguments cannot be read: "+clip(err.Error(), maxProblemBytes), nil).Because(err)
	}
	return in, nil
}

// infer makes the schema of a Go type.
func infer[In any]() (map[string]any, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("no schema can be made: %w", err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	plain(m)
	return m, nil
}

// plain replaces type ["null", T] by T: not every server takes a list of types.
func plain(v any) {
	switch v := v.(type) {
	case map[string]any:
		if list, ok := v["type"].([]any); ok && len(list) == 2 && list[0] == "null" {
			v["type"] = list[1]
		}
		for _, e := range v {
			plain(e)
		}
	case []any:
		for _, e := range v {
			plain(e)
		}
	}
}

func (t *typedTool[In]) Name() string               { return t.name }
func (t *typedTool[In]) Description() string        { return t.description }
func (t *typedTool[In]) Parameters() map[string]any { return t.parameters }
func (t *typedTool[In]) Annotations() Annotations   { return t.annotations }
func (t *typedTool[In]) problem() error             { return t.err }

func (t *typedTool[In]) Execute(ctx context.Context, args map[string]any) *ToolResult {
	in, fail := decodeArguments[In](args)
	if fail != nil {
		return fail.Result()
	}
	v, err := t.run(ctx, in)
	return ResultOf(ctx, v, err)
}

// ResultOf makes a result of what a function returned, as [New] says. The function
// worked in ctx.
func ResultOf(ctx context.Context, v any, err error) *ToolResult {
	if err != nil {
		return failed(ctx, err)
	}
	switch v := v.(type) {
	case nil:
		return NewToolResult("")
	case *ToolResult:
		return v
	case string:
		return NewToolResult(v)
	}
	text, err := jsonText(v)
	if err != nil {
		return Fail(ErrExecutionFailed, "the result cannot be shown", nil).Because(err).Result()
	}
	return NewToolResult(text)
}

// failed turns a function's error into a result. The error of an ended context
// keeps no type, so that whoever ended it says why.
func failed(ctx context.Context, err error) *ToolResult {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return ErrorResult(err.Error()).WithError(err)
	}
	return typed(err, ErrExecutionFailed, err.Error()).Result()
}

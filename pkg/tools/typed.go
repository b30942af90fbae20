package tools

import (
	"context"
	"encoding/json"
	"errors"

	"parley/pkg/providers"
	"parley/pkg/text"
	"parley/pkg/tools/internal/output"
	"parley/pkg/tools/internal/schema"
)

// typedTool is the tool that [New] makes.
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
// The value that f returns becomes the result: a *[ToolResult] as it is, a string as
// text, nil as no output, anything else as JSON. An error becomes execution_failed;
// an [*Error] keeps its type.
func New[In any](name, description string, a Annotations, f func(ctx context.Context, in In) (any, error)) Tool {
	return newTyped(name, description, a, f)
}

func newTyped[In any](name, description string, a Annotations, f func(ctx context.Context, in In) (any, error)) *typedTool[In] {
	t := &typedTool[In]{name: name, description: description, annotations: a, run: f}
	t.parameters, t.err = schema.Infer[In]()
	return t
}

// NewExamined is [New] for a tool that is an [Examiner].
func NewExamined[In any](
	name, description string, a Annotations,
	examine func(ctx context.Context, in In) (Examination, error),
	f func(ctx context.Context, in In) (any, error),
) Tool {
	return &examinedTool[In]{typedTool: newTyped(name, description, a, f), examine: examine}
}

// examinedTool is the tool that [NewExamined] makes.
type examinedTool[In any] struct {
	*typedTool[In]

	examine func(ctx context.Context, in In) (Examination, error)
}

// Examine implements [Examiner].
func (t *examinedTool[In]) Examine(ctx context.Context, args map[string]any) (Examination, error) {
	return t.examineDecoded(ctx, nil, args)
}

func (t *examinedTool[In]) examineDecoded(ctx context.Context, decoded any, args map[string]any) (Examination, error) {
	in, err := inputOf[In](decoded, args)
	if err != nil {
		return Examination{}, err
	}
	return t.examine(ctx, in)
}

// decoder is a typed tool. The registry lets it decode the arguments of a call once,
// after they were checked; its examination and its run share the decoded value.
type decoder interface {
	decode(args map[string]any) (any, error)
	executeDecoded(ctx context.Context, decoded any, args map[string]any) *ToolResult
}

// decodedExaminer is a [decoder] that examines calls.
type decodedExaminer interface {
	examineDecoded(ctx context.Context, decoded any, args map[string]any) (Examination, error)
}

func (*typedTool[In]) decode(args map[string]any) (any, error) { return inputOf[In](nil, args) }

// inputOf gives the arguments as the struct: decoded, where that is one, else decoded
// from args.
func inputOf[In any](decoded any, args map[string]any) (In, error) {
	in, ok := decoded.(In)
	if ok {
		return in, nil
	}
	b, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(b, &in)
	}
	if err != nil {
		return in, Fail(ErrInvalidArguments,
			"the arguments cannot be read: "+text.ClipBytes(err.Error(), schema.MaxProblemBytes), nil).Because(err)
	}
	return in, nil
}

// TakesExact implements [ExactTool]: the struct must keep the number of the arguments.
func (t *typedTool[In]) TakesExact(args map[string]any) error {
	in, err := t.decode(args)
	if err != nil {
		return err
	}
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	made, err := providers.DecodeArguments(string(b))
	if err != nil {
		return err
	}
	return schema.ChangedNumber(args, made)
}

func (t *typedTool[In]) Name() string               { return t.name }
func (t *typedTool[In]) Description() string        { return t.description }
func (t *typedTool[In]) Parameters() map[string]any { return t.parameters }
func (t *typedTool[In]) Annotations() Annotations   { return t.annotations }
func (t *typedTool[In]) problem() error             { return t.err }

// Execute implements [Tool].
func (t *typedTool[In]) Execute(ctx context.Context, args map[string]any) *ToolResult {
	return t.executeDecoded(ctx, nil, args)
}

func (t *typedTool[In]) executeDecoded(ctx context.Context, decoded any, args map[string]any) *ToolResult {
	in, err := inputOf[In](decoded, args)
	if err != nil {
		return ResultOf(ctx, nil, err)
	}
	v, err := t.run(ctx, in)
	return ResultOf(ctx, v, err)
}

// ResultOf makes a result of a function's value and error, as [New] says. The function
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
	encoded, err := output.JSON(v)
	if err != nil {
		return Fail(ErrExecutionFailed, "the result cannot be shown", nil).Because(err).Result()
	}
	return NewToolResult(encoded)
}

// failed turns a function's error into a result. The error of an ended context
// keeps no type: its cause is told by the side that ended it.
func failed(ctx context.Context, err error) *ToolResult {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return ErrorResult(err.Error()).WithError(err)
	}
	return typed(err, ErrExecutionFailed, err.Error()).Result()
}

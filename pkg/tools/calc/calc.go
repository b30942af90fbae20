package calc

import (
	"context"
	"errors"

	"parley/pkg/tools"
)

type input struct {
	Expression string `json:"expression"`
}

// New makes the tool calculator, which evaluates an expression and returns a [Result].
func New() tools.Tool {
	return tools.New("calculator", "Evaluate + - * / // % ^ !, 200 + 10%, sqrt cbrt root abs sin cos tan asin "+
		"acos atan log ln log2 exp min max floor ceil round gcd lcm fact, pi e tau; in radians.",
		tools.Annotations{ReadOnly: true, Idempotent: true, Level: tools.LevelChat},
		func(_ context.Context, in input) (any, error) {
			result, err := Eval(in.Expression)
			if err != nil {
				return nil, failure(err)
			}
			return result, nil
		})
}

// failure tells the model the mistake in its expression.
func failure(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	details := map[string]any{"kind": e.Kind, "position": e.Position}
	if e.Kind == ErrorSyntax {
		return tools.Fail(tools.ErrInvalidArguments, e.Error(), details).Because(err)
	}
	return tools.Fail(tools.ErrExecutionFailed, e.Error(), details).Because(err)
}

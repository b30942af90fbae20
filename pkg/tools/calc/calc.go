package calc

import (
	"context"
	"errors"

	"parley/pkg/tools"
)

type input struct {
	Expression string `json:"expression" jsonschema:"for example sqrt(144) + pi * 2, 15% of 80, 2^200, fact(20)"`
}

// New makes the tool calculator, which evaluates an expression and returns a [Result].
func New() tools.Tool {
	return tools.New("calculator", "Calculate the value of an arithmetic expression. "+
		"Operators: + - * / // % ^ ** ! and parentheses; p% is percent (15% of 80, 200 + 10%), a % b the remainder. "+
		"Functions: sqrt cbrt root abs sin cos tan asin acos atan log ln log2 exp pow min max floor ceil round mod gcd lcm fact percent. "+
		"Constants: pi e tau. Angles are in radians. Decimals and whole numbers are exact; "+
		"fractions that do not end have 20 significant digits, other functions 15, and are marked as rounded.",
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

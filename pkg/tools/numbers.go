package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"parley/pkg/providers"
)

// A call runs with the numbers that were written, shown and checked. In the arguments
// of Execute a number is a float64 where that gives the number back; any other one is
// a json.Number, which only an [ExactTool] gets to see.

// ExactTool is an optional extension for tools that keep numbers which no float64
// gives back, such as the id 9007199254740993. For these its Execute and Examine get a
// json.Number. A call of any other tool with such a number is refused.
//
// Tools made by [New], [NewExamined] and [NewAsync] are exact as far as their structs
// are: an int64, a json.Number and a json.RawMessage keep what a float64 does not.
type ExactTool interface {
	Tool
	// TakesExact says why the tool would run with other numbers than those of args,
	// nil when it would not. It is asked before anybody is asked for approval, on the
	// value as it was registered, and only about arguments that fit the schema and
	// hold a json.Number. The error is best an [*Error].
	TakesExact(args map[string]any) error
}

// takeNumbers fits the numbers of checked arguments to the tool; exact comes from validate.
func (e *entry) takeNumbers(args, exact map[string]any) (map[string]any, *Error) {
	if exact == nil {
		return args, nil
	}
	if x, ok := e.tool.(ExactTool); ok {
		if _, err := protect(func() (struct{}, error) { return struct{}{}, x.TakesExact(exact) }); err != nil {
			return nil, typed(err, ErrInvalidArguments, err.Error())
		}
		return args, nil
	}
	v, err := floats(args, "")
	if err != nil {
		return nil, Fail(ErrInvalidArguments, err.Error(), nil)
	}
	m, _ := v.(map[string]any)
	return m, nil
}

// unfit is the error of a number that a tool does not keep.
func unfit(n json.Number, path string) error {
	return fmt.Errorf("the tool would change the number %s at %s: write one of fewer digits, or a text where a text is taken",
		clip(n.String(), maxProblemBytes), clip(path, maxProblemBytes))
}

// floats replaces each number that is exactly a float64, and refuses others.
func floats(v any, path string) (any, error) {
	switch v := v.(type) {
	case json.Number:
		low, high := neighbours(v)
		if low != high {
			return nil, unfit(v, path)
		}
		return low, nil
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			var err error
			if m[k], err = floats(e, path+"/"+k); err != nil {
				return nil, err
			}
		}
		return m, nil
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			var err error
			if list[i], err = floats(e, path+"/"+strconv.Itoa(i)); err != nil {
				return nil, err
			}
		}
		return list, nil
	default:
		return v, nil
	}
}

// beside replaces each json.Number for a schema's eyes: by an integer where one holds
// it, else by the next float64 in a direction. A schema's bounds are float64, so they
// hold for a number where they hold for both of its neighbours.
func beside(v any, way float64) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u
		}
		low, high := neighbours(v)
		if way < 0 {
			return low
		}
		return high
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = beside(e, way)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = beside(e, way)
		}
		return list
	default:
		return v
	}
}

// neighbours are the next float64 below and above a number, both the same where it
// is one. The number is one that [providers.DecodeArguments] gives: it is in the range
// of a float64, of bounded length, and has a fraction only where a float64 may have one.
func neighbours(n json.Number) (low, high float64) {
	f, _ := n.Float64()
	exact, _ := new(big.Rat).SetString(n.String())
	if exact == nil {
		return f, f
	}
	switch exact.Cmp(new(big.Rat).SetFloat64(f)) {
	case -1:
		return math.Nextafter(f, math.Inf(-1)), f
	case 1:
		return f, math.Nextafter(f, math.Inf(1))
	default:
		return f, f
	}
}

// changedNumber finds a json.Number in arguments that what was made of them has not.
func changedNumber(args, made any, path string) error {
	switch v := args.(type) {
	case json.Number:
		if n, ok := made.(json.Number); !ok || !sameNumber(v, n) {
			return unfit(v, path)
		}
	case map[string]any:
		m, _ := made.(map[string]any)
		for k, e := range v {
			if err := changedNumber(e, m[k], path+"/"+k); err != nil {
				return err
			}
		}
	case []any:
		list, _ := made.([]any)
		for i, e := range v {
			var other any
			if i < len(list) {
				other = list[i]
			}
			if err := changedNumber(e, other, path+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameNumber compares values, whatever their spelling, of numbers like those of [neighbours].
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, _ := new(big.Rat).SetString(a.String())
	y, _ := new(big.Rat).SetString(b.String())
	return x != nil && y != nil && x.Cmp(y) == 0
}

// TakesExact implements [ExactTool]: what the struct says must be what the arguments say.
func (t *typedTool[In]) TakesExact(args map[string]any) error {
	in, fail := decodeArguments[In](args)
	if fail != nil {
		return fail
	}
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	made, err := providers.DecodeArguments(string(b))
	if err != nil {
		return err
	}
	return changedNumber(args, made, "")
}

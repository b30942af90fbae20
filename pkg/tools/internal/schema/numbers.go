package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"parley/pkg/text"
)

// unfit is the error of a number that a tool would change.
func unfit(n json.Number, path string) error {
	return fmt.Errorf(textNumberLost,
		text.ClipBytes(n.String(), MaxProblemBytes), text.ClipBytes(path, MaxProblemBytes))
}

// Floats replaces each json.Number of arguments by the float64 of equal value, and
// refuses a number without an equal one.
func Floats(args map[string]any) (map[string]any, error) {
	v, err := floats(args, "")
	if err != nil {
		return nil, err
	}
	m, _ := v.(map[string]any)
	return m, nil
}

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

// nearest replaces each json.Number for the check of a schema: by an integer where one
// holds it, else by the next float64 in the direction. A schema's bounds are float64,
// so a number is within them if both of its neighbours are.
func nearest(v any, direction float64) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u
		}
		low, high := neighbours(v)
		if direction < 0 {
			return low
		}
		return high
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = nearest(e, direction)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = nearest(e, direction)
		}
		return list
	default:
		return v
	}
}

// neighbours are the next float64 below and above a number, or the number twice where
// it is a float64 itself. Numbers come from providers.DecodeArguments: they are in the
// range of a float64, of bounded length, and have a fraction only where a float64 may.
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

// ChangedNumber compares arguments with the JSON that a tool's own struct makes of
// them, and returns an error for a json.Number that the struct has changed.
func ChangedNumber(args, made map[string]any) error { return changedNumber(args, made, "") }

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

// sameNumber compares the values of two numbers, not their spelling.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, _ := new(big.Rat).SetString(a.String())
	y, _ := new(big.Rat).SetString(b.String())
	return x != nil && y != nil && x.Cmp(y) == 0
}

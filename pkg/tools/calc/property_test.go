package calc_test

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"parley/pkg/tools/calc"
)

// exactTree draws an expression over + - * / and its value by big.Rat.
func exactTree(t *rapid.T, depth int) (string, *big.Rat) {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		digits := rapid.StringMatching(`[0-9]{1,12}(\.[0-9]{1,8})?`).Draw(t, "number")
		r, _ := new(big.Rat).SetString(digits)
		return digits, r
	}
	leftText, left := exactTree(t, depth-1)
	rightText, right := exactTree(t, depth-1)
	space := rapid.SampledFrom([]string{"", " ", "  "}).Draw(t, "space")
	op := rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(t, "operator")
	z := new(big.Rat)
	switch op {
	case "+":
		z.Add(left, right)
	case "-":
		z.Sub(left, right)
	case "*":
		z.Mul(left, right)
	case "/":
		if right.Sign() == 0 {
			return leftText, left
		}
		z.Quo(left, right)
	}
	return "(" + leftText + space + op + space + rightText + ")", z
}

func TestEvalAgreesWithRat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		expression, want := exactTree(t, 5)
		if len(expression) > calc.MaxLength {
			t.Skip("too long")
		}
		result, err := calc.Eval(expression)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		got, ok := new(big.Rat).SetString(result.Result.String())
		if !ok {
			t.Fatalf("%s = %s is not a number", expression, result.Result)
		}
		if !result.Rounded {
			if got.Cmp(want) != 0 {
				t.Fatalf("%s = %s, want %s", expression, got, want)
			}
			return
		}
		// Half a unit of the 20th digit.
		off := new(big.Rat).Sub(got, want)
		off.Abs(off)
		if limit := new(big.Rat).Mul(new(big.Rat).Abs(want), big.NewRat(1, 1e18)); off.Cmp(limit.Quo(limit, big.NewRat(10, 1))) > 0 {
			t.Fatalf("%s = %s, off by %s", expression, got, off)
		}
		if got.Cmp(want) == 0 {
			t.Fatalf("%s = %s is exact but called rounded", expression, got)
		}
	})
}

func TestEvalQuotientAndRest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Filter(func(n int64) bool { return n != 0 }).Draw(t, "b")
		got, err := calc.Eval(fmt.Sprintf("(%d // %d) * %d + %d %% (%d)", a, b, b, a, b))
		if err != nil || got.Result.String() != strconv.FormatInt(a, 10) {
			t.Fatalf("got %v, %v; want %d", got, err, a)
		}
		rest, err := calc.Eval(fmt.Sprintf("mod(%d, %d)", a, b))
		if err != nil {
			t.Fatal(err)
		}
		r, _ := new(big.Int).SetString(rest.Result.String(), 10)
		size := new(big.Int).Abs(big.NewInt(b))
		if r.CmpAbs(size) >= 0 || r.Sign() != 0 && (r.Sign() < 0) != (b < 0) {
			t.Fatalf("mod(%d, %d) = %s", a, b, r)
		}
	})
}

func TestEvalFunctionsAgreeWithMath(t *testing.T) {
	t.Parallel()
	table := map[string]func(float64) float64{
		"sin": math.Sin, "cos": math.Cos, "atan": math.Atan, "exp": math.Exp, "ln": math.Log, "log": math.Log10,
		"log2": math.Log2, "sqrt": math.Sqrt, "cbrt": math.Cbrt, "floor": math.Floor, "ceil": math.Ceil, "round": math.Round,
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{
			"sin", "cos", "atan", "exp", "ln", "log", "log2", "sqrt", "cbrt", "floor", "ceil", "round",
		}).Draw(t, "function")
		x := float64(rapid.IntRange(1, 1_000_000).Draw(t, "x")) / 10_000
		got, err := calc.Eval(fmt.Sprintf("%s(%v)", name, x))
		if err != nil {
			t.Fatal(err)
		}
		f, err := got.Result.Float64()
		want := table[name](x)
		if err != nil || math.Abs(f-want) > 1e-14*max(1, math.Abs(want)) {
			t.Fatalf("%s(%v) = %v, want %v", name, x, f, want)
		}
	})
}

package calc_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools/calc"
)

// TestEvalAtTheLimits shows that the largest allowed expressions have a value or a
// clear end; the benchmarks measure their cost.
func TestEvalAtTheLimits(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("(", calc.MaxDepth) + "1" + strings.Repeat(")", calc.MaxDepth)
	if got, err := calc.Eval(deep); err != nil || got.Result != "1" {
		t.Errorf("got %v, %v", got, err)
	}
	got, err := calc.Eval(fmt.Sprintf("%d!", calc.MaxFactorial))
	if want := new(big.Int).MulRange(1, calc.MaxFactorial).String(); err != nil || got.Result.String() != want {
		t.Errorf("the largest factorial is wrong: %v", err)
	}
	for name, expression := range dearest() {
		var e *calc.Error
		if _, err := calc.Eval(expression); err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// dearest are expressions that cost as much as the limits allow.
func dearest() map[string]string {
	fill := func(start, piece, end string) string {
		n := (calc.MaxLength - len(start) - len(end)) / len(piece)
		return start + strings.Repeat(piece, n) + end
	}
	return map[string]string{
		"fractions":  fill("0", "+1/(3^4000+1)", ""),
		"factorials": fill("0", "+1500!", ""),
		"gcd":        fill("gcd(1500!", ",7^2900", ")"),
		"roots":      fill("0", "+root(3^5000,7)", ""),
		"high roots": fill("0", "+root(3^5000+1,999)", ""),
		"logs":       fill("0", "+log(3^5000)", ""),
		"floor":      fill("0", "+floor(3^5000/7^1500)", ""),
		"primes":     fill("1/2", "+1/99991", ""),
		"products":   fill("1", "*99999/99991", ""),
		"deep":       fill("", strings.Repeat("(", 99)+"3^5000/7"+strings.Repeat(")", 99)+"*", "1"),
		"rounds":     fill("0", "+round(1/3^4000,999)", ""),
		"names":      fill("0", "+min(pi,e)", ""),
	}
}

func BenchmarkEval(b *testing.B) {
	for name, expression := range dearest() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = calc.Eval(expression)
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			_, _ = calc.Eval("sqrt(144) + pi * 2")
		}
	})
}

func FuzzCalc(f *testing.F) {
	for _, seed := range []string{"sqrt(144) + pi * 2", "15% of 80", "2^200", "1/3", "9^9^9", "min(1,2", "1_000e-3!", "((("} {
		f.Add(seed)
	}
	for _, expression := range dearest() {
		f.Add(expression)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		first, err := calc.Eval(expression)
		if err != nil {
			var e *calc.Error
			if !errors.As(err, &e) || e.Position < 1 || e.Position > len(expression)+1 {
				t.Fatalf("error %#v", err)
			}
			return
		}
		if _, ok := new(big.Rat).SetString(first.Result.String()); !ok || len(first.Result) > 5000 {
			t.Fatalf("result %q", first.Result)
		}
		again, err := calc.Eval(expression)
		if diff := cmp.Diff(first, again); err != nil || diff != "" {
			t.Fatalf("a second time: %v, %s", err, diff)
		}
		// A printed result is an expression of its own.
		value, err := calc.Eval("(" + first.Result.String() + ")")
		if len(first.Result) < calc.MaxLength-2 && (err != nil || !first.Rounded && value.Result != first.Result) {
			t.Fatalf("%s evaluates to %v, %v", first.Result, value, err)
		}
	})
}

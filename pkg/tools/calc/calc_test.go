package calc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/pkg/tools/calc"
)

func TestEval(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expression, want string
		rounded          bool
	}{
		{"17*23", "391", false},
		{"0.1+0.2", "0.3", false},
		{"1 + 2 * 3", "7", false},
		{"(1 + 2) * 3", "9", false},
		{"2^3^2", "512", false},
		{"2**3**2", "512", false},
		{"-2^2", "-4", false},
		{"(-2)^2", "4", false},
		{"2^-3", "0.125", false},
		{"--5", "5", false},
		{"+5 - -5", "10", false},
		{"0^0", "1", false},
		{"(-1)^1000000000001", "-1", false},
		{"1^-99999999999999999999", "1", false},
		{"2^200", "1606938044258990275541962092341162602522202993782792835301376", false},
		{"(2/3)^-2", "2.25", false},
		{"1_000 * 1_000", "1000000", false},
		{"1e3 + 2.5E-3", "1000.0025", false},
		{".5 + 5.", "5.5", false},
		{"6 × 7 ÷ 2 − 1", "20", false},
		{"1/3", "0.33333333333333333333", true},
		{"2/3", "0.66666666666666666667", true},
		{"-200/3", "-66.666666666666666667", true},
		{"1/3*3", "1", false},
		{"1/7e30", "1.4285714285714285714e-31", true},
		{"10^40/3", "3.3333333333333333333e39", true},
		{"1e-300", "1e-300", false},
		{"99999999999999999999.5 - 0.5 + 1/3", "99999999999999999999", true},
		{"7 // 2", "3", false},
		{"-7 // 2", "-4", false},
		{"7 % 3", "1", false},
		{"-7 % 3", "2", false},
		{"7 % (-3)", "-2", false},
		{"7.5 % 2", "1.5", false},
		{"mod(7, -3)", "-2", false},
		{"floor(pi * 1e17)", "3.14159265358979e+17", true},
		{"ceil(exp(50))", "5.18470552858707e+21", true},
		{"50%", "0.5", false},
		{"15% of 80", "12", false},
		{"12.5% of 80 + 1", "11", false},
		{"percent(15, 80)", "12", false},
		{"200 + 10%", "220", false},
		{"200 - 10%", "180", false},
		{"200 + (10%)", "200.1", false},
		{"200 + 10% * 2", "200.2", false},
		{"10% + 5%", "0.15", false},
		{"100 + 10% + 10%", "121", false},
		{"200 * 10%", "20", false},
		{"10% - 3", "-2.9", false},
		{"5!", "120", false},
		{"3!!", "720", false},
		{"fact(20)", "2432902008176640000", false},
		{"2^3!", "64", false},
		{"sqrt(144)", "12", false},
		{"sqrt(2.25)", "1.5", false},
		{"sqrt(1/9)", "0.33333333333333333333", true},
		{"sqrt(2)", "1.4142135623731", true},
		{"sqrt(2)^2 - 2", "0", true},
		{"sqrt(144) + pi * 2", "18.2831853071796", true},
		{"cbrt(27)", "3", false},
		{"cbrt(-27)", "-3", false},
		{"root(1024, 10)", "2", false},
		{"root(-32, 5)", "-2", false},
		{"root(10, 4)", "1.77827941003892", true},
		{"8^(1/3)", "2", false},
		{"8^(2/3)", "4", false},
		{"4^0.5", "2", false},
		{"2^0.5", "1.4142135623731", true},
		{"sqrt(10^400)", "1" + strings.Repeat("0", 200), false},
		{"abs(-3.5)", "3.5", false},
		{"sin(0)", "0", true},
		{"sin(pi)", "0", true},
		{"sin(pi/6)", "0.5", true},
		{"sin(1e16)", "0.779688006606979", true},
		{"sin(-10^22)", "0.852200849767189", true},
		{"tan(10^15)", "-1.67241478212758", true},
		{"sin(245850922)", "6.11806538300111e-09", true}, // next to a multiple of pi; the last digit is the library's
		{"sin(100000 * pi)", "0", true},
		{"cos(0.1 + 10^5)", "-0.997937090658822", true},
		{"cos(tau)", "1", true},
		{"cos(pi/2)", "0", true},
		{"tan(pi/4)", "1", true},
		{"asin(1)*2", "3.14159265358979", true},
		{"acos(0)", "1.5707963267949", true},
		{"atan(1)*4", "3.14159265358979", true},
		{"log(1000)", "3", false},
		{"log(0.001)", "-3", false},
		{"log(8, 2)", "3", false},
		{"log(2)", "0.301029995663981", true},
		{"log(10^3000)", "3000", false},
		{"log(2 * 10^3000)", "3000.30102999566", true},
		{"ln(e)", "1", true},
		{"log2(1024)", "10", false},
		{"exp(1)", "2.71828182845905", true},
		{"pow(2, 10)", "1024", false},
		{"min(3, 1/3, 2)", "0.33333333333333333333", true},
		{"max(1, pi, 3)", "3.14159265358979", true},
		{"floor(-2.5)", "-3", false},
		{"ceil(-2.5)", "-2", false},
		{"ceil(2.1)", "3", false},
		{"round(2.5)", "3", false},
		{"round(-2.5)", "-3", false},
		{"round(2.675, 2)", "2.68", false},
		{"round(1234, -2)", "1200", false},
		{"round(pi, 4)", "3.1416", false},
		{"floor(log(1000, 10) + sin(0))", "3", false},
		{"gcd(12, 18)", "6", false},
		{"gcd(12, 18, 4)", "2", false},
		{"lcm(4, 6)", "12", false},
		{"lcm(0, 6)", "0", false},
		{"SQRT(16) + Pi - PI", "4", true},
		{"π - pi + τ - tau", "0", true},
	}
	for _, tt := range tests {
		t.Run(tt.expression, func(t *testing.T) {
			t.Parallel()
			got, err := calc.Eval(tt.expression)
			if err != nil {
				t.Fatal(err)
			}
			if got.Expression != tt.expression || got.Result.String() != tt.want || got.Rounded != tt.rounded {
				t.Errorf("got %+v, want %s, rounded %t", got, tt.want, tt.rounded)
			}
		})
	}
}

func TestEvalErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expression string
		kind       calc.ErrorKind
		position   int
	}{
		{"", calc.ErrorSyntax, 1},
		{"  ", calc.ErrorSyntax, 1},
		{"1 +", calc.ErrorSyntax, 4},
		{"1 2", calc.ErrorSyntax, 3},
		{"(1", calc.ErrorSyntax, 3},
		{"()", calc.ErrorSyntax, 1},
		{"(1, 2)", calc.ErrorSyntax, 1},
		{"1)", calc.ErrorSyntax, 2},
		{"1,000", calc.ErrorSyntax, 2},
		{"2pi", calc.ErrorSyntax, 2},
		{"1__0", calc.ErrorSyntax, 2},
		{"1_", calc.ErrorSyntax, 2},
		{"1.2.3", calc.ErrorSyntax, 4},
		{".", calc.ErrorSyntax, 1},
		{"2 $ 3", calc.ErrorSyntax, 3},
		{"π + $", calc.ErrorSyntax, 5},
		{"nothing + 1", calc.ErrorSyntax, 1},
		{"sqrt 4", calc.ErrorSyntax, 6},
		{"sqrt(1, 2)", calc.ErrorSyntax, 1},
		{"min()", calc.ErrorSyntax, 1},
		{"\xff", calc.ErrorSyntax, 1},
		{"__import__('os')", calc.ErrorSyntax, 1},
		{"a=1", calc.ErrorSyntax, 2},
		{"1/0", calc.ErrorDomain, 2},
		{"1//0", calc.ErrorDomain, 2},
		{"1 % 0", calc.ErrorDomain, 3},
		{"0^-1", calc.ErrorDomain, 2},
		{"0^(-1/2)", calc.ErrorDomain, 2},
		{"sqrt(-1)", calc.ErrorDomain, 1},
		{"sqrt(-1e-400)", calc.ErrorDomain, 1},
		{"(-8)^(1/3)", calc.ErrorDomain, 5},
		{"root(8, 0)", calc.ErrorDomain, 1},
		{"ln(0)", calc.ErrorDomain, 1},
		{"log(10, 1)", calc.ErrorDomain, 1},
		{"asin(2)", calc.ErrorDomain, 1},
		{"tan(pi/2)", calc.ErrorDomain, 1},
		{"(-1)!", calc.ErrorDomain, 5},
		{"2.5!", calc.ErrorDomain, 4},
		{"gcd(1.5, 2)", calc.ErrorDomain, 1},
		{"round(1, 0.5)", calc.ErrorDomain, 1},
		{"1501!", calc.ErrorLimit, 5},
		{"9^9^9^9", calc.ErrorLimit, 4},
		{"10^5000", calc.ErrorLimit, 3},
		{"2^(-99999999999999999999)", calc.ErrorLimit, 2},
		{"1e5000", calc.ErrorLimit, 1},
		{"1e99999999999999999999", calc.ErrorLimit, 1},
		{"exp(1000)", calc.ErrorLimit, 1},
		{"sin(10^400)", calc.ErrorLimit, 1},
		{"cos(1e30)", calc.ErrorLimit, 1},
		{"mod(1e30, 2*pi)", calc.ErrorLimit, 1},
		{"1e20 % pi", calc.ErrorLimit, 6},
		{"exp(50) % 7", calc.ErrorLimit, 9},
		{"gcd(exp(50), 2)", calc.ErrorDomain, 1},
		{"sin(10^16 + 1)", calc.ErrorLimit, 1},
		{"sin(10^16 * pi)", calc.ErrorLimit, 1},
		{"1 + tan(-1e7 - 0.1)", calc.ErrorLimit, 5},
		{"1500! * 1500!", calc.ErrorLimit, 7},
		{strings.Repeat("(", 101) + "1" + strings.Repeat(")", 101), calc.ErrorLimit, 101},
		{strings.Repeat("-", 101) + "1", calc.ErrorLimit, 101},
		{"2" + strings.Repeat("^1", 101), calc.ErrorLimit, 202},
		{strings.Repeat("1", calc.MaxLength+1), calc.ErrorLimit, 1},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.40q", tt.expression), func(t *testing.T) {
			t.Parallel()
			got, err := calc.Eval(tt.expression)
			var e *calc.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %+v, %v; want an error", got, err)
			}
			if e.Kind != tt.kind || e.Position != tt.position {
				t.Errorf("got %s, %d (%v); want %s, %d", e.Kind, e.Position, e, tt.kind, tt.position)
			}
		})
	}
}

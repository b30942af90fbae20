package calc

import (
	"math/big"
	"strconv"
	"strings"
)

const (
	fullDigits  = 100 // of a decimal that ends
	shortDigits = 20  // significant ones, of any other exact value
)

// format prints a value as a JSON number and says whether it had to round.
func format(v value) (text string, rounded bool) {
	if v.exact == nil {
		return formatDouble(v.approx), true
	}
	if v.exact.IsInt() {
		return v.exact.Num().String(), false
	}
	if decimals, ends := v.exact.FloatPrec(); ends && decimals <= fullDigits {
		if s := v.exact.FloatString(decimals); len(s) <= fullDigits+3 {
			return s, false
		}
	}
	return formatSignificant(v.exact)
}

func formatDouble(f float64) string {
	s := strconv.FormatFloat(f, 'g', doubleDigits, 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// formatSignificant prints r ≠ 0 with shortDigits significant digits.
func formatSignificant(r *big.Rat) (text string, rounded bool) {
	magnitude := new(big.Rat).Abs(r)
	// The estimate may be one off, and rounding may carry into one more digit.
	exponent := len(magnitude.Num().String()) - len(magnitude.Denom().String())
	if magnitude.Cmp(powerOfTen(exponent)) < 0 {
		exponent--
	}
	digits := roundRat(new(big.Rat).Mul(magnitude, powerOfTen(shortDigits-1-exponent))).String()
	if len(digits) > shortDigits {
		digits, exponent = digits[:shortDigits], exponent+1
	}
	text = place(strings.TrimRight(digits, "0"), exponent)
	if r.Sign() < 0 {
		text = "-" + text
	}
	shown, ok := new(big.Rat).SetString(text)
	return text, !ok || shown.Cmp(r) != 0
}

// place puts the decimal point into digits that begin with that of 10^exponent.
func place(digits string, exponent int) string {
	switch {
	case exponent < -7 || exponent > shortDigits:
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return digits + "e" + strconv.Itoa(exponent)
	case exponent < 0:
		return "0." + strings.Repeat("0", -exponent-1) + digits
	case len(digits) <= exponent+1:
		return digits + strings.Repeat("0", exponent+1-len(digits))
	default:
		return digits[:exponent+1] + "." + digits[exponent+1:]
	}
}

func powerOfTen(n int) *big.Rat {
	ten := big.NewInt(10)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), ten.Exp(ten, big.NewInt(int64(-n)), nil))
	}
	return new(big.Rat).SetInt(ten.Exp(ten, big.NewInt(int64(n)), nil))
}

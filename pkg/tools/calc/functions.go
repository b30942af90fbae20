package calc

import (
	"fmt"
	"math"
	"math/big"
)

const (
	maxRootDegree  = 1000
	maxRoundDigits = 1000
	maxArguments   = MaxLength
)

// function is one row of the table: the number of its arguments and its computation.
type function struct {
	least, most int
	apply       func(pos int, args []value) (value, error)
}

func (f function) arity() string {
	switch {
	case f.most == maxArguments:
		return fmt.Sprintf("at least %d arguments", f.least)
	case f.least != f.most:
		return fmt.Sprintf("%d or %d arguments", f.least, f.most)
	case f.least == 1:
		return "one argument"
	default:
		return fmt.Sprintf("%d arguments", f.least)
	}
}

// functions gives the table of everything that can be called by name.
func functions(a *arithmetic) map[string]function {
	return map[string]function{
		"sqrt":    one(func(pos int, x value) (value, error) { return a.root(pos, x, big.NewInt(2)) }),
		"cbrt":    one(func(pos int, x value) (value, error) { return a.root(pos, x, big.NewInt(3)) }),
		"root":    two(a.rootOf),
		"abs":     one(func(_ int, x value) (value, error) { return absolute(x), nil }),
		"sin":     one(a.angle(math.Sin)),
		"cos":     one(a.angle(math.Cos)),
		"tan":     one(a.tangent),
		"asin":    one(a.within(-1, 1, math.Asin)),
		"acos":    one(a.within(-1, 1, math.Acos)),
		"atan":    one(a.double(math.Atan)),
		"exp":     one(a.double(math.Exp)),
		"ln":      one(a.naturalLog),
		"log2":    one(func(pos int, x value) (value, error) { return a.logarithm(pos, x, exactValue(big.NewRat(2, 1))) }),
		"log":     {least: 1, most: 2, apply: a.log},
		"pow":     two(a.raise),
		"mod":     two(a.rest),
		"percent": two(a.percent),
		"floor":   one(func(_ int, x value) (value, error) { return floor(x), nil }),
		"ceil":    one(func(_ int, x value) (value, error) { return negate(floor(negate(x))), nil }),
		"round":   {least: 1, most: 2, apply: a.round},
		"fact":    one(a.factorial),
		"min":     {least: 1, most: maxArguments, apply: a.extreme(-1)},
		"max":     {least: 1, most: maxArguments, apply: a.extreme(1)},
		"gcd":     {least: 1, most: maxArguments, apply: a.whole(greatestDivisor)},
		"lcm":     {least: 1, most: maxArguments, apply: a.whole(leastMultiple)},
	}
}

func one(f func(pos int, x value) (value, error)) function {
	return function{least: 1, most: 1, apply: func(pos int, args []value) (value, error) { return f(pos, args[0]) }}
}

func two(f func(pos int, x, y value) (value, error)) function {
	return function{least: 2, most: 2, apply: func(pos int, args []value) (value, error) { return f(pos, args[0], args[1]) }}
}

// double lifts a function on doubles.
func (m *arithmetic) double(f func(float64) float64) func(int, value) (value, error) {
	return m.within(math.Inf(-1), math.Inf(1), f)
}

// within lifts a function on doubles that is defined from low to high.
func (m *arithmetic) within(low, high float64, f func(float64) float64) func(int, value) (value, error) {
	return func(pos int, x value) (value, error) {
		arg := x.float()
		switch {
		case !isFinite(arg):
			return value{}, limitError(pos, "the number is too large")
		case arg < low || arg > high:
			return value{}, domainError(pos, "the function is defined from %g to %g", low, high)
		}
		return m.check(pos, value{approx: f(arg)})
	}
}

// floor rounds towards minus infinity. A coarse number stays as it is, rounded.
func floor(x value) value {
	if x.coarse() {
		return x
	}
	return intValue(floorRat(x.rounded()))
}

// maxAngle is the largest angle that is computed where a double does not hold it: its
// rounding takes the digits behind the tenth of the result already.
const maxAngle = 1e6

// angle lifts a function of an angle.
func (m *arithmetic) angle(f func(float64) float64) func(int, value) (value, error) {
	return func(pos int, x value) (value, error) {
		if err := turnable(pos, x); err != nil {
			return value{}, err
		}
		return m.double(func(size float64) float64 { return unlessNoise(x, f(size)) })(pos, x)
	}
}

// turnable refuses an angle of which too little is left in a double: whole turns are
// taken off it, and the rest would be the rounding's.
func turnable(pos int, x value) error {
	if size := x.float(); isFinite(size) && math.Abs(size) > maxAngle && !x.isDouble() {
		return limitError(pos,
			"the angle is too large: beyond %.0f its digits are lost unless it is a whole number that a double holds; give it as an "+
				"exact number, or a smaller one",
			maxAngle)
	}
	return nil
}

// isDouble says whether a double is exactly the value, and not the nearest one to it.
func (v value) isDouble() bool {
	if v.exact == nil {
		return false
	}
	_, same := v.exact.Float64()
	return same
}

// unlessNoise gives 0 where a result is no more than the rounding of its
// argument: sin(pi) is 0 to all printed digits.
func unlessNoise(argument value, result float64) float64 {
	size := math.Abs(argument.float())
	if size > 1e-3 && !argument.isDouble() && math.Abs(result) < 4e-16*max(1, size) {
		return 0
	}
	return result
}

func (m *arithmetic) tangent(pos int, x value) (value, error) {
	if size := x.float(); isFinite(size) && unlessNoise(x, math.Cos(size)) == 0 {
		return value{}, domainError(pos, "tan is not defined there")
	}
	return m.angle(math.Tan)(pos, x)
}

func absolute(x value) value {
	if x.sign() < 0 {
		return negate(x)
	}
	return x
}

func (m *arithmetic) rootOf(pos int, x, degree value) (value, error) {
	n, ok := degree.whole()
	if !ok || n.Sign() <= 0 || !n.IsInt64() || n.Int64() > maxRootDegree {
		return value{}, domainError(pos, "the degree of a root is a whole number from 1 to %d", maxRootDegree)
	}
	return m.root(pos, x, n)
}

// root gives the n-th root: exact where it comes out, else in doubles.
func (m *arithmetic) root(pos int, x value, degree *big.Int) (value, error) {
	n := int(degree.Int64())
	negative := x.sign() < 0
	if negative && n%2 == 0 {
		return value{}, domainError(pos, "a negative number has no real even root")
	}
	if x.exact != nil {
		if err := m.charge(pos, 4*bits(x.exact), 4*bits(x.exact)); err != nil {
			return value{}, err
		}
		if r, ok := ratRoot(x.exact, n); ok {
			return exactValue(r), nil
		}
	}
	f := math.Abs(x.float())
	switch n {
	case 2:
		f = math.Sqrt(f)
	case 3:
		f = math.Cbrt(f)
	default:
		f = math.Pow(f, 1/float64(n))
	}
	if negative {
		f = -f
	}
	return m.check(pos, value{approx: f})
}

func (m *arithmetic) naturalLog(pos int, x value) (value, error) {
	if x.sign() <= 0 {
		return value{}, domainError(pos, "the logarithm is of a number above 0")
	}
	return m.check(pos, value{approx: logOf(x)})
}

// logOf gives the natural logarithm of x > 0, also beyond the range of doubles.
func logOf(x value) float64 {
	if f := x.float(); isFinite(f) && f > 0 {
		return math.Log(f)
	}
	num, denom := new(big.Float).SetInt(x.exact.Num()), new(big.Float).SetInt(x.exact.Denom())
	exponent := num.MantExp(num) - denom.MantExp(denom)
	mantissa, _ := num.Quo(num, denom).Float64()
	return math.Log(mantissa) + float64(exponent)*math.Ln2
}

func (m *arithmetic) log(pos int, args []value) (value, error) {
	base := exactValue(big.NewRat(10, 1))
	if len(args) == 2 {
		base = args[1]
	}
	return m.logarithm(pos, args[0], base)
}

// logarithm is exact where x is a whole power of the base.
func (m *arithmetic) logarithm(pos int, x, base value) (value, error) {
	ln, err := m.naturalLog(pos, x)
	if err != nil {
		return value{}, err
	}
	lnBase, err := m.naturalLog(pos, base)
	if err != nil {
		return value{}, err
	}
	v, err := m.divide(pos, ln, lnBase)
	if err != nil || x.exact == nil || base.exact == nil {
		return v, err
	}
	if n, ok := v.whole(); ok {
		if p, err := m.wholePower(pos, base.exact, n); err == nil && p.exact.Cmp(x.exact) == 0 {
			return intValue(n), nil
		}
	}
	return v, nil
}

func (m *arithmetic) percent(pos int, p, x value) (value, error) {
	v, err := m.multiply(pos, p, x)
	if err != nil {
		return value{}, err
	}
	return m.divide(pos, v, exactValue(big.NewRat(100, 1)))
}

func (m *arithmetic) round(pos int, args []value) (value, error) {
	digits := new(big.Int)
	if len(args) == 2 {
		var ok bool
		if digits, ok = args[1].whole(); !ok || !digits.IsInt64() || absInt64(digits) > maxRoundDigits {
			return value{}, domainError(pos, "the digits of round are a whole number up to %d", maxRoundDigits)
		}
	}
	if args[0].coarse() {
		return args[0], nil
	}
	scale, err := m.wholePower(pos, big.NewRat(10, 1), digits)
	if err != nil {
		return value{}, err
	}
	scaled, err := m.multiply(pos, exactValue(args[0].rounded()), scale)
	if err != nil {
		return value{}, err
	}
	return m.divide(pos, intValue(roundRat(scaled.exact)), scale)
}

// extreme gives the largest argument for sign 1, the smallest for -1.
func (m *arithmetic) extreme(sign int) func(int, []value) (value, error) {
	return func(pos int, args []value) (value, error) {
		best, bestExact := args[0], args[0].rounded()
		for _, v := range args[1:] {
			exact := v.rounded()
			if err := m.charge(pos, bits(exact), bits(bestExact)); err != nil {
				return value{}, err
			}
			if exact.Cmp(bestExact) == sign {
				best, bestExact = v, exact
			}
		}
		return best, nil
	}
}

// whole lifts a function on two whole numbers to any number of them.
func (m *arithmetic) whole(f func(a, b *big.Int) *big.Int) func(int, []value) (value, error) {
	return func(pos int, args []value) (value, error) {
		var result *big.Int
		for _, arg := range args {
			n, ok := arg.whole()
			if !ok {
				return value{}, domainError(pos, "the arguments are whole numbers")
			}
			n = new(big.Int).Abs(n)
			if result == nil {
				result = n
				continue
			}
			if err := m.charge(pos, result.BitLen()+n.BitLen(), result.BitLen()+n.BitLen()); err != nil {
				return value{}, err
			}
			result = f(result, n)
			if _, err := m.check(pos, intValue(result)); err != nil {
				return value{}, err
			}
		}
		return intValue(result), nil
	}
}

func greatestDivisor(a, b *big.Int) *big.Int { return new(big.Int).GCD(nil, nil, a, b) }

func leastMultiple(a, b *big.Int) *big.Int {
	if a.Sign() == 0 || b.Sign() == 0 {
		return new(big.Int)
	}
	return new(big.Int).Mul(a, new(big.Int).Div(b, greatestDivisor(a, b)))
}

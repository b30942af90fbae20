package calc

import (
	"math"
	"math/big"
)

// doubleDigits is how many digits of a double are printed.
const doubleDigits = 15

// arithmetic computes with values and bounds the work of a whole expression.
type arithmetic struct{ work int }

// charge counts the work of an operation on exact numbers of the given sizes,
// which grows with their product.
func (m *arithmetic) charge(pos, bitsA, bitsB int) error {
	m.work += (bitsA/64 + 1) * (bitsB/64 + 1)
	if m.work > maxWork {
		return limitError(pos, "the expression takes too long to compute")
	}
	return nil
}

// check refuses a value that is too large to go on with.
func (m *arithmetic) check(pos int, v value) (value, error) {
	switch {
	case v.exact != nil && bits(v.exact) > maxBits:
		return value{}, limitError(pos, "the number is too large")
	case v.exact == nil && math.IsNaN(v.approx):
		return value{}, domainError(pos, "the result is not a number")
	case v.exact == nil && math.IsInf(v.approx, 0):
		return value{}, limitError(pos, "the number is too large")
	}
	return v, nil
}

func negate(v value) value {
	if v.exact == nil {
		return value{approx: -v.approx, share: v.share}
	}
	return value{exact: new(big.Rat).Neg(v.exact), share: v.share}
}

// combine applies an operation exactly where both numbers are exact, else in doubles.
func (m *arithmetic) combine(
	pos int, a, b value, exact func(z, x, y *big.Rat) *big.Rat, approx func(x, y float64) float64,
) (value, error) {
	if a.exact == nil || b.exact == nil {
		return m.check(pos, value{approx: approx(a.float(), b.float())})
	}
	sizeA, sizeB := bits(a.exact), bits(b.exact)
	// Reducing the result to lowest terms costs the square of the sizes.
	if err := m.charge(pos, sizeA+sizeB, sizeA+sizeB); err != nil {
		return value{}, err
	}
	return m.check(pos, exactValue(exact(new(big.Rat), a.exact, b.exact)))
}

func (m *arithmetic) add(pos int, a, b value) (value, error) {
	return m.combine(pos, a, b, (*big.Rat).Add, addDoubles)
}

// addDoubles adds, and gives 0 if only the rounding of doubles is left: 15 digits of
// both numbers cancel each other.
func addDoubles(x, y float64) float64 {
	sum := x + y
	if math.Abs(sum) < 1e-15*max(math.Abs(x), math.Abs(y)) {
		return 0
	}
	return sum
}

func (m *arithmetic) multiply(pos int, a, b value) (value, error) {
	return m.combine(pos, a, b, (*big.Rat).Mul, func(x, y float64) float64 { return x * y })
}

func (m *arithmetic) divide(pos int, a, b value) (value, error) {
	if b.sign() == 0 {
		return value{}, domainError(pos, "division by zero")
	}
	return m.combine(pos, a, b, (*big.Rat).Quo, func(x, y float64) float64 { return x / y })
}

// quotient is the quotient rounded down: always whole.
func (m *arithmetic) quotient(pos int, a, b value) (value, error) {
	v, err := m.divide(pos, exactValue(a.rounded()), exactValue(b.rounded()))
	if err != nil {
		return value{}, err
	}
	return intValue(floorRat(v.exact)), nil
}

// rest is the remainder of quotient; it has the sign of b.
func (m *arithmetic) rest(pos int, a, b value) (value, error) {
	exactA, exactB := exactValue(a.rounded()), exactValue(b.rounded())
	q, err := m.quotient(pos, exactA, exactB)
	if err != nil {
		return value{}, err
	}
	inexact := a.exact == nil || b.exact == nil
	if inexact && math.Abs(q.float()) > maxAngle {
		return value{}, limitError(pos,
			"the remainder is not known: the numbers are rounded, and the second goes into the first more than %.0f times; take smaller ones",
			maxAngle)
	}
	taken, err := m.multiply(pos, q, exactB)
	if err != nil {
		return value{}, err
	}
	v, err := m.add(pos, exactA, negate(taken))
	if err == nil && inexact {
		v = value{approx: v.float()}
	}
	return v, err
}

func (m *arithmetic) factorial(pos int, v value) (value, error) {
	n, ok := v.whole()
	if !ok || n.Sign() < 0 {
		return value{}, domainError(pos, "the factorial is of a whole number from 0")
	}
	if !n.IsInt64() || n.Int64() > MaxFactorial {
		return value{}, limitError(pos, "the factorial is of at most %d", MaxFactorial)
	}
	if err := m.charge(pos, maxBits, maxBits); err != nil {
		return value{}, err
	}
	return intValue(new(big.Int).MulRange(1, n.Int64())), nil
}

// raise computes a power: exactly if the base is exact and the exponent whole, or a
// fraction with an exact root, else in doubles.
func (m *arithmetic) raise(pos int, base, exponent value) (value, error) {
	if exponent.exact != nil {
		if root, ok := m.exactRoot(pos, base, exponent.exact.Denom()); ok {
			return m.wholePower(pos, root, exponent.exact.Num())
		}
	}
	if base.sign() == 0 && exponent.sign() < 0 {
		return value{}, domainError(pos, "division by zero")
	}
	if base.sign() < 0 && !exponent.rounded().IsInt() {
		return value{}, domainError(pos, "a negative number has no such power; use cbrt or root for an odd root")
	}
	return m.check(pos, value{approx: math.Pow(base.float(), exponent.float())})
}

// exactRoot gives the root of a base that has one without rounding.
func (m *arithmetic) exactRoot(pos int, base value, degree *big.Int) (*big.Rat, bool) {
	if base.exact == nil || degree.IsInt64() && degree.Int64() == 1 {
		return base.exact, base.exact != nil
	}
	if base.sign() <= 0 || !degree.IsInt64() || degree.Int64() > maxRootDegree {
		return nil, false
	}
	root, err := m.root(pos, base, degree)
	return root.exact, err == nil && root.exact != nil
}

func (m *arithmetic) wholePower(pos int, x *big.Rat, n *big.Int) (value, error) {
	if x.Sign() == 0 && n.Sign() < 0 {
		return value{}, domainError(pos, "division by zero")
	}
	if isUnit(x) || x.Sign() == 0 {
		return exactValue(smallPower(x, n)), nil
	}
	// The larger part has at least (size-1)*n bits when it is raised to n.
	size := max(x.Num().BitLen(), x.Denom().BitLen())
	if !n.IsInt64() || absInt64(n) > maxBits || int64(size-1)*absInt64(n) > maxBits {
		return value{}, limitError(pos, "the number is too large")
	}
	if err := m.charge(pos, maxBits, size*int(absInt64(n))); err != nil {
		return value{}, err
	}
	exponent := new(big.Int).Abs(n)
	num, denom := new(big.Int).Exp(x.Num(), exponent, nil), new(big.Int).Exp(x.Denom(), exponent, nil)
	if n.Sign() < 0 {
		num, denom = denom, num
	}
	return m.check(pos, exactValue(new(big.Rat).SetFrac(num, denom)))
}

func absInt64(n *big.Int) int64 { return new(big.Int).Abs(n).Int64() }

// isUnit says whether x is 1 or -1, with powers that stay small.
func isUnit(x *big.Rat) bool { return x.IsInt() && x.Num().IsInt64() && absInt64(x.Num()) == 1 }

// smallPower raises 0, 1 or -1; 0^0 is 1.
func smallPower(x *big.Rat, n *big.Int) *big.Rat {
	if n.Sign() == 0 || x.Sign() < 0 && n.Bit(0) == 0 {
		return big.NewRat(1, 1)
	}
	return x
}

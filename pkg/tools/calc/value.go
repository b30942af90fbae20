package calc

import (
	"math"
	"math/big"
	"strconv"
)

// value is a number on its way through an expression: exact, or a double.
type value struct {
	exact  *big.Rat // nil: the value is approx
	approx float64
	// share is set for a bare percentage, which + and - treat as a share of their left
	// operand.
	share bool
}

func exactValue(r *big.Rat) value { return value{exact: r} }

func intValue(n *big.Int) value { return value{exact: new(big.Rat).SetInt(n)} }

// float gives the nearest double; infinite where the value is beyond all doubles.
func (v value) float() float64 {
	if v.exact == nil {
		return v.approx
	}
	f, _ := v.exact.Float64()
	return f
}

// rounded gives an exact value: v itself, or the value of its 15 printed digits, so
// that floor(log(1000)) sees the 3 that a person sees.
func (v value) rounded() *big.Rat {
	if v.exact != nil {
		return v.exact
	}
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(v.approx, 'e', doubleDigits-1, 64))
	if !ok {
		return new(big.Rat)
	}
	return r
}

func (v value) sign() int {
	switch {
	case v.exact != nil:
		return v.exact.Sign()
	case v.approx < 0:
		return -1
	case v.approx > 0:
		return 1
	default:
		return 0
	}
}

// whole gives v as an integer, and whether it is known to be one.
func (v value) whole() (*big.Int, bool) {
	r := v.rounded()
	return r.Num(), r.IsInt() && !v.coarse()
}

// coarse says whether v is rounded so far to the left that its ones are not known.
func (v value) coarse() bool {
	const known = 1e15 // as many digits as doubleDigits
	return v.exact == nil && math.Abs(v.approx) >= known
}

func bits(r *big.Rat) int { return r.Num().BitLen() + r.Denom().BitLen() }

func isFinite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

// floorRat rounds towards minus infinity.
func floorRat(r *big.Rat) *big.Int {
	// Div is Euclidean; with a positive denominator it rounds down.
	return new(big.Int).Div(r.Num(), r.Denom())
}

// roundRat rounds to the nearest integer, half away from zero.
func roundRat(r *big.Rat) *big.Int {
	n := new(big.Int).Lsh(new(big.Int).Abs(r.Num()), 1)
	n.Add(n, r.Denom())
	n.Div(n, new(big.Int).Lsh(r.Denom(), 1))
	if r.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

// intRoot gives the whole n-th root of x ≥ 0, and whether it comes out.
func intRoot(x *big.Int, n int) (*big.Int, bool) {
	var root *big.Int
	if n == 2 {
		root = new(big.Int).Sqrt(x)
	} else {
		root = newtonRoot(x, n)
	}
	return root, new(big.Int).Exp(root, big.NewInt(int64(n)), nil).Cmp(x) == 0
}

// ratRoot gives the n-th root of x where it comes out; n is odd where x is negative.
func ratRoot(x *big.Rat, n int) (*big.Rat, bool) {
	num, okNum := intRoot(new(big.Int).Abs(x.Num()), n)
	denom, okDenom := intRoot(x.Denom(), n)
	if !okNum || !okDenom {
		return nil, false
	}
	if x.Sign() < 0 {
		num.Neg(num)
	}
	return new(big.Rat).SetFrac(num, denom), true
}

// newtonRoot gives the n-th root of x ≥ 0, rounded down.
func newtonRoot(x *big.Int, n int) *big.Int {
	if x.Sign() == 0 {
		return new(big.Int)
	}
	degree, less := big.NewInt(int64(n)), big.NewInt(int64(n-1))
	// From above the root, the iteration falls until it stands on it.
	root := new(big.Int).Lsh(big.NewInt(1), uint(x.BitLen()/n+1))
	for {
		next := new(big.Int).Exp(root, less, nil)
		next.Div(x, next)
		next.Add(next, new(big.Int).Mul(root, less))
		next.Div(next, degree)
		if next.Cmp(root) >= 0 {
			return root
		}
		root = next
	}
}

// Package calc is the tool calculator: arithmetic that a model can rely on.
//
// It promises:
//
//   - Sums, products, quotients and whole powers of decimal numbers are exact,
//     of any size up to the limits: 0.1 + 0.2 is 0.3, 2^200 has all its digits.
//   - An exact result is printed in full when it is whole, or ends within 100
//     significant digits; one that does not end (1/3) is rounded to 20 significant
//     digits. A value that goes through sin, log, exp, an inexact root, or a fractional
//     power is computed in double precision and printed with 15 significant digits.
//     Rounded results say so. An angle beyond a million is refused unless a double
//     holds it exactly: the result would be that of its rounding.
//   - An expression is parsed and evaluated by this package alone; it cannot run, read
//     or reach anything.
//   - Every expression ends quickly: its length, depth and number of steps,
//     the size of every intermediate number and the total work are limited.
//
// # Syntax
//
// From the loosest to the tightest binding:
//
//	a + b   a - b                          also − for -
//	a * b   a / b   a // b   a % b   p of b   also × · ÷
//	-a  +a
//	a ^ b   a ** b                         right to left: 2^3^2 is 2^9, -2^2 is -4
//	a!   a%                                factorial, percent
//
// a // b is the quotient rounded down and a % b the rest that goes with it, so
// it has the sign of b. A % is the rest when an operand begins right after it
// (a number, a name or a parenthesis), else it is percent:
//
//	15% of 80       12       p of b is p * b
//	50%             0.5
//	200 + 10%       220      a percentage added to or taken from a number is a
//	200 - 10%       180      share of that number; in parentheses, 200 + (10%),
//	                         or within a product, it is not
//	10 % 3          1
//	10 % (-3)       -2       the parentheses make it the rest
//
// Numbers are decimal, 1_000 or 2.5e-3. Constants: pi, e, tau. Functions: sqrt,
// cbrt, root(x, n), abs, sin, cos, tan, asin, acos, atan (radians), log (base
// 10) and log(x, base), ln, log2, exp, pow(x, y), min, max, floor, ceil, round
// (half away from zero) and round(x, digits), mod, gcd, lcm, fact,
// percent(p, x). Names may be written in capitals.
//
// To add a function: add it to the table in functions.go and to the list above.
package calc

package calc

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"parley/pkg/text"
)

// The limits of an expression. Together they keep the dearest one far below
// 100 ms of processor time.
const (
	// MaxLength is how many bytes an expression has at most.
	MaxLength = 2000
	// MaxDepth is how deep parentheses, signs and powers may nest.
	MaxDepth = 100
	// MaxFactorial is the largest n of n!.
	MaxFactorial = 1500
	maxExponent  = 4500    // of a number such as 1e10
	maxBits      = 16384   // of numerator and denominator together: about 4,900 digits
	maxWork      = 8 << 20 // of a whole expression, in products of two 64-bit words
)

// Result is the value of an expression.
type Result struct {
	// Expression is the given expression.
	Expression string `json:"expression"`
	// Result is the value as a JSON number with as many digits as the package
	// comment says; they may be more than a double holds.
	Result json.Number `json:"result"`
	// Rounded says that Result is not the exact value.
	Rounded bool `json:"rounded,omitempty"`
}

// Eval evaluates an expression. The error is an [*Error].
func Eval(expression string) (Result, error) {
	if len(expression) > MaxLength {
		return Result{}, limitError(1, "the expression has %d bytes; at most %d are allowed", len(expression), MaxLength)
	}
	if !utf8.ValidString(expression) {
		return Result{}, syntaxError(1, "the expression is not valid UTF-8")
	}
	tokens, err := lex(expression)
	if err != nil {
		return Result{}, err
	}
	e := &evaluator{tokens: tokens}
	if e.peek().kind == tokenEnd {
		return Result{}, syntaxError(1, "the expression is empty")
	}
	v, err := e.sum()
	if err != nil {
		return Result{}, err
	}
	if t := e.peek(); t.kind != tokenEnd {
		return Result{}, unexpected(t, "an operator")
	}
	written, rounded := format(v)
	return Result{Expression: expression, Result: json.Number(written), Rounded: rounded}, nil
}

// evaluator computes an expression while it reads it; each method below reads
// one level of the syntax in the package comment.
type evaluator struct {
	tokens []token
	at     int
	depth  int
	work   int
	table  map[string]function
}

func (e *evaluator) peek() token { return e.tokens[e.at] }

func (e *evaluator) next() token {
	t := e.tokens[e.at]
	if t.kind != tokenEnd {
		e.at++
	}
	return t
}

func unexpected(t token, wanted string) error {
	switch {
	case t.kind == tokenEnd:
		return syntaxError(t.pos, "the expression ends where %s is expected", wanted)
	case t.is(","):
		return syntaxError(t.pos, "a comma separates the arguments of a function; write a thousand as 1000 or 1_000")
	default:
		return syntaxError(t.pos, "%s where %s is expected", strconv.Quote(t.text), wanted)
	}
}

// enter counts a level of nesting; leave ends it.
func (e *evaluator) enter(pos int) error {
	if e.depth++; e.depth > MaxDepth {
		return limitError(pos, "the expression nests deeper than %d levels", MaxDepth)
	}
	return nil
}

func (e *evaluator) leave() { e.depth-- }

func (e *evaluator) sum() (value, error) {
	left, err := e.product()
	for err == nil {
		op := e.peek()
		if !op.is("+") && !op.is("-") {
			break
		}
		e.next()
		var right value
		if right, err = e.product(); err != nil {
			break
		}
		if right.share && !left.share {
			if right, err = e.multiply(op.pos, left, right); err != nil {
				break
			}
		}
		if op.is("-") {
			right = negate(right)
		}
		left, err = e.add(op.pos, left, right)
	}
	return left, err
}

func (e *evaluator) product() (value, error) {
	left, err := e.unary()
	for err == nil {
		op := e.peek()
		apply := e.productOperator(op)
		if apply == nil {
			break
		}
		e.next()
		var right value
		if right, err = e.unary(); err != nil {
			break
		}
		left, err = apply(op.pos, left, right)
	}
	return left, err
}

func (e *evaluator) productOperator(t token) func(pos int, a, b value) (value, error) {
	switch {
	case t.is("*"), t.kind == tokenName && t.text == "of":
		return e.multiply
	case t.is("/"):
		return e.divide
	case t.is("//"):
		return e.quotient
	case t.is("%"):
		return e.rest
	default:
		return nil
	}
}

func (e *evaluator) unary() (value, error) {
	t := e.peek()
	if !t.is("+") && !t.is("-") {
		return e.power()
	}
	e.next()
	if err := e.enter(t.pos); err != nil {
		return value{}, err
	}
	defer e.leave()
	v, err := e.unary()
	if err == nil && t.is("-") {
		v = negate(v)
	}
	return v, err
}

func (e *evaluator) power() (value, error) {
	base, err := e.postfix()
	op := e.peek()
	if err != nil || !op.is("^") {
		return base, err
	}
	e.next()
	if err := e.enter(op.pos); err != nil {
		return value{}, err
	}
	defer e.leave()
	exponent, err := e.unary()
	if err != nil {
		return value{}, err
	}
	return e.raise(op.pos, base, exponent)
}

func (e *evaluator) postfix() (value, error) {
	v, err := e.primary()
	for err == nil {
		op := e.peek()
		switch {
		case op.is("!"):
			e.next()
			v, err = e.factorial(op.pos, v)
		case op.is("%") && !e.tokens[e.at+1].beginsOperand():
			e.next()
			v, err = e.divide(op.pos, v, exactValue(big.NewRat(100, 1)))
			v.share = true
		default:
			return v, nil
		}
	}
	return v, err
}

func (e *evaluator) primary() (value, error) {
	t := e.next()
	switch {
	case t.kind == tokenNumber:
		r, err := parseNumber(t)
		if err != nil {
			return value{}, err
		}
		return e.check(t.pos, exactValue(r))
	case t.kind == tokenName:
		return e.named(t)
	case t.is("("):
		args, err := e.arguments(t)
		if err != nil {
			return value{}, err
		}
		if len(args) != 1 {
			return value{}, syntaxError(t.pos, "parentheses hold one expression")
		}
		return args[0], nil
	default:
		return value{}, unexpected(t, "a number")
	}
}

// arguments reads from the parenthesis open, already read, to the closing one.
// Percentages in it are plain numbers.
func (e *evaluator) arguments(open token) ([]value, error) {
	if err := e.enter(open.pos); err != nil {
		return nil, err
	}
	defer e.leave()
	if e.peek().is(")") {
		e.next()
		return nil, nil
	}
	var args []value
	for {
		v, err := e.sum()
		if err != nil {
			return nil, err
		}
		v.share = false
		args = append(args, v)
		switch t := e.next(); {
		case t.is(")"):
			return args, nil
		case !t.is(","):
			return nil, unexpected(t, "a closing parenthesis")
		}
	}
}

// named gives the value of a constant or of a function with its arguments.
func (e *evaluator) named(t token) (value, error) {
	open := e.peek()
	if !open.is("(") {
		switch t.text {
		case "pi", "π":
			return value{approx: math.Pi}, nil
		case "tau", "τ":
			return value{approx: 2 * math.Pi}, nil
		case "e":
			return value{approx: math.E}, nil
		}
	}
	if e.table == nil {
		e.table = e.functions()
	}
	f, ok := e.table[t.text]
	switch {
	case !ok:
		return value{}, syntaxError(t.pos, "there is no function or constant %q", text.Clip(t.text, 40))
	case !open.is("("):
		return value{}, syntaxError(open.pos, "%s needs its arguments in parentheses", t.text)
	}
	e.next()
	args, err := e.arguments(open)
	if err != nil {
		return value{}, err
	}
	if len(args) < f.least || len(args) > f.most {
		return value{}, syntaxError(t.pos, "%s takes %s, not %d", t.text, f.arity(), len(args))
	}
	return f.apply(t.pos, args)
}

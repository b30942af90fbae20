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
	p := &parser{tokens: tokens}
	if p.peek().kind == tokenEnd {
		return Result{}, syntaxError(1, "the expression is empty")
	}
	v, err := p.sum()
	if err != nil {
		return Result{}, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return Result{}, unexpected(t, "an operator")
	}
	written, rounded := format(v)
	return Result{Expression: expression, Result: json.Number(written), Rounded: rounded}, nil
}

// parser computes an expression while it reads it; each method below reads one level
// of the syntax in the package comment.
type parser struct {
	tokens []token
	at     int
	depth  int

	arithmetic arithmetic
	table      map[string]function // made for the first name
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
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
func (p *parser) enter(pos int) error {
	if p.depth++; p.depth > MaxDepth {
		return limitError(pos, "the expression nests deeper than %d levels", MaxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) sum() (value, error) {
	left, err := p.product()
	for err == nil {
		op := p.peek()
		if !op.is("+") && !op.is("-") {
			break
		}
		p.next()
		var right value
		if right, err = p.product(); err != nil {
			break
		}
		if right.share && !left.share {
			if right, err = p.arithmetic.multiply(op.pos, left, right); err != nil {
				break
			}
		}
		if op.is("-") {
			right = negate(right)
		}
		left, err = p.arithmetic.add(op.pos, left, right)
	}
	return left, err
}

func (p *parser) product() (value, error) {
	left, err := p.unary()
	for err == nil {
		op := p.peek()
		apply := p.productOperator(op)
		if apply == nil {
			break
		}
		p.next()
		var right value
		if right, err = p.unary(); err != nil {
			break
		}
		left, err = apply(op.pos, left, right)
	}
	return left, err
}

func (p *parser) productOperator(t token) func(pos int, a, b value) (value, error) {
	switch {
	case t.is("*"), t.kind == tokenName && t.text == "of":
		return p.arithmetic.multiply
	case t.is("/"):
		return p.arithmetic.divide
	case t.is("//"):
		return p.arithmetic.quotient
	case t.is("%"):
		return p.arithmetic.rest
	default:
		return nil
	}
}

func (p *parser) unary() (value, error) {
	t := p.peek()
	if !t.is("+") && !t.is("-") {
		return p.power()
	}
	p.next()
	if err := p.enter(t.pos); err != nil {
		return value{}, err
	}
	defer p.leave()
	v, err := p.unary()
	if err == nil && t.is("-") {
		v = negate(v)
	}
	return v, err
}

func (p *parser) power() (value, error) {
	base, err := p.postfix()
	op := p.peek()
	if err != nil || !op.is("^") {
		return base, err
	}
	p.next()
	if err := p.enter(op.pos); err != nil {
		return value{}, err
	}
	defer p.leave()
	exponent, err := p.unary()
	if err != nil {
		return value{}, err
	}
	return p.arithmetic.raise(op.pos, base, exponent)
}

func (p *parser) postfix() (value, error) {
	v, err := p.primary()
	for err == nil {
		op := p.peek()
		switch {
		case op.is("!"):
			p.next()
			v, err = p.arithmetic.factorial(op.pos, v)
		case op.is("%") && !p.tokens[p.at+1].beginsOperand():
			p.next()
			v, err = p.arithmetic.divide(op.pos, v, exactValue(big.NewRat(100, 1)))
			v.share = true
		default:
			return v, nil
		}
	}
	return v, err
}

func (p *parser) primary() (value, error) {
	t := p.next()
	switch {
	case t.kind == tokenNumber:
		r, err := parseNumber(t)
		if err != nil {
			return value{}, err
		}
		return p.arithmetic.check(t.pos, exactValue(r))
	case t.kind == tokenName:
		return p.named(t)
	case t.is("("):
		args, err := p.arguments(t)
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
func (p *parser) arguments(open token) ([]value, error) {
	if err := p.enter(open.pos); err != nil {
		return nil, err
	}
	defer p.leave()
	if p.peek().is(")") {
		p.next()
		return nil, nil
	}
	var args []value
	for {
		v, err := p.sum()
		if err != nil {
			return nil, err
		}
		v.share = false
		args = append(args, v)
		switch t := p.next(); {
		case t.is(")"):
			return args, nil
		case !t.is(","):
			return nil, unexpected(t, "a closing parenthesis")
		}
	}
}

// named gives the value of a constant or of a function with its arguments.
func (p *parser) named(t token) (value, error) {
	open := p.peek()
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
	if p.table == nil {
		p.table = functions(&p.arithmetic)
	}
	f, ok := p.table[t.text]
	switch {
	case !ok:
		return value{}, syntaxError(t.pos, "there is no function or constant %q", text.Clip(t.text, 40))
	case !open.is("("):
		return value{}, syntaxError(open.pos, "%s needs its arguments in parentheses", t.text)
	}
	p.next()
	args, err := p.arguments(open)
	if err != nil {
		return value{}, err
	}
	if len(args) < f.least || len(args) > f.most {
		return value{}, syntaxError(t.pos, "%s takes %s, not %d", t.text, f.arity(), len(args))
	}
	return f.apply(t.pos, args)
}

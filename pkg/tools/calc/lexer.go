package calc

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenName
	tokenOperator
)

// token is one word of an expression. Pos counts characters from 1.
type token struct {
	kind tokenKind
	text string
	pos  int
}

func (t token) is(operator string) bool { return t.kind == tokenOperator && t.text == operator }

// beginsOperand says whether an operand can begin with t. A sign does not
// count: after a percentage it is the next operator.
func (t token) beginsOperand() bool {
	return t.kind == tokenNumber || t.is("(") || t.kind == tokenName && t.text != "of"
}

// lex cuts an expression into tokens; the last one is a tokenEnd.
func lex(expression string) ([]token, error) {
	text := []rune(expression)
	var out []token
	for i := 0; i < len(text); {
		if unicode.IsSpace(text[i]) {
			i++
			continue
		}
		t, n, err := lexToken(text[i:], i+1)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		i += n
	}
	return append(out, token{kind: tokenEnd, pos: len(text) + 1}), nil
}

// lexToken gives the token at the start of text, which stands at pos, and how
// many characters it takes.
func lexToken(text []rune, pos int) (t token, n int, err error) {
	switch r := text[0]; {
	case isDigit(r) || r == '.':
		if n, err = lexNumber(text, pos); err != nil {
			return token{}, 0, err
		}
		return token{kind: tokenNumber, text: string(text[:n]), pos: pos}, n, nil
	case isLetter(r):
		for n < len(text) && (isLetter(text[n]) || isDigit(text[n])) {
			n++
		}
		return token{kind: tokenName, text: strings.ToLower(string(text[:n])), pos: pos}, n, nil
	default:
		op, n := lexOperator(text)
		if n == 0 {
			return token{}, 0, syntaxError(pos, "unexpected %s", strconv.QuoteRune(r))
		}
		return token{kind: tokenOperator, text: op, pos: pos}, n, nil
	}
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == 'π' || r == 'τ'
}

// lexOperator gives the operator at the start of text in its plain spelling,
// and how many characters it takes.
func lexOperator(text []rune) (op string, n int) {
	if len(text) > 1 {
		switch string(text[:2]) {
		case "**":
			return "^", 2
		case "//":
			return "//", 2
		}
	}
	switch text[0] {
	case '+', '-', '*', '/', '%', '^', '!', '(', ')', ',':
		return string(text[0]), 1
	case '−':
		return "-", 1
	case '×', '·':
		return "*", 1
	case '÷':
		return "/", 1
	default:
		return "", 0
	}
}

// lexNumber gives the length of the number at the start of text. An underscore
// stands between two digits only.
func lexNumber(text []rune, pos int) (int, error) {
	i, err := lexDigits(text, 0, pos)
	if err != nil {
		return 0, err
	}
	whole := i
	if i < len(text) && text[i] == '.' {
		if i, err = lexDigits(text, i+1, pos); err != nil {
			return 0, err
		}
		if whole == 0 && i == 1 {
			return 0, syntaxError(pos, "a number needs a digit")
		}
	}
	if n := exponentLength(text[i:]); n > 0 {
		i += n
	}
	if i < len(text) && (text[i] == '.' || text[i] == '_' || isDigit(text[i])) {
		return 0, syntaxError(pos+i, "unexpected %s in a number", strconv.QuoteRune(text[i]))
	}
	return i, nil
}

func lexDigits(text []rune, from, pos int) (int, error) {
	i := from
	for i < len(text) && (isDigit(text[i]) || text[i] == '_') {
		if text[i] == '_' && (i == from || text[i-1] == '_' || i+1 == len(text) || !isDigit(text[i+1])) {
			return 0, syntaxError(pos+i, "an underscore stands between two digits")
		}
		i++
	}
	return i, nil
}

// exponentLength gives the length of e+10 and the like; without digits the letter
// belongs to the next token, such as a name.
func exponentLength(text []rune) int {
	if len(text) == 0 || text[0] != 'e' && text[0] != 'E' {
		return 0
	}
	i := 1
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		i++
	}
	digits := i
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	if i == digits {
		return 0
	}
	return i
}

// parseNumber turns the text of a number token into its value.
func parseNumber(t token) (*big.Rat, error) {
	text := strings.ReplaceAll(t.text, "_", "")
	if mantissa, exponent, found := strings.Cut(strings.ToLower(text), "e"); found {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxExponent || n < -maxExponent {
			return nil, limitError(t.pos, "the exponent of a number is at most %d", maxExponent)
		}
		text = mantissa + "e" + strconv.Itoa(n)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, syntaxError(t.pos, "%q is not a number", t.text)
	}
	return r, nil
}

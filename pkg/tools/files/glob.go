package files

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/pkg/tools"
)

// compileGlob turns a file name pattern into a regular expression on paths. A
// pattern without a slash is matched with the last element of a path. In it,
//
//   - any characters but a slash
//     **       any characters; as **/ any folders, or none
//     ?        one character but a slash
//     [a-z]    one of these characters, [!a-z] none of these
//     {a,b}    a or b
//     \x       x itself
func compileGlob(pattern string) (*regexp.Regexp, error) {
	text, err := translateGlob(pattern, false)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(`\A(?s:` + text + `)\z`)
	if err != nil {
		return nil, fail(tools.ErrInvalidArguments, "", "the name pattern is not valid")
	}
	return re, nil
}

// translateGlob gives the expression for a pattern, without its ends. One that is
// anchored is matched from the beginning of a path even without a slash.
func translateGlob(pattern string, anchored bool) (string, error) { //nolint:revive // flag-parameter: the caller took the slash off
	g := &globParser{rest: pattern}
	if !anchored && !strings.Contains(pattern, "/") {
		g.out.WriteString(`(?:.*/)?`)
	}
	for g.rest != "" {
		if err := g.step(); err != nil {
			return "", err
		}
	}
	if g.braces > 0 {
		return "", fail(tools.ErrInvalidArguments, "", "the name pattern has a { without its }")
	}
	return g.out.String(), nil
}

// globParser translates a pattern from left to right.
type globParser struct {
	rest   string
	out    strings.Builder
	braces int
}

func (g *globParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(g.rest, prefix)
	if ok {
		g.rest = rest
	}
	return ok
}

// step translates the beginning of the rest.
func (g *globParser) step() error {
	switch {
	case g.take("**/"):
		g.out.WriteString(`(?:.*/)?`)
	case g.take("**"):
		g.out.WriteString(`.*`)
	case g.take("*"):
		g.out.WriteString(`[^/]*`)
	case g.take("?"):
		g.out.WriteString(`[^/]`)
	case g.take("["):
		return g.class()
	case g.take("{"):
		g.braces++
		g.out.WriteString(`(?:`)
	case g.braces > 0 && g.take("}"):
		g.braces--
		g.out.WriteString(`)`)
	case g.braces > 0 && g.take(","):
		g.out.WriteString(`|`)
	default:
		g.take(`\`)
		_, size := utf8.DecodeRuneInString(g.rest)
		literal := g.rest[:size]
		g.rest = g.rest[len(literal):]
		g.out.WriteString(regexp.QuoteMeta(literal))
	}
	return nil
}

// class translates the characters between brackets.
func (g *globParser) class() error {
	end := strings.IndexByte(g.rest, ']')
	if end <= 0 {
		return fail(tools.ErrInvalidArguments, "", "the name pattern has a [ without its ]")
	}
	set := g.rest[:end]
	g.rest = g.rest[end+1:]
	g.out.WriteString("[")
	if inner, negated := strings.CutPrefix(set, "!"); negated {
		g.out.WriteString("^/")
		set = inner
	}
	// Only the minus keeps its meaning.
	for _, r := range set {
		if strings.ContainsRune(`\[]^&`, r) {
			g.out.WriteString(`\`)
		}
		g.out.WriteRune(r)
	}
	g.out.WriteString("]")
	return nil
}

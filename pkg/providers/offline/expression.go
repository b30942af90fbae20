package offline

import (
	"regexp"
	"strings"
)

// arithmetic finds the expression in a sentence and writes it the way the tool
// calculator reads it.
type arithmetic struct {
	asked, tail, thousands, times, names, exponent, allowed, operation *regexp.Regexp
	spoken                                                             []replacement
	known, constants                                                   map[string]bool
}

// replacement is a way of saying an operation, and its spelling.
type replacement struct {
	pattern *regexp.Regexp
	with    string
}

const numeral = `(-?[\d.]+|\([^()]*\)|pi|e|tau)`

func arithmeticRule() rule {
	a := &arithmetic{
		asked:     regexp.MustCompile(`(?i)^(?:(?:tell me|show me|give me)\s+)?(?:(?:what(?:'s|’s|s| is| are| does| would be)?|how much (?:is|are|does|would be)|how many (?:is|are)|calculate|compute|evaluate|work out|solve|calc|eval|the (?:result|value) of|result of|value of|find)\s*:?\s+)+(?:the (?:result|value) of\s+)?`),
		tail:      regexp.MustCompile(`(?i)(?:\s*(?:=+|\bequals?(?: to)?\b|\bmake\b|\bplease\b|\?|,|\bfor me\b|\bin total\b)\s*|\s*\.\s*)+$`),
		thousands: regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+\b`),
		times:     regexp.MustCompile(`(\d|\))\s*[xX]\s*(\d|\()`),
		names:     regexp.MustCompile(`[A-Za-zπτ]+[0-9]?`),
		allowed:   regexp.MustCompile(`^[A-Za-zπτ\d\s.,_+\-*/%^!()×÷−·]+$`),
		operation: regexp.MustCompile(`[\d)πieu!%]\s*(?:[-+*/%^!×÷−·]|of\b)|[A-Za-z]\s*\(|^-`),
		exponent:  regexp.MustCompile(`(\d)[eE][+-]?\d+`),
		known:     map[string]bool{},
		constants: map[string]bool{"pi": true, "e": true, "tau": true, "π": true, "τ": true},
	}
	for name := range strings.FieldsSeq(
		"sqrt cbrt root abs sin cos tan asin acos atan log ln log2 exp pow min max floor ceil round mod gcd lcm fact percent pi e tau of π τ",
	) {
		a.known[name] = true
	}
	a.spoken = spokenOperations()
	return rule{regexp.MustCompile(`(?s)^(.+)$`), func(groups []string) []piece { return a.understand(groups[1]) }}
}

// spokenOperations are tried in order, each on the result of the one before.
func spokenOperations() []replacement {
	table := [][2]string{
		{`\bper ?cent\b`, `%`},
		{`\b(?:the )?(?:sum|total) of (.+?) and (.+)$`, `($1) + ($2)`},
		{`\b(?:the )?difference (?:of|between) (.+?) and (.+)$`, `($1) - ($2)`},
		{`\b(?:the )?product of (.+?) and (.+)$`, `($1) * ($2)`},
		{`\b(?:the )?square root of ` + numeral, `sqrt($1)`},
		{`\b(?:the )?(?:cube|cubic) root of ` + numeral, `cbrt($1)`},
		{`\b(?:the )?root of ` + numeral, `sqrt($1)`},
		{`\b(?:the )?factorial of ` + numeral, `fact($1)`},
		{numeral + `\s+factorial\b`, `fact($1)`},
		{`\b(?:the )?(?:natural )?log(?:arithm)? of ` + numeral, `log($1)`},
		{`\b(?:the )?(sin|cos|tan)(?:e|ine|gent)?(?: of)? ` + numeral, `$1($2)`},
		{`\bhalf of\b`, `1/2 of`},
		{`\ba (?:quarter|fourth) of\b`, `1/4 of`},
		{`\ba third of\b`, `1/3 of`},
		{numeral + `\s+squared\b`, `$1^2`},
		{numeral + `\s+cubed\b`, `$1^3`},
		{`\b(?:raised )?to the (?:power of|power)\b`, `^`},
		{`\braised to\b`, `^`},
		{`\bto the (\d+)(?:st|nd|rd|th)(?: power)?\b`, `^$1`},
		{`\bmultiplied (?:by|with)\b|\btimes\b`, `*`},
		{`\bdivided by\b|\bover\b`, `/`},
		{`\bplus\b`, `+`},
		{`\bminus\b|\bless\b`, `-`},
		{numeral + `\s+(?:modulo|mod)\s+` + numeral, `mod($1, $2)`},
	}
	for i, word := range strings.Fields(
		"zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen " +
			"nineteen twenty",
	) {
		table = append([][2]string{{`\b` + word + `\b`, itoa(i)}}, table...)
	}
	out := make([]replacement, len(table))
	for i, row := range table {
		out[i] = replacement{regexp.MustCompile(`(?i)` + row[0]), row[1]}
	}
	return out
}

func (a *arithmetic) understand(sentence string) []piece {
	asked := a.asked.FindString(sentence)
	text := a.tail.ReplaceAllString(sentence[len(asked):], "")
	if strings.HasSuffix(sentence, ".") && strings.HasSuffix(text, "!") {
		text = strings.TrimSuffix(text, ".")
	}
	for _, r := range a.spoken {
		text = r.pattern.ReplaceAllString(text, r.with)
	}
	text = a.times.ReplaceAllString(a.times.ReplaceAllString(text, "$1*$2"), "$1*$2")
	if !strings.Contains(text, "(") {
		text = a.thousands.ReplaceAllStringFunc(text, func(n string) string { return strings.ReplaceAll(n, ",", "") })
	}
	text = strings.TrimSpace(text)
	if !a.isExpression(text, asked != "") {
		return nil
	}
	return use("calculator", map[string]any{"expression": text})
}

// isExpression says whether text can be meant as arithmetic: known names only,
// a number, and an operation unless someone asked for its value.
func (a *arithmetic) isExpression(text string, asked bool) bool {
	if !a.allowed.MatchString(text) || strings.Count(text, "(") != strings.Count(text, ")") {
		return false
	}
	number := strings.ContainsAny(text, "0123456789")
	for _, name := range a.names.FindAllString(a.exponent.ReplaceAllString(text, "$1"), -1) {
		name = strings.ToLower(name)
		if !a.known[name] {
			return false
		}
		number = number || a.constants[name]
	}
	return number && (asked || a.operation.MatchString(text))
}

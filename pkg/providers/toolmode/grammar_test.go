package toolmode_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/pkg/providers"
	"parley/pkg/providers/providertest"
	"parley/pkg/providers/toolmode"
)

// TestGrammar asks a server that cannot read the schema: it gets a grammar instead, at once
// and for an hour.
func TestGrammar(t *testing.T) {
	t.Parallel()
	for _, mode := range []toolmode.Mode{toolmode.Auto, toolmode.JSONSchema} {
		var asks []string
		p := toolmode.New(scripted(func(q asked) (*providers.LLMResponse, error) {
			grammar, _ := q.options[toolmode.OptionGrammar].(string)
			switch {
			case native(q):
				return nil, refused("tools param requires --jinja flag")
			case q.options[toolmode.OptionFormat] != nil:
				asks = append(asks, "schema")
				return nil, &providers.Error{
					Kind: providers.KindOverloaded, Status: 500, Message: `"json_schema": JSON schema conversion failed: unknown keyword`,
				}
			case grammar != "":
				asks = append(asks, "grammar")
				return &providers.LLMResponse{Content: `{"calls":[{"tool":"probe","arguments":{"n":1}}]}`}, nil
			}
			asks = append(asks, "none")
			return &providers.LLMResponse{Content: "none"}, nil
		}), toolmode.Options{Mode: mode, Grammar: true})
		for range 2 {
			resp, err := p.Chat(t.Context(), user("x"), providertest.Tools(), "m", nil)
			if err != nil || len(resp.ToolCalls) != 1 {
				t.Fatalf("%+v, %v", resp, err)
			}
		}
		if got := strings.Join(asks, " "); got != "schema grammar grammar" {
			t.Errorf("%s: asked by %s", mode, got)
		}
	}
}

// TestGrammarFits reads the grammar for each choice as llama.cpp does, and tries answers.
func TestGrammarFits(t *testing.T) {
	t.Parallel()
	const text, probe = `{"answer":"a \"b\" é \u00e9\n"}`, `{"calls": [{"tool": "probe", "arguments": {"n": -1.5e3, "m": [true, null, {}]}}]}`
	const other = "{\n  \"calls\":[{\"tool\":\"other\",\"arguments\":{}},{\"tool\":\"other\",\"arguments\":{\"a\":\"\"}}]\n}"
	two := append(providertest.Tools(), providertest.Tools()...)
	two[1].Function.Name = "other"
	for _, c := range []struct {
		choice   any
		fit, not []string
	}{
		{nil, []string{text, probe, other}, []string{"", "Hello.", `{"answer":1}`, `{"calls":[]}`, text + "x", `{"answer":"a` + "\n" + `"}`}},
		{"none", []string{text}, []string{probe}},
		{"required", []string{probe, other}, []string{text}},
		{map[string]any{"name": "other"}, []string{other}, []string{text, probe, `{"calls":[{"tool":"gone","arguments":{}}]}`}},
	} {
		var g grammar
		p := toolmode.New(scripted(func(q asked) (*providers.LLMResponse, error) {
			if q.options[toolmode.OptionFormat] != nil {
				return nil, refused("grammar: schema not supported")
			}
			text, _ := q.options[toolmode.OptionGrammar].(string)
			g = parse(t, text)
			return &providers.LLMResponse{}, nil
		}), toolmode.Options{Mode: toolmode.JSONSchema, Grammar: true})
		if _, err := p.Chat(t.Context(), user("x"), two, "m", map[string]any{"tool_choice": c.choice}); err != nil {
			t.Fatal(err)
		}
		for _, answer := range c.fit {
			if !g.fits(answer) {
				t.Errorf("choice %v: the grammar refuses %q", c.choice, answer)
			}
		}
		for _, answer := range c.not {
			if g.fits(answer) {
				t.Errorf("choice %v: the grammar allows %q", c.choice, answer)
			}
		}
	}
}

// grammar is the rules of a grammar in llama.cpp's notation, each as its text.
type grammar map[string]string

func parse(t *testing.T, text string) grammar {
	t.Helper()
	g := grammar{}
	for line := range strings.Lines(text) {
		name, rule, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ::= ")
		if !ok || g[name] != "" {
			t.Fatalf("the rule %q cannot be read", line)
		}
		g[name] = rule
	}
	return g
}

// fits says whether a text is one that the grammar derives.
func (g grammar) fits(text string) bool {
	return slices.Contains(g.alternatives(g["root"], text, []int{0}), len(text))
}

// alternatives gives the places that a rule can lead to from others.
func (g grammar) alternatives(rule, text string, from []int) []int {
	var ends []int
	for _, sequence := range cut(rule, '|') {
		at := from
		for _, item := range cut(sequence, ' ') {
			if len(at) == 0 {
				break
			}
			at = g.item(item, text, at)
		}
		ends = merge(ends, at)
	}
	return ends
}

// item matches a term with its mark of repetition.
func (g grammar) item(item, text string, from []int) []int {
	mark := item[len(item)-1]
	if !strings.ContainsRune("?*+", rune(mark)) {
		return g.term(item, text, from)
	}
	term := item[:len(item)-1]
	next := g.term(term, text, from)
	if mark == '?' {
		return merge(from, next)
	}
	var all []int
	if mark == '*' {
		all = from
	}
	for {
		grown := merge(all, next)
		if len(grown) == len(all) {
			return all
		}
		all, next = grown, g.term(term, text, next)
	}
}

func (g grammar) term(term, text string, from []int) []int {
	var ends []int
	switch term[0] {
	case '(':
		return g.alternatives(term[1:len(term)-1], text, from)
	case '"':
		literal := strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(term[1 : len(term)-1])
		for _, at := range from {
			if strings.HasPrefix(text[at:], literal) {
				ends = merge(ends, []int{at + len(literal)})
			}
		}
	case '[':
		for _, at := range from {
			if r, size := utf8.DecodeRuneInString(text[at:]); size > 0 && inClass(term[1:len(term)-1], r) {
				ends = merge(ends, []int{at + size})
			}
		}
	default:
		return g.alternatives(g[term], text, from)
	}
	return ends
}

// inClass says whether a letter is in a class such as ^"\\\x00-\x1F or a-z.
func inClass(class string, r rune) bool {
	class, not := strings.CutPrefix(class, "^")
	class = strings.NewReplacer(`\\`, "\x01", `\x00`, "\x00", `\x1F`, "\x1f").Replace(class)
	in := false
	for letters := []rune(class); len(letters) > 0; {
		low := letters[0]
		high := low
		letters = letters[1:]
		if len(letters) > 1 && letters[0] == '-' {
			high, letters = letters[1], letters[2:]
		}
		if low == '\x01' {
			low, high = '\\', '\\'
		}
		in = in || low <= r && r <= high
	}
	return in != not
}

// cut splits a rule outside of texts, classes and brackets.
func cut(rule string, at byte) []string {
	var parts []string
	depth, quoted, class, from := 0, false, false, 0
	for i := 0; i < len(rule); i++ {
		switch c := rule[i]; {
		case c == '\\':
			i++
		case quoted:
			quoted = c != '"'
		case class:
			class = c != ']'
		case c == '"':
			quoted = true
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == at && depth == 0:
			parts, from = append(parts, strings.TrimSpace(rule[from:i])), i+1
		}
	}
	parts = append(parts, strings.TrimSpace(rule[from:]))
	filled := parts[:0]
	for _, p := range parts {
		if p != "" {
			filled = append(filled, p)
		}
	}
	return filled
}

func merge(a, b []int) []int {
	out := append([]int{}, a...)
	for _, n := range b {
		known := false
		for _, m := range out {
			known = known || m == n
		}
		if !known {
			out = append(out, n)
		}
	}
	return out
}

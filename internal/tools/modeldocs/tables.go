package modeldocs

import (
	"fmt"
	"strconv"
	"strings"

	"parley/pkg/providers/kinds"
)

// serverTable is the table of the servers.
func serverTable() string {
	var b strings.Builder
	b.WriteString("| `kind` | server | known by | key in | limit of an answer | left out " +
		"| `tool_choice` up to | reasoning sent back |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	rows := kinds.Servers()
	for i := range rows {
		k, t := &rows[i], &rows[i].Traits
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | `%s` | %s | `%s` | %s |\n", k.Name, k.Title, code(k.Hosts), code(list(k.Key)),
			or(t.MaxTokens, "max_tokens"), code(t.Refuses), or(string(t.Choice), string(kinds.ChoiceNamed)), thinking(t, "family"))
	}
	return b.String()
}

// familyTable is the table of the families of models.
func familyTable() string {
	var b strings.Builder
	b.WriteString("| `kind` | family | names that begin with | pictures | context | left out | reasoning sent back " +
		"| calls in its text | `tool_mode` |\n|---|---|---|---|---|---|---|---|---|\n")
	rows := kinds.Families()
	for i := range rows {
		k, t := &rows[i], &rows[i].Traits
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n", k.Name, k.Title, code(k.Models),
			or(string(t.Images), "as the server"), size(t.Context), code(t.Refuses), thinking(t, "server"), forms(t.Spoken), or(t.ToolMode, "auto"))
	}
	return b.String()
}

// forms is a list of the forms of calls in a text.
func forms(all []kinds.Form) string {
	words := make([]string, len(all))
	for i, f := range all {
		words[i] = string(f)
	}
	return or(strings.Join(words, ", "), "–")
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// code is a list of words, each as code.
func code(words []string) string {
	if len(words) == 0 {
		return "–"
	}
	return "`" + strings.Join(words, "`, `") + "`"
}

// thinking tells which reasoning goes back; other is the row that decides if t does not.
func thinking(t *kinds.Traits, other string) string {
	switch t.Thinking {
	case kinds.ThinkingTurn, kinds.ThinkingGiven, kinds.ThinkingAlways:
		words := map[kinds.Thinking]string{
			kinds.ThinkingTurn: "of the turn", kinds.ThinkingGiven: "all", kinds.ThinkingAlways: "with every message",
		}
		return fmt.Sprintf("%s, in %#q", words[t.Thinking], or(string(t.ThinkingField), string(kinds.FieldReasoningContent)))
	case kinds.ThinkingNever:
		return "–"
	}
	return "as the " + other
}

// size is a number of tokens.
func size(n int) string {
	if n == 0 {
		return "–"
	}
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/text"
	"parley/pkg/tools"
)

// The limits of a program's variables: bytes of a fact of its call, bytes of an
// argument, and the number of arguments.
const (
	maxFact      = 1 << 10
	maxVariable  = 4 << 10
	maxVariables = 64
)

// environment returns a program's variables: the facts of its call as PARLEY_*, and
// each argument that is a text, a number or a truth value as PARLEY_ARG_NAME. A
// longer argument, or one with a NUL, is in the JSON only.
func environment(t *Tool, inv tools.Invocation, args map[string]any) []string {
	env := []string{"PARLEY_TOOL_DIR=" + t.dir, "PARLEY_SPACE=" + inv.Space}
	for _, v := range [][2]string{
		{"TOOL", t.manifest.Name},
		{"CHANNEL", inv.Channel},
		{"ACCOUNT", inv.Account},
		{"CHAT", inv.Chat},
		{"THREAD", inv.Thread},
		{"SENDER", inv.Sender},
		{"SESSION", inv.Session},
		{"TURN", inv.Turn},
		{"CALL", inv.CallID},
		{"KEY", inv.Key},
		{"LEVEL", string(inv.Level)},
	} {
		env = append(env, "PARLEY_"+v[0]+"="+fact(v[1]))
	}
	count := 0
	for _, name := range sorted(args) {
		if value, ok := variable(args[name]); ok && count < maxVariables && variableName(name) {
			env = append(env, "PARLEY_ARG_"+name+"="+value)
			count++
		}
	}
	return env
}

// fact makes an id that another system or a model chose safe for a shell's line.
func fact(s string) string { return text.ClipBytes(visible(strings.ToValidUTF8(s, "\uFFFD")), maxFact) }

func variableName(name string) bool {
	return ValidName(name) && !strings.Contains(name, "-")
}

func variable(v any) (string, bool) {
	var value string
	switch v := v.(type) {
	case string:
		value = v
	case bool:
		value = strconv.FormatBool(v)
	case json.Number:
		value = v.String()
	case float64:
		value = strconv.FormatFloat(v, 'f', -1, 64)
	case int, int64, uint64:
		value = fmt.Sprint(v)
	default:
		return "", false
	}
	return value, len(value) <= maxVariable && !slices.Contains([]byte(value), 0)
}

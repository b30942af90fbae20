package command

import (
	"fmt"
	"slices"
	"strings"

	"parley/pkg/agent/turn"
)

// offered are the commands of the chat of a turn.
func offered(t *turn.Turn, o *Options) []Command {
	return slices.DeleteFunc(List(), func(c Command) bool { return c.Needs != "" && !o.Has(t.Origin.Address, c.Needs) })
}

// help lists them.
func help(t *turn.Turn, o *Options) string {
	var b strings.Builder
	b.WriteString(textHelp)
	for _, c := range offered(t, o) {
		b.WriteString(c.Usage(t.Typed(c.Name)) + " - " + c.Does + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// unknown answers a command that there is not.
func unknown(t *turn.Turn, o *Options, name string) string {
	all, near := offered(t, o), []string(nil)
	for _, other := range Near(name) {
		if slices.ContainsFunc(all, func(c Command) bool { return c.Name == other }) {
			near = append(near, t.Typed(other))
		}
	}
	if len(near) == 0 {
		return fmt.Sprintf(textUnknown, t.Typed(name), t.Typed("help"), name)
	}
	return fmt.Sprintf(textDidYouMean, t.Typed(name), strings.Join(near, textOr), t.Typed("help"))
}

// surplus refuses a command that takes no words and would not be undone easily; "" for others.
func surplus(t *turn.Turn, name, arg string) string {
	if arg == "" || !slices.Contains([]string{"new", retryCommand, "undo", "compact", "forget"}, name) {
		return ""
	}
	return fmt.Sprintf(textAlone, t.Typed(name), t.Typed(name))
}

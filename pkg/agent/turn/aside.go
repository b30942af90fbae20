package turn

import (
	"fmt"
	"slices"
	"strings"

	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/visible"
)

// maxNamed is how much of a message is repeated that was set aside, in characters.
const maxNamed = 80

// allItems are the items of the turn, with those that joined it in an earlier attempt.
func allItems(t *Turn) []session.Item {
	all := slices.Clone(t.Info.Items)
	for i := range t.Info.Steps {
		all = append(all, t.Info.Steps[i].Items...)
	}
	return all
}

// setAside tells people which of their messages are not answered.
func setAside(items []session.Item) string {
	if len(items) == 1 {
		return textSetAside
	}
	var said strings.Builder
	fmt.Fprintf(&said, textAllSetAside, len(items))
	for i := range items {
		if in := items[i].Inbound; in != nil {
			said.WriteString("\n“" + visible.Text(text.Clip(strings.Join(strings.Fields(in.Words()), " "), maxNamed)) + "”")
		}
	}
	return said.String()
}

package tools

import (
	"slices"
	"strings"
)

// maxCause bounds what a line of the log says of a failure, in bytes.
const maxCause = 500

// cause is why a call failed, fit for a line of the log that everybody reads.
func (c *running) cause(err error) string {
	texts := textsIn(nil, c.request.call.Arguments)
	for i, s := range texts {
		texts[i] = c.registry.redacted(s)
	}
	// A secret is found as long as it is whole.
	return clip(withoutTexts(c.registry.redacted(err.Error()), texts), maxCause)
}

// withoutTexts is the cause of a failure without the texts of the call's arguments,
// which the log shows at debug only: each is […]. Of a cause that repeats a part of one
// it says so alone.
func withoutTexts(cause string, said []string) string {
	const part = 12                                                         // bytes of a beginning that tell a text from others
	said = slices.DeleteFunc(said, func(s string) bool { return s == "" })  // all of it was a secret
	slices.SortFunc(said, func(a, b string) int { return len(b) - len(a) }) // one may begin with another
	pairs := make([]string, 0, 2*len(said))
	for _, s := range said {
		if len(s) <= len(cause) {
			pairs = append(pairs, s, "[…]")
		}
	}
	cause = strings.NewReplacer(pairs...).Replace(cause)
	for _, s := range said {
		if strings.Contains(cause, s[:min(len(s), part)]) {
			return "it repeats an argument; the level debug shows it"
		}
	}
	return cause
}

// textsIn adds the texts in v that are long enough to be told from others.
func textsIn(said []string, v any) []string {
	const shortest = 4
	switch v := v.(type) {
	case string:
		if len(v) >= shortest {
			said = append(said, v)
		}
	case map[string]any:
		for _, e := range v {
			said = textsIn(said, e)
		}
	case []any:
		for _, e := range v {
			said = textsIn(said, e)
		}
	}
	return said
}

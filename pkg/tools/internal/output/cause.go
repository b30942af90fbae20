package output

import (
	"slices"
	"strings"

	"parley/pkg/text"
)

// maxCause bounds the reason of a failure in a line of the log, in bytes.
const maxCause = 500

// Cause words why a call failed for a line of the log that every operator reads: it
// leaves out secrets and the texts of the call's arguments.
func Cause(err error, args map[string]any, redact func(string) string) string {
	texts := textsIn(nil, args)
	for i, s := range texts {
		texts[i] = redact(s)
	}
	// The redactor finds a secret only while the secret is whole.
	return text.ClipBytes(withoutTexts(redact(err.Error()), texts), maxCause)
}

// withoutTexts replaces the texts of the call's arguments in a cause by […]. A cause
// that repeats a part of one is left out whole: the log shows it at debug only.
func withoutTexts(cause string, said []string) string {
	const part = 12                                                         // bytes of a beginning that identify a text
	said = slices.DeleteFunc(said, func(s string) bool { return s == "" })  // the whole text was a secret
	slices.SortFunc(said, func(a, b string) int { return len(b) - len(a) }) // one text may begin with another
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

// textsIn adds the texts in v that are long enough to be recognised.
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

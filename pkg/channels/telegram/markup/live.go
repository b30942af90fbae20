package markup

import (
	"strings"
	"unicode"

	"parley/pkg/channels/markdown"
)

// Telegram makes links of some addresses by itself, wherever in a text they are. Those
// to the web may be links; the others become code, in which Telegram makes no links.

// liveSchemes are those others. No scheme ends another one behind it.
func liveSchemes() []string { return []string{"tonsite", "ton", "tg", "ftp"} }

// addressMark is the mark behind a scheme.
const addressMark = "://"

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

// live are the stretches of text of which Telegram would make links that do not
// lead to the web, or a little more.
func live(text string) []stretch {
	var all []stretch
	for at := 0; ; {
		i := strings.Index(text[at:], addressMark)
		if i < 0 {
			return all
		}
		mark := at + i
		scheme := liveScheme(text[at:mark])
		at = mark + len(addressMark)
		if scheme > 0 {
			at = addressEnd(text, at)
			all = append(all, stretch{mark - scheme, at})
		}
	}
}

// liveScheme is how many bytes at the end of s are such a scheme.
func liveScheme(s string) int {
	for _, scheme := range liveSchemes() {
		if from := len(s) - len(scheme); from >= 0 && strings.EqualFold(s[from:], scheme) {
			return len(scheme)
		}
	}
	return 0
}

// addressEnd is where the address ends that goes on at a byte of text.
func addressEnd(text string, at int) int {
	rest := text[at:]
	if n := strings.IndexFunc(rest, func(r rune) bool {
		return unicode.IsSpace(r) || '\u2000' <= r && r <= '\u206F' || strings.ContainsRune(`<>"«»`, r)
	}); n >= 0 {
		rest = rest[:n]
	}
	return at + len(strings.TrimRight(rest, ".:;,('?!`)]}"))
}

// disarm are spans of a text in which what is live is code, unless it is linked
// already. A secret gives way to that.
func disarm(spans []markdown.Span, all []stretch) []markdown.Span {
	var out []markdown.Span
	from := 0
	for _, s := range spans {
		for s.Look.Href == "" && len(all) > 0 && all[0].from < s.End {
			if all[0].from > from {
				from = all[0].from
				out = append(out, markdown.Span{End: from, Look: s.Look})
			}
			from = min(s.End, all[0].to)
			out = append(out, markdown.Span{End: from, Look: look{Style: markdown.Code}})
			if all[0].to > s.End {
				break
			}
			all = all[1:]
		}
		if s.End > from {
			from = s.End
			out = append(out, s)
		}
		for len(all) > 0 && all[0].to <= from {
			all = all[1:]
		}
	}
	return out
}

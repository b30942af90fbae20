package outbound

import (
	"strings"
	"unicode/utf8"
)

const (
	// The longest part, in code points of either markup. Slack recommends
	// 4,000 for a text, cuts above 40,000, and takes 12,000 in markdown blocks.
	maxText = 3900
	// The largest file that Slack takes.
	maxUpload = 1 << 30
	// How many messages may go to a channel at once. Slack's page on
	// rate limits allows one a second and short bursts above that, without a number.
	chatBurst = 3
)

// escapedLen counts code points as Slack does, of a text with & < > written as entities.
func escapedLen(s string) int {
	return utf8.RuneCountInString(s) + 4*strings.Count(s, "&") + 3*(strings.Count(s, "<")+strings.Count(s, ">"))
}

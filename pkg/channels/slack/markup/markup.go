package markup

import (
	"strings"
	"unicode/utf8"

	"parley/pkg/channels"
)

// maxPart is how many code points a part has once it is escaped. Slack recommends
// 4,000 for a message, and takes 12,000 in markdown blocks.
const maxPart = 3900

// Split cuts Markdown into parts, each the Markdown of one message: at most 3,900
// code points once escaped for Slack, none blank, nothing lost.
func Split(markdown string) []string {
	return channels.SplitText(strings.ToValidUTF8(markdown, "\uFFFD"), maxPart, func(s string) int {
		return utf8.RuneCountInString(escape(s))
	})
}

// Mrkdwn writes a part in Slack's own markup, with & < > escaped, so that nothing
// in it notifies anybody.
func Mrkdwn(part string) string { return escape(part) }

// Block is the part as the text of a markdown block: same safety, standard Markdown.
func Block(part string) string { return escape(part) }

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

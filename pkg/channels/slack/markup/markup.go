package markup

// maxPart is how many code points a part has in either markup. Slack recommends
// 4,000 for the text of a message, and takes 12,000 in all markdown blocks of one.
const maxPart = 3900

// Split cuts Markdown into parts, each the Markdown of one message: at most 3,900
// code points in the results of [Block] and [Mrkdwn], without blank parts and without
// loss. A text without a visible character has no parts.
func Split(markdown string) []string { return pack(read(markdown)) }

// Mrkdwn writes a part in Slack's own markup: for the text of a message, which
// notifications also show, and for text objects. A table is a block of code with its
// links below it, a heading is bold. The text of a section should be verbatim all the
// same, or Slack links names and addresses in it by itself.
func Mrkdwn(part string) string { return native(read(part)) }

// Block is the part as the text of a block of the type markdown, or as markdown_text:
// standard Markdown with headings, lists, tasks, quotations, tables, code and links.
// The package's comment explains how it is kept from notifying people.
func Block(part string) string { return disarm(faithful(read(part))) }

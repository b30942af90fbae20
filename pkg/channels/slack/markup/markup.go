package markup

// maxPart is how many code points a part has once it is escaped. Slack recommends
// 4,000 for a message, and takes 12,000 in its markdown blocks.
const maxPart = 3900

// Split cuts Markdown into parts, each the Markdown of one message: at most 3,900
// code points in what [Block] and [Mrkdwn] make of it, none blank, nothing lost. A
// text without anything to see has no parts.
func Split(markdown string) []string { return pack(read(markdown)) }

// Mrkdwn writes a part in Slack's own markup, for the text of a message and for
// text objects.
func Mrkdwn(part string) string { return native(read(part)) }

// Block is the part as the text of a block of the type markdown, or of markdown_text.
func Block(part string) string { return disarm(standard(read(part))) }

// Package markup turns Markdown as language models write it into Slack's formats, and the
// text of Slack's messages into plain text. It is pure: no I/O, no state.
//
// [Split] cuts a text into parts, each the Markdown of one message, and [Block] and
// [Mrkdwn] write a part: standard Markdown for blocks of the type markdown, and Slack's own
// markup for the text of a message and for text objects. For every text, hostile ones
// included, they promise:
//
//   - A part has at most 3,900 code points in either markup, and a visible character.
//   - No text is lost: the words of the parts are those of the text. Raw HTML is shown as
//     it was written, and so is an unused definition of a link. A target that is not linked
//     stands in brackets behind its text. Invisible characters, such as control characters
//     and marks of direction, are removed.
//   - It cannot notify people, and its links lead only to http, https or mailto addresses.
//     An image is a link to it.
//   - The time is linear in the length of the text, as is the length of the result.
//
// A part ends between blocks if it can, and a block that fits into a part is not cut. A
// heading is not left behind at the end of one. Code that continues in the next part is
// opened again there with its language, a table with its head, a quotation too; items of a
// list keep their numbers. A paragraph is cut between lines, sentences, words, graphemes,
// code points, in this order.
//
// # Safety
//
// Slack's documentation of formatting says that & < > are its control characters in Slack's
// own markup, and that text with these three written as entities is shown and not parsed,
// in code too: <@U…>, <#C…>, <!here>, <!subteam^…> call people only with a real <. [Mrkdwn]
// does that and has no < but that of its own links.
//
// Of blocks of the type markdown it says only that the text is standard Markdown, and a
// reference in one does notify. It does not say whether references are found before or
// after the reading of Markdown, and whether in code. Before it, an escape like \< or code
// would not help; after it, an entity would not. So [Block] does two things. Outside of
// code, < is &lt;. Everywhere, a zero-width space follows a < in any of its spellings if
// the next character, an @, # or !, would make it a reference. In either order of reading,
// no reference is there. Code keeps its plain <, as Markdown shows an entity there as it is
// written; only code that spells a reference has the extra character. @here and the like,
// which Slack makes live where names are linked, get one too.
//
// Slack's own markup has no escape for * _ ~ and the backtick. A literal one gets a
// zero-width space behind it: a copy of the text has all its letters, while substitutes
// like U+2217 would change the text. One that Slack cannot read as markup stays clean: with
// blanks around it, within a word, or the only one in its block. In a block of code the
// same goes for backticks in a row. The space is always ours: it is removed from texts
// first.
//
// # To change it
//
// A text goes through pkg/channels/markdown, which makes blocks of it, and dialect.go
// (the forms that Slack can show), then either pack.go and cost.go (parts), standard.go
// and escape.go (Markdown) or mrkdwn.go (Slack's own). The way in is read.go. To add
// another element of Markdown, give both writers a way to write its block.
package markup

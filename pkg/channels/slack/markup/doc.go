// Package markup turns Markdown as language models write it into what Slack shows,
// and the text of Slack's messages into plain text. It is pure: no I/O, no state.
//
// [Split] cuts a text into parts, each the Markdown of one message, and [Block] and
// [Mrkdwn] write a part: standard Markdown for blocks of the type markdown, and
// Slack's own markup for the text of a message and for text objects. For every
// text, hostile ones included, they promise:
//
//   - A part has at most 3,900 code points in either markup, and shows something.
//   - Nothing is lost: the words of the parts are those of the text. Raw HTML is
//     shown as it was written, and so is a definition of a link that nobody uses.
//     A target that is not linked stands in brackets behind its text. What shows
//     nothing, such as control characters and marks of direction, is taken out.
//   - Nothing in it notifies anybody, or leads elsewhere than to an http, https or
//     mailto address. An image is a link to it.
//   - The time is linear in the length of the text, as is the length of the result.
//
// A part ends between blocks if it can, and a block that fits into a part is not
// cut. A heading is not left behind at the end of one. Code that goes on in the
// next part is opened again there with its language, a table with its head, a
// quotation too; items of a list keep their numbers. A paragraph is cut between
// lines, sentences, words, graphemes, code points, in this order.
//
// # Safety
//
// Slack's documentation of formatting says that & < > are its control characters in
// Slack's own markup, and that text with these three written as entities is shown and
// never parsed, in code too: <@U…>, <#C…>, <!here>, <!subteam^…> call people only
// with a real <. [Mrkdwn] does that and has no < but that of its own links.
//
// Of blocks of the type markdown it says only that the text is standard Markdown,
// and a reference in one does notify. It does not say whether references are looked
// for before Markdown is read or behind it, nor whether in code. Before it, an escape
// like \< or code would not help; behind it, an entity would not. So [Block] does two
// things: outside of code, < is &lt;, and everywhere a zero-width space stands before what
// follows a < in any of its spellings and makes it a reference, an @, # or !. Whatever
// is done first, no reference is there. Code keeps its plain <, as Markdown shows an entity
// there as it is written; only code that spells a reference has the extra character.
// @here and the like, which Slack makes live where names are linked, get one too.
//
// Slack's own markup has no escape for * _ ~ and the backtick. A literal one gets a
// zero-width space behind it: what is copied has all its letters, and substitutes
// like U+2217 would not be what was written. One that Slack cannot read as markup
// stays clean: with blanks around it, within a word, or the only one in its block.
// In a block of code the same goes for backticks in a row. The space is only ever
// ours: it is taken out of texts first.
//
// # To change it
//
// A text goes through clean.go, pkg/channels/markdown (goldmark, bounded), tree.go
// and table.go (the walk over its tree, which makes blocks), then either pack.go and
// cost.go (parts), standard.go and escape.go (Markdown) or mrkdwn.go (Slack's own).
// The way in is read.go. To add something that Markdown can say, give tree.go a case
// for its node and both writers a way to say it.
package markup

// Package markup turns Markdown as language models write it into the HTML that Telegram's Bot
// API takes, cut into parts that fit into one message each. It is pure: no I/O, no state.
//
// [Render] promises, for every text, hostile ones included:
//
//   - Each part is complete HTML by Telegram's rules: known tags only, properly nested, no
//     quotation within a quotation, no tag within code.
//   - Each part shows at most limit UTF-16 units, holds at most 100 entities (Telegram ignores
//     the rest) and at most 6 bytes of HTML per unit of limit, but 4,096 bytes in any case
//     (Telegram refuses requests over 32 KiB).
//   - No part is blank, and a text with a visible character has a part.
//   - No text is lost: without white space, the text of the parts is the text of the Markdown
//     as a person reads it. Raw HTML is shown as it was written. A target that is not http or
//     https stands in brackets behind its text. The links of a table follow it. Cells beyond
//     the header's are kept, and so is an unused link definition. Characters that Telegram
//     itself removes from a text, such as control characters and bidirectional overrides, are
//     removed.
//   - Every link leads to the web: other addresses of which Telegram makes links by itself,
//     like tg://, are code.
//   - The time is linear in the length of the text, as is the length of the result: nesting,
//     markers in one paragraph, cells of a table and bytes of link targets are bounded. Text
//     beyond a bound is shown as it was written.
//
// A part ends between blocks if it can: paragraphs before list items before lines, sentences,
// words, graphemes, code points, and a heading is not left behind at the end of one. Code and
// tables that continue in the next part are opened again there, with the language and with the
// header row.
//
// The text goes through pkg/channels/markdown, which makes blocks of it, layout.go and
// paragraph.go (lists, headings and tables as lines of text), live.go (addresses that must not be
// links), pack.go and cut.go (parts) and write.go (HTML). To add a kind of block, give layout.block
// a case for it; to add a style, give tagsOf a tag for it.
package markup

// Package markdown turns Markdown as language models write it into blocks, for the adapters that
// write these in the format of their platform.
//
// [Read] makes the blocks: paragraphs, headings, code, tables and rules with the lists
// and quotations around them, and text as stretches of one look. A [Dialect] lists the
// forms that the platform can show. [Prose.Fit] and [Prose.Cut] find the place at which
// a text is cut that is too long for a message. Each platform fills its messages by its
// own rule: Slack cuts a block only if it is longer than a message, and Telegram, with
// limits that count entities too, fills up its messages.
//
// It promises that the time is linear in the length of the text, hostile ones included: nesting,
// markers in one paragraph, cells of a table, definitions of links and bytes of link targets are
// bounded, and elements beyond a bound are text. No text is lost in the blocks but the characters
// that [Clean] removes. The packages that write the blocks test that, pkg/channels/*/markup.
//
// A text goes through clean.go, parse.go (goldmark, with our bounds), read.go and inline.go (the
// walk over its tree) and cut.go. To add an element of every platform, add goldmark's parser for it
// to gfm, counted, and a case for its node to the walk; an element of one platform is a parser
// more, as spoilers are.
package markdown

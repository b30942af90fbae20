// Package markdown reads Markdown as language models write it, for the adapters that
// turn it into what their platform shows: goldmark, with bounds.
//
// It promises that the time is linear in the length of the text, hostile ones
// included: nesting, markers in one paragraph, cells of a table and definitions of
// links are bounded, and what is beyond a bound is text. What it makes of a text is
// tested in the packages that write it, pkg/channels/*/markup.
//
// To add something that every platform can say, add goldmark's parser for it to gfm,
// counted; what one platform alone can say is a parser more, as spoilers are.
package markdown

// Package markdown reads Markdown as language models write it, for the adapters that
// turn it into the format of their platform: goldmark, with bounds.
//
// It promises that the time is linear in the length of the text, hostile ones
// included: nesting, markers in one paragraph, cells of a table and definitions of
// links are bounded, and elements beyond a bound are text. The packages that write
// its results test them, pkg/channels/*/markup.
//
// To add an element of every platform, add goldmark's parser for it to gfm, counted;
// an element of one platform is a parser more, as spoilers are.
package markdown

// Package markup turns Markdown as language models write it into what Slack shows,
// and the text of Slack's messages into plain text. It is pure: no I/O, no state.
package markup

// Package passage splits documents into passages: pieces that a search can find and a person can look
// up, each with its lines and the headings above it.
//
// It promises that the passages have every line of the document that is not blank, in order and once,
// apart from headings, which are above their text, or are a passage where neither a text nor a lower
// heading follows; that a passage has at most [Most] bytes; and that only a line that is longer than
// that is cut, between words where spaces or signs tell them, never within a letter. [Markdown] knows
// headings, [Text] takes every line as it is. A reader of another format hands over Markdown or text.
package passage

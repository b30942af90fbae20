// Package prose counts two habits that make prose hard to read: the pronouns "what",
// "who", "whose" and "whoever", and the negations "nothing", "nobody", "none",
// "never" and "neither". Its text is the comments of the Go files, room by room, and the pages in
// Markdown.
//
// It promises to count words of prose alone: code and quotations are left
// out. A count is a guide and the reader is the judge: it fails no build.
package prose

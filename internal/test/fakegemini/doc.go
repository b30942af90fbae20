// Package fakegemini is a strict server of Google's generateContent protocol for tests,
// over real HTTP, streaming and not.
//
// It promises to be at least as strict as the real servers: an unknown field, a keyword
// that a schema of the protocol lacks, a call without its result behind it, contents in
// an order that the protocol refuses, or a signature of thoughts that is missing or was
// not given out are HTTP 400 in the words of the real server, and counted as a violation.
//
// Its [Rules] check requests for other servers too. To add one: a check in contents.go or
// schema.go. To add a shape of an answer: a
// field of [Reply].
package fakegemini

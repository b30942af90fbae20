// Package gemini asks Google's Gemini models through their native protocol: the Gemini
// API, and Vertex AI by a base URL, a path form and a bearer token.
//
// It promises:
//
//   - One call of Chat or ChatStream is one answer. It asks again by itself only if a
//     server refused a signature, an id or the thinking options as such, before any part
//     of an answer. Every other retry is [providers.Retry]'s.
//   - Thought signatures return to the part that they came with, as long as the same
//     model of the same server is asked. The calls of other models carry the value by
//     which the protocol skips the check.
//   - A stream counts only if it ended properly: with a finish reason, or with the reason
//     for which the prompt was blocked.
//   - An answer that a filter stopped before its first word is an error of KindFiltered,
//     or of KindRecited where the answer repeated a published text.
//   - A tool's schema is reduced to the keywords that the protocol knows. A bound without
//     such a keyword is said in the description.
//
// Room exchange does the HTTP part. The files here are one translation each: contents.go
// and request.go for the request, schema.go for the tools, answer.go for the answer.
//
// To follow a change of the protocol: add the recorded shape to the table of the file
// that translates it, then the code.
package gemini

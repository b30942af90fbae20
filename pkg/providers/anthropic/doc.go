// Package anthropic asks Claude models, and servers that speak their protocol, through
// the Messages API: Anthropic's own, Vertex AI by a base URL, a path form and a bearer
// token, and the compatible addresses of other hosts.
//
// It promises:
//
//   - One call of Chat or ChatStream is one answer. It asks again by itself only if a
//     server refused a parameter or a thinking block as such, before any part of an
//     answer, or paused its own long turn. Every other retry is the caller's.
//   - A stream counts only if it told its stop reason. Any other end is an error of
//     KindCut.
//   - Thinking, redacted thinking and blocks of unknown kinds return to the same model
//     of the same server, with their signatures and at their places. Other models do
//     not see them.
//   - All results of one answer's calls are in one user message, in the order of the
//     calls.
//   - The tools, the instructions and the history before the newest message are marked
//     for the server's cache, so that an unchanged beginning is paid once.
//   - No environment variable and no file decides about a request.
//
// The SDK encodes the settings and makes the request, behind an HTTP client of our own
// (doer.go) over room exchange. The other files are one translation each: request.go,
// thinking.go, tools.go, messages.go and layout.go for the request, answer.go for the
// answer, quirks.go for the refusals that teach.
//
// To support one more deviation of a server: add its recorded shape to the table of
// the file that translates it, then the code.
package anthropic

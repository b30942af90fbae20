// Package cassette replays recorded traffic of model servers against the adapters.
//
// A [Cassette] is one recorded conversation: requests that another client sent, and the
// answers that the server gave. [Play] has a provider hold that conversation with a
// server on this machine, which sends the recorded answers in small pieces. It promises
// to find any difference in
//
//   - each answer: text, reasoning, calls and usage, as a decoder of the simplest kind
//     reads them from the recording, and the text that is emitted meanwhile;
//   - each request: roles, grouping, texts, calls, ids, results, signatures and tools. The
//     messages between two requests go through the stored form, as a session's do.
//
// [Suite] describes a wire for the conformance suite over HTTP; its answers are written
// here, and its requests are read by the same readers.
//
// To add a wire: a file with a reader of its requests and one of its answers, and a
// writer in render.go.
package cassette

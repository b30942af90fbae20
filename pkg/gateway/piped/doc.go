// Package piped knows when the messages of a piped console are done: each has its
// outcome, and its answers have left. A [Tracker] stands in front of the engine, so that
// it sees items come in, turns end and messages leave.
package piped

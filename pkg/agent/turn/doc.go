// Package turn takes one turn from its items to its commit: it loads the history, asks the
// model, lets the loop run the tools, and commits the reply.
//
// It promises:
//
//   - A turn ends in one commit: history, outgoing messages and consumed items
//     together. Every item gets an outcome: answered, failed with a sentence to
//     the person, stopped, or quarantined.
//   - A turn that was interrupted continues from its last recorded step. Recorded answers
//     are not asked for again and calls that ended are not run again; a call with side
//     effects that was begun and did not end becomes the result "interrupted".
//   - The records that a call needs are durable before the call has effects.
//   - A turn has the lowest rights among the senders of its items; a sender
//     with lower rights waits for the next turn.
//   - The stored history always has one result for every tool call.
//
// A [Kind] is a row of the agent's dispatcher; it makes the [Handler] of one turn. To add a
// kind: embed [Message], replace the methods that differ, and add the row. The way of a turn
// is: enter, admit, handler, turn, resume, prompt, journal, reply; beside it interrupts, live,
// questions and tasks. The adapters, the engine and the other rooms reach a turn as the
// interfaces of [Deps].
package turn

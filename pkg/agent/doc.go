// Package agent turns the items of a chat's inbox into answers: it loads the history,
// asks the model, runs tools and commits, one turn of a chat at a time and chats beside
// each other.
//
// It promises:
//
//   - A turn ends in one commit: history, outgoing messages and consumed items
//     together. Every item gets an outcome: answered, failed with a sentence to
//     the person, stopped, or quarantined.
//   - A turn that was interrupted goes on from its last recorded step. Answers
//     that were recorded are not asked for again and calls that ended are not
//     run again; a call with side effects that was begun and not ended becomes
//     the result "interrupted".
//   - The records that must be durable before a call has effects are durable before it
//     runs.
//   - A turn has the lowest rights among the senders of its items; a sender
//     with lower rights waits for the next turn.
//   - The stored history always has one result for every tool call.
//   - Facts about a chat stay in memory only while its lane runs.
//   - The model is asked only within the chat's limits of a day, but for the answers
//     that running turns wait for; see [budget.Meter].
//
// Each kind of turn has a handler in a room of its own: message (turn), command, decision
// (approval), job, report (task), background agent (subagent). The rows of kinds.go choose
// it, and [turn.Turn] leads a turn from its items to its commit.
//
// Rooms below it serve all kinds, and import each other nowhere: trust (for whom a turn
// runs, and the provenance of its words), budget (the limits of a day), prompt (all that
// the model reads), progress (all that a chat is shown in passing) and named (finds a task
// or a job by its name). The rooms of the kinds stand beside each other on turn: of these,
// subagent alone imports others, task and approval. The agent knows no adapter: channels,
// models, tools and the engine reach it as interfaces.
package agent

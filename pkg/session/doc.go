// Package session is the durable state of Parley: messages that came in, the work of
// turns, conversations, messages that go out. It declares the interfaces of an engine
// and its records. Package engine has the rules of the durable engine, package local
// opens it over a file, and package sessiontest is the suite that every engine passes.
//
// # The contract
//
// A chat is one conversation at one address. Its inbox is an ordered queue of items; a
// turn takes some from the head, does its work, and ends with one commit that appends
// history, queues outgoing messages, moves tasks and jobs and consumes the items, as a
// whole. Claim and acknowledgement are not exposed, because an acknowledgement without
// a commit is how replies are lost.
//
//   - Append that returned nil survives kill -9, and an ID is accepted once.
//   - At most one turn of a chat is open; chats run beside each other.
//   - Record keeps the order of its steps; a step that was not awaited may be lost, but
//     only together with everything after it.
//   - A turn of a dead process is handed out again with its items and all of its steps
//     that were stored.
//   - A turn that was taken over is fenced: its Record and Commit fail with [ErrFenced]
//     and have no effect.
//   - Outgoing messages have deterministic ids; putting one twice queues it once.
//   - A task's completion counts once.
//
// The session id is opaque. An address leads to a chat, a chat to its present
// session: /new gives the chat a new session, /resume an earlier one, a migration gives it a new address.
package session

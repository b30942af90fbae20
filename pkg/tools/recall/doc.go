// Package recall is the tool search_conversation, by which a model finds the parts of its
// conversation that its requests carry no more.
//
// It promises:
//
//   - A call reads the conversation in which it is made: no other chat's, and none that
//     /new has left behind. Entries that a person took out of it are not found.
//   - Entries come newest first, in pages with a cursor. A call ends after a bounded time
//     and a bounded amount of text; the cursor of its answer goes on from there.
//   - Secrets are redacted before a text is searched and cut, so that neither a hit nor
//     a piece shows one.
//   - An entry with content from outside taints the turn that reads it.
//   - A damaged entry is left out and counted in the answer.
//   - The searches of one chat leave places for those of others.
package recall

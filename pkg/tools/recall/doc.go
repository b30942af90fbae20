// Package recall is the tool search_history, by which a model finds words of the past of its chat that
// its requests do not carry.
//
// It promises:
//
//   - A call searches the chat in which it is made, the conversations that /new left behind among them:
//     never another chat. Entries that a person took out are not found. See parley/pkg/history.
//   - A hit tells when it was said, by whom, and in which conversation, with the words around what was
//     found; an entry can be read whole. Answers are bounded.
//   - An entry with content from outside taints the turn that reads it.
//   - Damaged entries are counted in the answer.
package recall

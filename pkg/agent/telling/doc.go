// Package telling tells the readers of a chat what its turn does: each step of the loop as an
// event of the chat's [events.Hub].
//
// It promises that a turn neither waits for its readers nor depends on one; that an answer which
// may be the word for silence is kept back until it is known to be another one; that a turn which
// goes on after a crash tells the steps of its earlier attempt; and that a turn is done for its
// readers once it is committed and its last message is delivered.
package telling

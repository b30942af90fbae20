// Package credentials keeps the tokens of programs and browsers, and the links by which a page
// shows chats of other channels.
//
// It promises that the store has the hash of a secret alone, that a token is found by its
// whole secret, that a chat has one link at most, that a change counts when the call returns, also for work under way, whose
// context ends, and that a damaged record lets no program in.
package credentials

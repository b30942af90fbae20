// Package lane runs the chats that have work: one lane for each, serial within the chat
// and beside each other across chats, within a bound.
//
// It promises that a chat never has two lanes, that no chat waits for ever, that a
// newcomer does not wait for all who came before, and that jobs and results of
// background work leave room for people. It keeps nothing that a crash could lose: the
// work stands in the store, and [Scheduler.Signal] only says where.
package lane

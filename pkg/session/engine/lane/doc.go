// Package lane runs the chats that have work: one lane for each, serial within the chat
// and beside each other across chats, within a bound.
//
// It promises that a chat has one lane at a time, that each chat's wait ends, that a
// newcomer does not wait for all who came before, and that jobs and results of
// background work leave room for people. A crash cannot lose its state: the work stands
// in the store, and [Scheduler.Signal] only says where.
package lane

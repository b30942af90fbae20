// Package outboxtest sends messages from a real store, for the tests of senders:
// [channels.Egress] and the adapters below it.
//
// It promises that a message of [Queue] is stored as a turn's answer is, committed and
// on disk, and that its goroutines end with their test.
//
// To add to it: only code that the tests of two channels need in the same form; a
// platform's behaviour stays in the test of its adapter.
package outboxtest

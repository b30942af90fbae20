// Package outboxtest sends messages from a real store, for the tests of what
// sends: [channels.Egress] and the adapters below it.
//
// It promises that what [Queue] stored is there as a turn's answer is, committed
// and on disk, and that nothing it started outlives its test.
//
// To add to it: only what the tests of two channels need in the same way; what a
// platform does stays in the test of its adapter.
package outboxtest

// Package inboxtest takes messages in without a store, for the tests of adapters: an
// inbox in memory that keeps the promises of the real one, a log that a test can wait
// for, and a channel that runs until its test ends.
//
// It promises that an item is kept once by its id and with its cursor, in the order in
// which it came; that every wait ends long before the test run does; and that a channel
// which [Run] started has ended when its test has.
//
// To add to it: only helpers that the tests of two channels need in the same way; the
// manners of a platform stay in the test of its adapter.
package inboxtest

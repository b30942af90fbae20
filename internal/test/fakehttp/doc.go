// Package fakehttp is what the fake servers of the tests share: a listener, the
// ways in which a server may be slow or break off, and a signal for those who
// wait until something happens there. It knows nothing of any platform: what a
// fake understands and answers is its own.
//
// It promises that Close leaves no connection behind, that a pause ends with its
// context, that nobody who waits misses a change, and that a drained server owes
// nothing to clients that have gone.
//
// To add to it: only what two fakes already do in the same way.
package fakehttp

// Package fakehttp has the parts that the fake servers of the tests share: a listener,
// the ways in which a server may be slow or break off, and a signal for those that wait
// for an event there. It is free of platforms: each fake understands and answers by its
// own rules.
//
// It promises that Close leaves no connection behind, that a pause ends with its
// context, that no waiting test misses a change, and that a drained server owes no
// answer to clients that have gone.
//
// To add to it: only code that two fakes already have in the same form.
package fakehttp

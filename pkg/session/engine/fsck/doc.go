// Package fsck checks a whole store: every checksum, and the rules that hold between the
// records of the engine.
//
// It promises that a check writes no record, that a damaged record is one problem and
// the check goes on, and that a store of an earlier build passes as it is.
//
// A new kind of record brings its rules here: a method of checker, called by [Check].
package fsck

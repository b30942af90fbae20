// Package ledger writes the steps of a turn, and tells from them how the calls of an answer stand.
//
// It promises that steps reach the store in their order; that a step which a crash must not lose
// is handed to the store, behind all steps before it, before [Writer.Record] returns; that no step
// is written behind a waiting one which could not be written, because a ledger with a hole would
// let a call run again; and that the outcome of a call that was begun and has no end is unknown,
// unless the call may run again.
package ledger

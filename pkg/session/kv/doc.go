// Package kv is the narrow store below the session engine: ordered buckets of byte keys,
// many readers and one writer.
//
// A [Store] promises:
//
//   - A reader sees one state, that of a whole transaction.
//   - [Store.Update] is atomic, also over a crash. After nil it is durable.
//   - Keys of a bucket are ordered by their bytes.
//
// One transaction is one write set: the keys that it puts and deletes, in order. A store
// with a log beside it appends that set to its log inside Update, and answers nil once
// the log has it; the engine above is the same. Everything that has to survive stands in
// a key, also the counter that numbers are taken from.
//
// To add a store, implement [Store] and let it pass the suite of package kvtest.
package kv

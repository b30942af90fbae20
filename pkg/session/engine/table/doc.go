// Package table has the stored form of the engine's data: buckets, keys and records, and
// the transaction through which they are read and written.
//
// It promises:
//
//   - Every record carries its form and a checksum over its place and content
//     ([Seal], [Unseal]). A damaged record is an error that names it ([RecordError]) and
//     can be moved out of the way ([Tx.SetAside]), with the index entries that lead to it.
//   - Keys of a chat or session sort by number, keys of a time index by time.
//   - Each number is given out once, also where an earlier build wrote the store in
//     between.
//   - A stored form stays as it is: testdata/forms.golden has each of them.
//   - A panic over a damaged page becomes an error ([Guard]).
//
// To add a kind of record, name a bucket in keys.go, give it a struct in record.go, and
// add its rules to package fsck. A bucket that stores of earlier builds lack is listed in
// [LaterBuckets] too.
//
// A record that is stored as fields takes no further field: earlier builds would read it as
// damaged. A new fact of such a record has a bucket of its own, such as [Uses].
package table

// Package audit keeps the record of calls and refusals: rows that are only ever added, each
// sealed with a hash over itself and the row before it.
//
// It promises:
//
//   - [Log.Append] does not wait for the disk. If the queue or the disk is full, a row is
//     dropped, and the next written row says how many were lost and why. So chats do not wait
//     for the record. An action that requires its row uses [Log.AppendSync], which returns when
//     the row is on the disk, or gives the reason why it is not.
//   - A process may be killed at any moment. The next [Open] sets a half-written row aside, a
//     row of its own says so, and the chain continues.
//   - [Verify] finds the first row that was changed, deleted, inserted or moved, and rows that
//     are missing at the end.
//   - Row texts are clipped, valid UTF-8, and went through [Options.Redact].
//
// # The files
//
// The folder holds segments, named by the number of their first row, of JSON lines; a full one
// is closed and the chain continues in the next. The file head has the number and hash of the
// newest synced row: it shows missing rows at the end. A row is synced within a second, at once
// if a caller waits for it.
//
// # Its limits
//
// The hashes have no key. A person who can write the folder can write a whole new chain with a
// head that fits, or remove rows that were not synced yet. Against that, note the last line of
// gateway audit verify elsewhere from time to time: a new chain has another hash at that row.
//
// To add a kind of row: add its [Kind] and append it where the event happens.
package audit

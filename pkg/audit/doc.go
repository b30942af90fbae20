// Package audit keeps the record of what was done and refused: rows that are
// only ever added, each sealed with a hash over itself and the row before it.
//
// What it promises:
//
//   - [Log.Append] never waits for the disk. A row that is queued is on its way;
//     one that finds the queue full, or the disk, is not written, and the next row
//     that can be written says how many were lost and why. Nobody's chat waits
//     for the record: what must not happen without one uses [Log.AppendSync],
//     which returns when the row is on the disk, or says why it is not.
//   - A process may be killed at any moment. What it had begun to write is set
//     aside at the next [Open], a row of its own says so, and the chain goes on.
//   - [Verify] finds the first row that was changed, deleted, inserted or moved,
//     and rows that are missing at the end.
//   - Row texts are clipped, valid UTF-8, and went through [Options.Redact].
//
// # The files
//
// The folder holds segments, named by the number of their first row, of JSON
// lines; a full one is closed and the chain goes on in the next. The file head
// has the number and hash of the newest row that was synced: it is how missing
// rows at the end show. A row is synced a second after it was written at the
// latest, at once where somebody waits for it.
//
// # What it cannot show
//
// The hashes have no key. Whoever can write the folder can write a whole new
// chain with a head that fits, or take away rows that were not synced yet. Against that, note the last line of gateway audit verify
// elsewhere from time to time: a chain that was made anew has another hash at
// that row.
//
// To add a kind of row: add its [Kind] and append it where the thing happens.
package audit

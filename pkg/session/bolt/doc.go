// Package bolt is a [kv.Store] in one bbolt file of the state directory, which one process
// uses. It locks, opens, checks, saves and restores the file.
//
// It promises beyond [parley/pkg/session/kv.Store]:
//
//   - A file that is cut off, emptied, gone or foreign is moved aside and the newest
//     good snapshot restored. The restored store is held: its engine accepts messages,
//     and hands them out after it is released. A note of a damaged page
//     ([Store.NoteDamage]) makes the next start restore too.
//   - After a commit that failed the file is opened anew.
//   - A snapshot is read back before it counts. A restore changes the store with one
//     rename, and keeps the file that it replaces.
//   - A second process gets [ErrLocked] within the lock time-out, a store of a
//     newer release [ErrNewer] with the file untouched, and a directory that is
//     not safely its own [ErrDir]; each says how to cure it.
//   - [Look] and [Check] write no file.
//
// A store of an earlier build gets the buckets that it lacks when it is opened. Package
// table has the form of the records, and package fsck the check of the rules between them.
package bolt

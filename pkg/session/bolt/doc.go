// Package bolt is the embedded engine: one bbolt file in the state directory,
// and one process that uses it.
//
// It promises beyond [parley/pkg/session.Engine]:
//
//   - One goroutine writes. It takes everything that waits into one transaction
//     and answers after the commit, so that the writers of a moment share one
//     sync of the disk. A write that fails its check, or spoils the transaction,
//     fails alone.
//   - A full disk acknowledges nothing and shows in Status; writing goes on by
//     itself when there is room.
//   - Opening reads the state record and what is pending, never the whole store.
//     An idle chat costs no memory.
//   - Every record carries its form and a checksum over its place and content. A
//     damaged one is set aside and counted, never handed out. A turn of which a
//     step is damaged is handed out as lost for good, because nobody can tell
//     what it did.
//   - A file that is cut off, emptied, gone or foreign is moved aside and the
//     newest good snapshot restored. The store is then held: it accepts, and
//     hands out nothing, until ReleaseHold. A page that is found damaged while
//     the store is in use ends all writing; the next start restores.
//   - A second process gets [ErrLocked] within the lock time-out, a store of a
//     newer release [ErrNewer] with the file untouched, and a directory that is
//     not safely its own [ErrDir]; each says what to do.
//
// # The file
//
// What waits stands in buckets of its own (inbox, steps, outbox) and is deleted
// when it is done, so that looking for work costs as much as there is work. Keys
// are a chat's or session's number and a sequence number, and everything of a
// chat lies together. What may be forgotten after 48 hours is not listed by age:
// the pruning passes over all of it, in small batches and faster than it grows.
//
// # Turns and deliveries that begin early
//
// The turn of an idle chat is handed out while the transaction of its message is
// on its way to the disk. What the turn writes goes through the same writer and
// is therefore never durable before the message, nor is anything sent before
// that; only reading and asking the model happen meanwhile. When the transaction
// fails, every write of the turn fails too, and the message is handed out again
// when it is accepted again. A process that has not written yet, or whose last
// transaction failed, and a chat that is a suspect, begin no turn early.
//
// A message that leaves at once is handed out in the same way: it is cut and
// laid out while it is being stored, and its Plan returns when it is durable. What
// was handed out of a transaction that failed can neither be planned nor ended.
//
// # Edits
//
// An edit is written into the item that it rewords, in the transaction that
// accepts it. A turn takes its items under a lock that such a transaction holds
// to its end: an edit either is in what the turn read, or finds that the turn
// has the item and comes too late.
//
// # Deletions
//
// A deletion takes an item out of the inbox under the same exclusion, and the item's
// id stays among those that were accepted. The id of the message that an edit or a
// deletion is about is put there too, where it tells: so a message that was overtaken is
// swallowed by the check that swallows what comes twice. Beside it a key of its own
// says that a message was taken back, for edits of it that come later.
//
// # Albums
//
// A part is written into the message that the parts before it have made, in the
// same way and under the same lock. A turn does not take that message, and nothing
// after it, while its latest part is younger than [session.AlbumWindow] and the last
// in its chat; the lane ends meanwhile, and a timer looks again. When the latest part
// came is in the record, so a restart changes nothing.
//
// # Jobs and background agents
//
// A job is listed by its due time only as long as it may fire. A chat that cannot be
// reached takes its jobs off that list, and puts them back when somebody writes in
// it: a look at what is due never passes over what waits.
//
// The conversation of a background agent is a chat like any other. It begins only
// where its task has a record, and is deleted with it: when the chat that started
// the task is forgotten, and when the task has been over for its time.
//
// # Recovery
//
// The clean mark goes with the first transaction of a process, which also names
// the suspects of an unclean end. No turn runs before it, and opening by itself
// writes nothing, so that any number of crashes before a turn count as one. A delivery that is marked as being
// sent carries the number of the process that marked it: found by another one,
// it is unknown whether it was sent.
//
// # Adding a kind of record
//
// Name a bucket in keys.go, give it a struct in record.go, read and write it
// through tx.get and tx.put, and add what must hold between it and the others to
// check.go. A bucket that stores of earlier builds lack is listed in laterBuckets
// too. An engine beside this one implements session.Engine and passes the
// suite in sessiontest.
package bolt

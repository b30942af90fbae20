// Package engine has the rules of the durable engine: intake, turns, deliveries, tasks,
// jobs, approvals, pairs, moves and forgetting, over any [kv.Store].
//
// It promises beyond [parley/pkg/session.Engine]:
//
//   - One goroutine writes. It takes everything that waits into one transaction
//     and answers after the commit, so that the writers of a moment share one
//     sync of the disk. A write that fails its check, or spoils the transaction,
//     fails alone.
//   - A store that cannot be written acknowledges no item, which shows in Status;
//     writing goes on by itself when the store can be written again.
//   - Opening reads only the state record and the heads of the queues. An idle chat
//     costs no memory.
//   - Every record carries its form and a checksum over its place and content. A
//     damaged record is set aside and counted instead of being handed out. A turn with
//     a damaged step is handed out as lost for good, because its effects are unknown.
//   - A held store accepts items and hands them out after ReleaseHold. A page that is
//     found damaged while the store is in use ends all writing.
//   - A store of a newer release is [table.ErrNewer].
//
// # The buckets
//
// Waiting records stand in buckets of their own (inbox, steps, outbox) and are deleted
// when they are done, so that looking for work costs as much as there is work. Keys
// are a chat's or session's number and a sequence number, and all records of a
// chat lie together. Records that may be forgotten after 48 hours are not listed by age:
// the pruning passes over all of them, in small batches and faster than they grow.
//
// # Turns and deliveries that begin early
//
// The turn of an idle chat is handed out while the transaction of its message is on its
// way to the disk. The turn's writes go through the same writer and are therefore
// durable only after the message, and messages are sent only after that; the turn only
// reads and asks the model meanwhile. When the transaction fails, every write of the
// turn fails too, and the message is handed out again when it is accepted again. A
// process that has not written yet, or one with a last transaction that failed, and a
// chat that is a suspect, begin no turn early.
//
// The turn of a chat that begins does so too, but for a background agent's. It reads the
// records of its chat by a loan, which ends with the turn or when they could not be stored.
// No other chat gets their numbers then.
//
// A message that leaves at once is handed out in the same way: it is cut and laid out
// while it is being stored, and its Plan returns when it is durable. A delivery from a
// transaction that failed cannot be planned or ended.
//
// # Edits
//
// An edit is written into the item that it rewords, in the transaction that
// accepts it. A turn takes its items under a lock that such a transaction holds
// to its end: an edit either is in the text that the turn read, or finds that the turn
// has the item and comes too late.
//
// # Deletions
//
// A deletion takes an item out of the inbox under the same exclusion, and the item's
// id stays among those that were accepted. The id of the message that an edit or a
// deletion is about is put there too, where it is known: so an overtaken message is
// swallowed by the check that swallows duplicates. Beside it a key of its own
// says that a message was deleted, for edits of it that come later.
//
// # Albums
//
// A part is written into the message that the parts before it have made, in the same
// way and under the same lock. A turn does not take that message, and no item after it,
// while its latest part is younger than [session.AlbumWindow] and the last in its chat;
// the lane ends meanwhile, and a timer looks again. The time of the latest part is in
// the record, so a restart makes no difference.
//
// # Jobs and background agents
//
// A job is listed by its due time only as long as it may fire. A chat that cannot be
// reached takes its jobs off that list, and puts them back when somebody writes in it:
// a look at the due jobs is spared those that wait.
//
// The conversation of a background agent is a chat like any other. It begins only
// where its task has a record, and is deleted with it: when the chat that started
// the task is forgotten, and when the task has been over for its time.
//
// # Recovery
//
// The clean mark goes with the first transaction of a process, which also names the
// suspects of an unclean end. Turns run after it, and opening by itself writes no
// record, so that any number of crashes before a turn count as one. A delivery that is
// marked as being sent carries the number of the process that marked it: found by
// another one, it is unknown whether it was sent.
//
// # Adding a kind of record
//
// Package table has the buckets, keys and records, package fsck the rules that hold
// between them; both say how to add one. An engine beside this one implements
// session.Engine and passes the suite in sessiontest.
package engine

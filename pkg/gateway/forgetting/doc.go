// Package forgetting forgets chats and conversations, so that no file of the gateway keeps a word of them.
//
// It promises:
//
//   - A forget that [Forgetting.Forget] has begun is finished, whatever ends the process: an entry of the
//     ledger has the steps that are left, and the next start goes on with them, before any chat works.
//   - All work for the chat has ended before a record or a file of it goes, and no turn begins there meanwhile.
//     Where the work does not end in time, nothing is deleted, and the forget is tried again.
//   - The records and the files of the chat are gone when Forget returns nil. Then the free pages of the store
//     are overwritten, a new snapshot is taken and the older copies are rewritten, in the background;
//     other chats work meanwhile. A step that fails is tried again each minute.
//   - A chat that begins anew at the address loses no file to it: the ledger has it that the files are gone
//     before the records go, and each later step may be taken twice.
//   - A chat that takes the forgotten one over, before its records are gone, is forgotten with it.
//   - The ledger, the log and the rows of the audit log name a forget by ids and times, without words of it.
//
// To have more files of chats forgotten: give [Options] another [Cleaner], under Files where a later chat at the
// address would find them, and else under Rest.
package forgetting

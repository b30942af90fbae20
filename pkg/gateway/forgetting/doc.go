// Package forgetting forgets chats and conversations, so that no file of the gateway keeps a word of them.
//
// It promises:
//
//   - A forget that [Forgetting.Forget] has begun is finished, whatever ends the process: an entry of the
//     ledger has the steps that are left, and the next start goes on with them, before any chat works.
//   - The records and the files of the chat are gone when Forget returns. Then the free pages of the store
//     are overwritten, a new snapshot is taken and the older copies are rewritten, in the background;
//     other chats work meanwhile. A step that fails is tried again each minute.
//   - A chat that begins anew at the address, after Forget returned, loses no file to it. A step that
//     failed removes no second time what it had removed, as long as the process lives.
//   - The ledger, the log and the rows of the audit log name a forget by ids and times, without words of it.
//
// To have more files of chats forgotten: give [Options] another [Cleaner].
package forgetting

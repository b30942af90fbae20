// Package forgets keeps the ledger of forgets: which chats and conversations were forgotten, when, and which
// steps of that are left.
//
// It promises:
//
//   - An entry is on disk when [Ledger.Add] returns, whole or not at all. From there on the forget
//     is finished, whatever ends the process.
//   - An entry has ids and times and no word of a chat. Its address is there as long as steps are left.
//   - Entries are never removed: a snapshot of any age brings none of the chats back.
//
// The ledger is a file of its own beside the store, because it must outlive the file that a restore
// replaces. The numbers in the ids of chats and conversations come from the clock, so a store that was
// made of an older snapshot gives none of them out again.
//
// To add a step of forgetting: add its [Step], append it to [Steps], and carry it out in
// gateway/forgetting.
package forgets

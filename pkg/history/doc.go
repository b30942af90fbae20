// Package history finds the entries of a chat's own past by their words: of its present conversation,
// also what fell out of the model's requests, and of those that /new left behind.
//
// It promises:
//
//   - A search reads one chat. The index has a scope for each, and an entry is shown only after the
//     store has said that its conversation is of that chat, and after its text has been read there.
//   - The index is derived data: a file in the state folder, and in no snapshot, log or backup. It keeps
//     the words of entries and not their texts. A search brings it up to date first, for a bounded
//     time; without a search a chat costs nothing. An index that is missing or damaged begins anew, and
//     so does the part of a chat that does not fit the store, as after a restore.
//   - Entries that a person took out are not found. Secrets are redacted before words are kept and
//     before a text is shown: a search finds no secret and shows none.
//   - The searches of one chat leave places for those of others.
//   - After [History.Forget] the file has no word of conversations that the store has forgotten, and
//     neither has it an hour after the store forgot a conversation by itself, once somebody searches.
package history

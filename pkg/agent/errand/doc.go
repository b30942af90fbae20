// Package errand asks models for single purposes on behalf of a turn: to write down speech, to
// describe a picture, to translate.
//
// It promises:
//
//   - An errand is run once for its turn, over any number of processes: its answer is in the turn's
//     ledger before it is used, and so is a failure of which the chat was told.
//   - The budget of the chat is asked first. The answer counts for the turn, once.
//   - A failure is one sentence to the chat, or is left to the caller. A limit of the budget and the
//     end of the turn are never told here: the turn tells them itself.
package errand

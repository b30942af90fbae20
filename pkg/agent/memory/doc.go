// Package memory has the facts that a chat was told to remember: the calls that store and remove them,
// the part of the prompt that tells them, and the answers to /memory.
//
// It promises:
//
//   - A fact belongs to a chat, or to the person of a direct chat. Those of a person are told in the direct
//     chats of that person alone; no group has them. Owners share theirs, as they share their space.
//   - A fact that was stored after content from outside had entered the turn stays such content: a turn
//     that is told of it asks like one that reads that content.
//   - A fact is one line. The facts of a chat and of a person have a bound, which the model and people
//     see.
//   - A person removes facts of their own, and with the level write all of the chat.
package memory

// Package screens shows chats on screens: pages of browsers, programs and consoles, which read
// the events of a chat and come and go while it lives.
//
// It promises:
//
//   - A chat of another channel is shown only where a person linked it.
//   - A message on a screen is stored when its sender reads that it was taken.
//   - Events are in the order in which they happened, and a question is shown with the answers
//     that it takes.
package screens

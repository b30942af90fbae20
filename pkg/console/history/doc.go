// Package history keeps the lines that a person sent, over the conversations and the starts of the
// console, in a file of their own.
//
// It promises:
//
//   - The file is readable by its user alone, and each user of the machine has another one,
//     in their own folder where the state folder belongs to another user.
//   - It is bounded: the oldest lines give way.
//   - Several consoles may use one file at a time. A line that one of them adds is whole or absent.
//   - A line that begins with a space is not kept, and secrets are taken out of the others.
//   - Without a file, because the folder cannot be written, the lines of this run are there.
package history

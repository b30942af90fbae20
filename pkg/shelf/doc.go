// Package shelf keeps the files of the chats of the web: those that people upload, and those
// that the assistant sends. It is to these chats what the servers of a platform are to others.
//
// It promises:
//
//   - A file is on disk, whole, when it has an answer, and its content never changes. The
//     same upload again is the same file.
//   - A file is found by its id and its own chat alone.
//   - An upload that no message has taken within a day is removed. A file that a message took,
//     or that was sent, stays as long as its chat, unless newer ones need the room: then the
//     oldest go, and never one of the last day, or of a message that waits for its turn.
//   - The files of a chat, and those of a person in all chats, have a bound, files under way
//     among them. An upload is written as it comes; no file is held in memory.
//
// A file has its label, a line of JSON, before its content. Beside an upload that a message took
// is a file with the id of that message's item.
package shelf

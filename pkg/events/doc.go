// Package events tells readers of a chat what its turns do: one ordered list of events
// for each chat, kept in memory, which every stream, socket and page is an encoding of.
//
// Its promises:
//
//   - A turn never depends on a reader. Telling an event stores it and wakes the readers; a
//     reader that is slow, or gone, costs the turn no time and the hub no memory.
//   - A reader that comes back with the id of its last event gets each later event once, in
//     order, as long as the hub has them all. Where it does not, because the id is too old
//     or of another process, [Hub.Follow] or [Reader.Next] says [ErrReset], and the chat is
//     to be read from the store anew.
//   - The list has bounds: of bytes in a chat, of bytes in all, and of time after the last
//     turn. A chat without a reader and without a recent event has no entry.
//   - Every text is redacted here, also one that comes in pieces: a piece that may be the
//     beginning of a secret waits for the next one.
//   - A [Watch] of a group's chats has a bound: it names each changed chat once until it is
//     asked, and says [ErrReset] where they were too many.
//   - Done is the last event of a turn: it follows the turn's last message, once that is
//     delivered. The events of the next turn wait for it, within bounds: where the message
//     does not come, the readers are told to read the chat anew.
//
// To add an event, add its type to event.go with its name, its size and its redaction.
package events

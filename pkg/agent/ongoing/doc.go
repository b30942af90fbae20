// Package ongoing notes the work that goes on for chats in this process, so that a forget can end it and
// wait for its end.
//
// It promises:
//
//   - While a chat is held no turn begins for it. One that wants to waits, and is handed out again
//     afterwards, when its records may be gone. For a chat that is gone none begins any more: its turn may have
//     been read from the store before that.
//   - [Works.Hold] ends the turns of a chat, those of its background agents among them; the turn that
//     asks for that goes on.
//   - [Works.Turns] and [Works.All] return when the work has ended, and not before: a call of a tool that
//     takes no notice of its end counts until its goroutine returns.
//
// To have more work counted: call [Works.Begin] for work that has an end of its own, and [Works.Note] for
// work that ends with a turn or a task.
package ongoing

// Package progress shows in passing how far work is: an answer while it grows, notes on
// the work of a turn, and the lines of a background task.
//
// It promises:
//
//   - The loop of a turn does not wait for a channel: a goroutine of its own shows the
//     newest state, and [Preview.Close] waits until it shows no more.
//   - A quick answer comes without a draft, a note or an opened message.
//   - A message is opened through the outbox and its step is durable first, so that the
//     next message of the turn finishes it. One at most is open.
//   - All that is shown has been through the outbound filter, and the last word of a
//     growing text is held back, because a secret is known only when it is whole.
//   - A text that may turn out to be empty of news is held back as long as it may.
//   - A panic of an adapter ends its own display alone.
//
// The package is free of turns and channels: [Turn], [Task] and [Surface] are its view
// of them.
package progress

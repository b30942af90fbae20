// Package channels is the chat vocabulary and the two gates between platforms and the
// agent. It is a leaf: of Parley it imports only rooms that every room may import. Each
// subpackage adapts one platform to it, and none imports that of another platform.
//
// It promises:
//
//   - [Ingress] authorises and normalises events and hands them on. Deliver returns nil
//     only after everything is durably stored (or refused for good); an adapter
//     acknowledges its platform only after that.
//   - [Egress] takes messages from the durable queue and sends them: in order within a
//     chat, chats beside each other, each under its platform's limits. A part known to
//     be accepted is not sent again; a part with an unknown outcome is sent once more,
//     and counted.
//   - Only ephemeral signs (drafts, edits of a growing answer, typing, notes) skip the
//     queue. They pass the same gate: an Egress shows them where no message has to
//     wait, with the rate that messages leave over.
//
// # On the way in
//
// Ids are not repaired: an item with an id, sender or address that is missing or holds
// a control character is refused. Text becomes valid UTF-8 without NUL of at most
// [MaxText] bytes, a display name one line of at most [MaxName] code points.
//
// # On the way out
//
// The adapter classifies a failed attempt with a [SendClass]:
//
//   - transient: again after a pause that grows to 30 s, for as long as it takes;
//   - rate limited: again after the time the platform names and a little more;
//   - ambiguous: once more; when that is unknown too, or cannot be done within 60 s
//     of the first attempt, the message is settled as [Unsettled] and its lane goes on;
//   - refused, gone: settled as [Refused]; a chat that is gone is suspended;
//   - auth: the account's queue waits, and one attempt a minute tries again.
//
// A file is one part. Where it is refused, or the channel is no [FileSender], a
// text that names it goes out in its place. Its attempts have the time that its
// bytes need; its content is dropped from [Files] after the outcome is stored.
//
// A message with buttons is one part with the text exactly as it was written, or it is
// refused; [Egress.CanAsk] says so before. A text that must be seen to the last
// character is written by visible.Verbatim.
//
// A text for a [Screen] is delivered by the transaction that stores it, see [Outbox], and only
// shown here. Its files and questions take the whole way.
//
// Other chats, and other threads of the chat, go on meanwhile. A receipt that could not
// be stored is kept in memory until it can be, so that an outage of the store doubles
// no message. When Run is told to stop, no send begins any more.
//
// The failpoints P1, P2, P9, P11, P12 and P13 are passed here. P10, between writing
// a message and reading the platform's answer, is passed by each adapter's Send.
//
// To add a channel: implement [Channel] in a subpackage, add the capability
// interfaces that the platform has, and pass the suite in channelstest.
package channels

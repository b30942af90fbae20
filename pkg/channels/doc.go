// Package channels is the chat vocabulary and the two gates between platforms
// and the agent. It is a leaf: it imports nothing else of Parley; each
// subpackage adapts one platform to it and imports nothing but it.
//
// It promises:
//
//   - [Ingress] authorises and normalises what arrives and hands it on. Deliver
//     returns nil only after everything is durably stored (or refused for good);
//     an adapter acknowledges its platform after that, never before.
//   - [Egress] takes what is durably queued and sends it: in order within a
//     chat, chats beside each other, each under its platform's limits. A part
//     known to be accepted is never sent again; a part of which it is unknown is
//     sent once more, and counted.
//   - Only what is gone by nature (drafts, edits of a growing answer, typing,
//     notes) skips the queue. It passes the same gate: an Egress shows it where
//     nothing has to wait, from what the rates leave over.
//
// # On the way in
//
// Ids are never repaired: an item whose id, sender or address is missing or holds
// a control character is refused. Text becomes valid UTF-8 without NUL of at most
// [MaxText] bytes, a display name one line of at most [MaxName] code points.
//
// # On the way out
//
// What a failed attempt means is the adapter's word, [SendClass]:
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
// A message with buttons is one part with the text exactly as it was written, or it
// is refused; [Egress.CanAsk] says so before. What must be seen to the last character
// is written by [Verbatim].
//
// Other chats, and other threads of the chat, go on meanwhile. A receipt that could
// not be stored is kept in memory until it can be, so that an outage of the store
// sends nothing twice. When Run is told to stop, no send begins any more.
//
// The failpoints P1, P2, P9, P11, P12 and P13 are passed here. P10, between writing
// a message and reading the platform's answer, is passed by each adapter's Send.
//
// To add a channel: implement [Channel] in a subpackage, add the capability
// interfaces that the platform has, and pass the suite in channelstest.
package channels

// Package channels is the chat vocabulary and the two gates between platforms
// and the agent. It is a leaf: it imports nothing else of Parley; each
// subpackage adapts one platform to it and imports nothing but it.
//
// What it promises:
//
//   - [Ingress] authorises and normalises what arrives and hands it on. Deliver
//     returns nil only after everything is durably stored (or refused for good);
//     an adapter acknowledges its platform after that, never before.
//   - [Egress] takes what is durably queued and sends it: in order within a
//     chat, chats beside each other, each under its platform's limits. A part
//     known to be accepted is never sent again; a part of which it is unknown is
//     sent once more, and counted.
//   - Only what is gone by nature (drafts, typing) skips the queue.
//
// To add a channel: implement [Channel] in a subpackage, add the capability
// interfaces that the platform has, and pass the suite in channelstest.
package channels

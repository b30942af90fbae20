// Package slack is the adapter of Slack: one app in one workspace.
//
// # In
//
// Events come over sockets (Socket Mode), or over HTTP where Options.Events is set.
// Either way an event is acknowledged when [channels.Ingress] has stored it, and not
// before: Slack sends again what is not acknowledged, and what comes again has the
// same id, which the store knows. A copy is never dropped for being a retry, since
// what happened while nobody listened comes as nothing else. What has come is stored
// in one step, in the order in which it came; where that fails, chat by chat, and a
// chat that fails holds back its own events and no others', see intake.go.
//
// A post that mentions the bot comes as message and as app_mention: one id,
// msg/<chat>/<ts>. Edits, deletions, presses and slash commands have ids of their
// own; edits and deletions tell their original. In a channel a mention begins a
// thread, which is a conversation of its own, and replies in it need no mention while
// [Options.Alive] says so, or where the bot began the thread. Direct messages are one
// conversation unless somebody opened a thread.
//
// The sockets are the adapter's own (gorilla/websocket): the library's managed
// connection closes a socket before it opens the next, and never acknowledges a kind
// of event that it does not know. A socket that is to end is replaced first and read
// until it has ended; one over which nothing comes for 30 s is dead. Where Slack says
// that there are too many, or that sockets are switched off, the next attempt is at
// least 30 s away. There is one socket, and a few more while they are replaced.
//
// Over HTTP, at /slack/events, a call counts when it is signed with the signing secret
// and no older or newer than five minutes. It is answered with 200 after the commit and
// with 503 where the store fails; what was not stored is kept, and tried again, all
// the same.
//
// What cannot be read, is too large or of a kind that is not known goes to
// [Options.Unread] without what could be acted with, and is acknowledged by the id
// that is found in it. The payload of what is stored is kept with it, up to 64 KiB.
//
// Names are looked up beside taking in, see names.go: who is not known yet has none.
// Files are handed on by their ids; nothing is fetched while messages are taken in.
//
// Whose the bot token is must be known to make a channel; Run asks once more, and
// ends where it has become another's.
//
// The failpoint P3 (acknowledged, turn not started) is passed when an
// acknowledgement is written to a socket, and after the answer to a call.
//
// To decode one more kind of event: add its case to callback in decode.go and a
// case to the table of the tests.
package slack

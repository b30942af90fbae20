// Package telegram is the adapter of Telegram's Bot API.
//
// # In
//
// Updates come by long polling, or over a webhook. A poll confirms only what
// [channels.Ingress] has stored: a batch and the offset behind it are one step,
// under the cursor telegram/<bot id>/updates. The offset follows what the server
// gave last, also when the numbering begins anew; what comes twice has the same
// id, update/<update id>, and is the store's to know. An update that cannot be
// read is logged without its content and skipped, alone.
//
// Until the bot's name is known, an update that depends on it (a mention in a
// group, a command that names a bot) waits, and with it what came after in its
// chat; other chats go on, as long as less than a batch waits.
//
// Files are handed on by what Telegram calls them; nothing is fetched while
// messages are taken in, see media.go. While the parts of an album are waited for,
// which become one message, the messages of other chats are stored without moving
// the cursor, see album.go. A webhook hands on each part with its album's id.
//
// An update that cannot be read or is of a kind that is not known goes to
// [Options.Unread], see unread.go.
//
// An identity that several people share (Telegram's accounts for anonymous
// administrators and channels) is never a user's: who writes as a group or a
// channel has that one's negative id.
//
// A group that becomes a supergroup is told to [Options.Moved] before its update
// is confirmed.
//
// # Out
//
// Split turns Markdown into parts of Telegram's HTML (package markup); they are
// what the outbox stores and Send sends. What is refused for a reason that can be
// met goes out again within the same Send: as plain text where the markup cannot
// be read, without a reply that is gone, to the new id of a group that migrated.
// Every error has its class, see errors.go.
//
// # The wire
//
// The library writes requests and reads answers. Times, limits and the meaning
// of failures are this package's, and so is the token: it is put into the URL at
// the last moment and taken out of every error.
//
// The failpoint P3 (confirmed, turn not started) is passed after a poll that
// confirmed something, and after the answer to a webhook call; P10 between
// writing a message and reading the answer.
//
// To decode one more kind of content: add its field to content in
// decode_wire.go, its line to describe in decode_content.go, and a case to the
// table of the tests.
package telegram

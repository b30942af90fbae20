// Package inbound is the way in of Telegram's adapter: long polling or a webhook, the
// store behind them, the bot's name and menu, and the files that people send.
//
// # The promise
//
// A poll confirms only updates that [channels.Ingress] has stored: a batch and the
// offset behind it are one step, under the cursor telegram/<bot id>/updates. The offset
// follows the server's last update, also when the numbering begins anew; an update that
// comes twice has the same id, update/<update id>, which the store knows. An unreadable
// update is logged without its content and skipped, alone.
//
// Until the bot's name is known, an update that depends on it (a mention in a group, a
// command that names a bot) waits, and with it the later updates of its chat; other
// chats go on, as long as less than a batch waits.
//
// While the parts of an album are waited for, which become one message, the messages of
// other chats are stored without moving the cursor, see album.go. A webhook hands on
// each part with its album's id.
//
// A group that becomes a supergroup is told to [Options.Moved] before its update is
// confirmed.
//
// The failpoint P3 (confirmed, turn not started) is passed after a poll that confirmed
// an update, and after the answer to a webhook call.
package inbound

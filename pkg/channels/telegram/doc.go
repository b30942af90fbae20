// Package telegram is the adapter of Telegram's Bot API: one bot.
//
// # Rooms
//
// [Channel] composes four rooms, which no other package imports: api is the Bot API,
// with its errors; update turns Telegram's updates into items; inbound has them stored
// and confirmed; outbound sends messages, files and growing answers. A fifth, markup,
// writes Markdown as Telegram's HTML. The library that writes requests is imported in
// these rooms alone.
//
// # In
//
// Updates come by long polling, or over a webhook. Either way an update is confirmed when
// [channels.Ingress] has stored it, and not before; the promise is in package inbound.
// Files are handed on by Telegram's ids; no file is fetched while messages are taken in.
// An update that is unreadable or of an unknown kind goes to [Options.Unread].
//
// # Out
//
// Every error of a send has its class; see packages outbound and api.
//
// The failpoint P10 is passed between writing a message and reading the answer.
package telegram

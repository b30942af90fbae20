// Package slack is the adapter of Slack: one app in one workspace.
//
// # Rooms
//
// [Channel] composes four rooms, which no other package imports: api is Slack's Web API,
// with its errors; event turns Slack's envelopes into items; inbound has them stored
// and acknowledged; outbound sends messages, files and growing answers. A fifth, markup,
// writes Markdown as Slack's. The slack-go library is imported in these rooms alone.
//
// # In
//
// Events come over sockets (Socket Mode), or over HTTP where Options.Events is set.
// Either way an event is acknowledged when [channels.Ingress] has stored it, and not
// before; the promise is in package inbound.
//
// In a channel a mention begins a thread, which is a conversation of its own, and
// replies in it need no mention while [Options.Alive] says so, or where the bot began
// the thread. Direct messages are one conversation unless somebody opened a thread.
//
// An envelope that is unreadable, too large or of an unknown kind goes to
// [Options.Unread] without its tokens, and is acknowledged by the id that is found in
// it. The payload of a stored item is kept with it, up to 64 KiB.
//
// # The account
//
// The owner of the bot token must be known to make a channel ([Identify]); Run asks
// once more, and ends if the owner has changed.
package slack

// Package update turns Telegram's updates into inbound items. It is a pure translation
// without connections, store or clock.
//
// [Decode] does not fail. An update that is unreadable or of an unknown kind becomes an
// [Event] that names its kind. An identity that several people share (Telegram's
// accounts for anonymous administrators and channels) is not a user's: a message
// written as a group or a channel has that one's negative id. Before the bot's name is
// known, an update that depends on it says so ([Event.NeedsName]).
//
// To decode one more kind of content, add its field to content in telegramjson.go, its
// line to describe in content.go, and a case to the table of the tests.
package update

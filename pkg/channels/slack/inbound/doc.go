// Package inbound is the way in of Slack's adapter: sockets (Socket Mode) or calls over
// HTTP, the store behind them, the names of people and the files that they send.
//
// # The promise
//
// An event is acknowledged when [channels.Ingress] has stored it, and not before: Slack
// sends an unacknowledged event again, under the same id, which the store knows. A copy
// that is a retry counts, because an event that happened while the gateway was down
// comes as a retry only. Events are stored in one step, in the order in which they
// came; where that fails, chat by chat, and a chat that fails holds back its own events
// alone, see intake.go.
//
// # Sockets
//
// The sockets are the adapter's own (gorilla/websocket): the library's managed
// connection closes a socket before it opens the next, and does not acknowledge unknown
// kinds of events. A socket that is to end is replaced first and read until it has
// ended; a socket that is silent for 30 s is dead. Where Slack says that there are too
// many sockets, or that they are switched off, the next attempt is at least 30 s away.
// There is one socket, and a few more while they are replaced.
//
// Where the app is installed in several workspaces, an event of any of them may come on any
// of its sockets. One that is for another workspace is not acknowledged: Slack sends it
// again, and so to the gateway that serves that workspace.
//
// # HTTP
//
// A call to /slack/events counts when it is signed with the signing secret and at most
// five minutes old or early. It is answered with 200 after the commit and with 503
// where the store fails; an event that was not stored is kept, and tried again, all the
// same.
//
// # Beside it
//
// Names are looked up beside receiving, see names.go: until then a person has no name.
// Files are handed on by their ids; no file is fetched while messages are taken in.
// [Receiver.Run] asks once more for the owner of the bot token, and ends if the owner
// has changed.
//
// The failpoint P3 (acknowledged, turn not started) is passed when an acknowledgement
// is written to a socket, and after the answer to a call.
package inbound

// Package fakeslack is a strict Slack workspace for tests and benchmarks: the Web
// API and a Socket Mode hub over real HTTP and WebSocket on 127.0.0.1, one app with
// its bot, people who write to it, and a ledger of everything that happened.
//
// It promises to be no kinder than the real server where that matters:
//
//   - An event stays until it is acknowledged and comes again after AckWait; what
//     happens while no socket is open comes only as a retry. A press or a slash
//     command comes once, and the person sees a failure if nobody takes it.
//   - A ticket for a socket is good for one; the eleventh socket is refused.
//   - Every request is held against the table of methods. What the table does
//     not know is a violation, and with [New] a violation fails the test.
//   - Blocks are checked by Slack's limits; refusals have Slack's own names.
//   - What the bot posts comes back to it as an event.
//
// What people do is a method of [Chat]; what they see is [Chat.Messages]; whom a
// message would notify is [Message].Notified. What goes wrong is a [Rule]. Tests
// wait with [Server.Until] and the methods built on it.
//
// To add a method of the Web API: a line in table.go and a handler in handlers.go.
// To add something that people do: a method of Chat in people.go. To add a fault:
// a field of [Fault] and its effect in faults.go.
package fakeslack

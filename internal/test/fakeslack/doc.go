// Package fakeslack is a strict Slack workspace for tests and benchmarks: the Web API
// and a Socket Mode hub over real HTTP and WebSocket on 127.0.0.1, one app with its
// bot, people, and a ledger of every event and request.
//
// It promises to be no kinder than the real server where that matters:
//
//   - An event stays until it is acknowledged and comes again after AckWait; an event
//     without an open socket comes only as a retry. A press or a slash command comes
//     once, and the person sees a failure if the gateway does not take it.
//   - A ticket for a socket is good for one; the eleventh socket is refused.
//   - Every request is held against the table of methods. A use outside of the table is
//     a violation, and with [New] a violation fails the test.
//   - Blocks are checked by Slack's limits; refusals have Slack's own names.
//   - The bot's posts come back to it as events.
//
// People's actions are the methods of [Chat]; the messages that they see are
// [Chat.Messages]; the people whom a message would notify are [Message].Notified. A
// fault is planted with a [Rule]. Tests wait with [Server.Until] and the methods built
// on it.
//
// To add a method of the Web API: a line in table.go and a handler in handlers.go.
// To add something that people do: a method of Chat in people.go. To add a fault:
// a field of [Fault] and its effect in faults.go.
package fakeslack

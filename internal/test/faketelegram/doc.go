// Package faketelegram is a strict Telegram Bot API server for tests and benchmarks:
// real HTTP on 127.0.0.1, several bots by token, people, and a ledger of every update
// and request.
//
// It promises to be no kinder than the real server where that matters:
//
//   - An update stays until a later getUpdates confirms it; a second poll ends
//     the first; a webhook is tried again until it answers with 2xx.
//   - Every request is held against the table of [Methods]. A use outside of the table
//     is a violation, and with [New] a violation fails the test.
//   - HTML is parsed by Telegram's rules ([ParseHTML]); lengths are UTF-16 units;
//     refusals have Telegram's own codes and words.
//   - Message ids are unique only where Telegram's are: in a supergroup or
//     channel, or for one bot in its other chats.
//
// People's actions are the methods of [Chat] or an option of one ([ReplyTo], [At]);
// their view is [Chat.Messages], [Chat.Drafts], [Chat.Actions] and [Server.Callbacks].
// A fault is planted with a [Rule]. Tests wait with [Server.Until] and the methods
// built on it.
//
// To add a method of the Bot API: a line in table.go, a handler in handlers.go.
// To add something that people do: a method of Chat in people.go. To add a fault:
// a field of [Fault] and its effect in faults.go. To add a refusal: a line in
// refusals.go.
package faketelegram

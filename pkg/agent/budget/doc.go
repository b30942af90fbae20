// Package budget holds the use of models against the limits of a chat's day.
//
// A [Meter] knows the running turns of all chats. [Meter.Turn] gives a turn its
// [TurnUsage] with a Provider that asks the model only while the chat may pay for one
// more request, and adds up the tokens and the money of the answers.
//
// It promises:
//
//   - Each request is held against the limits before it is made: the stored use of the
//     day and the use of all running turns together.
//   - A turn may exceed a limit by one answer, the one that it waits for. So do turns
//     that run at once, each by one.
//   - A turn counts on the day on which it began, in the time zone of its chat.
//   - A turn that is resumed begins with the use of its recorded answers; each answer
//     counts once.
//   - A background agent counts in the chat that it works for.
//   - The store is read only where a limit is set. A day that cannot be read counts as
//     unused, and the log says so.
//
// The package is free of turns, stores and models: [Turn], [Store] and
// [providers.LLMProvider] are its view of them.
package budget

// Package task keeps the background tasks of the chats: lists them, finds them by name,
// owns the contexts of their work and stores how they end.
//
// It promises:
//
//   - A task ends once. Its state, the message to the person and the item that brings
//     its result into the conversation are one transaction; a second end has no effect.
//   - The context of a task's work ends with the task, at its deadline, or with the process.
//   - A task that did not survive the process is told to its chat once, before the next
//     turn of that chat and beside the turns of all others.
//   - A chat is told of each result that its model may not read.
//   - Progress is shown only between the return of the call and the end.
//
// [Tasks] are the records, the [Supervisor] has the work that runs in this process, and the
// turns of [Tasks.ReportKind] bring the results home.
package task

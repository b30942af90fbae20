// Package offline is the model that is always there: a small program that answers
// like one, without a key, a network or a download, so that a fresh machine can run
// the whole product.
//
// It promises:
//
//   - Its first answer, and each answer to a question about it, describes it and
//     tells how to connect a real model; the result of /tool alone does not, because
//     it answers that beside a real model too. It admits a request that it does not
//     understand; it does not make up an answer.
//   - It understands everyday English for arithmetic, the time in a place, the files
//     of the workspace, reminders and other schedules, work in the background,
//     greetings and questions about itself, and /tool NAME JSON for any tool. It asks
//     for the time zone if a schedule needs one. A request that needs a tool is a
//     real tool call that goes through the same loop, checks and policy as any
//     model's; its result becomes a plain sentence.
//   - It calls offered tools only, and honours tool_choice.
//   - It holds no state: the same messages and tools give the same answer, down to
//     the ids of the calls. Several messages since the last answer are answered
//     together.
//   - Asked for a summary of a conversation, it lists the person's sentences.
//
// To teach it a new request: add a rule to the grammar (grammar.go names the files
// that hold one family each) with rows in the tests, and if the rule calls a new
// tool, a sentence for the tool's result in render.go.
package offline

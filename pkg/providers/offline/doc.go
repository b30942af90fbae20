// Package offline is the model that is always there: a small program that
// answers like one, without a key, a network or a download, so that a fresh
// machine can run the whole product.
//
// What it promises:
//
//   - It says what it is, in its first answer and whenever it is asked, and how
//     to connect a real model. What it does not understand it says so; it never
//     makes up an answer.
//   - It understands everyday English for arithmetic, the time somewhere, the
//     files of the workspace, reminders and other schedules, work in the
//     background, greetings and questions about itself, and /tool NAME JSON for
//     any tool. It asks for the time zone where a schedule needs one. Whatever
//     needs a tool is a real tool call that goes through the same loop, checks
//     and policy as any model's; its result becomes a plain sentence.
//   - It calls offered tools only, and honours tool_choice.
//   - It holds no state: the same messages and tools give the same answer, down
//     to the ids of the calls. Several messages since the last answer are
//     answered together.
//   - Asked for a summary of a conversation, it lists what the person said.
//
// To teach it something: add a rule to the grammar (grammar.go names the files
// that hold one family each) with rows in the tests, and where the rule calls a
// new tool, a sentence for the tool's result in render.go.
package offline

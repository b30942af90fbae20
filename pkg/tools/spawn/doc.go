// Package spawn has the two tools that start a background agent: spawn returns at
// once, subagent waits for the report.
//
// What it promises:
//
//   - A task is a text of 1 to [MaxTask] characters, for one agent. Nothing in the
//     arguments names a chat, a right or a tool: an agent works for the chat that
//     its call belongs to.
//   - What is returned was done: spawn names an agent that is recorded, and a call
//     that is made again after a crash finds the agent of the first.
//
// How agents run, and what bounds them, is the matter of whoever implements [Agents].
package spawn

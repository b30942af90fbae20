// Package spawn has the two tools that start a background agent: spawn returns at
// once, subagent waits for the report.
//
// It promises:
//
//   - A task is a text of 1 to [MaxTask] characters, for one agent. The arguments
//     cannot name a chat, a right or a tool: an agent works for the chat of its call.
//   - A returned result is true: spawn names an agent that is recorded, and a call
//     that is repeated after a crash finds the agent of the first.
//
// The implementation of [Agents] runs and bounds the agents.
package spawn

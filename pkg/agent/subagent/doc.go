// Package subagent runs the lives of background agents: their places among the agents
// that are at work.
//
// It promises that an agent which works for an hour keeps the agents of other chats
// waiting for no more than one of its steps.
package subagent

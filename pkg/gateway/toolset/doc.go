// Package toolset makes the tools of a gateway from its configuration: the built-in
// ones, the sandboxes that their programs run in, the operator's scripts and composed
// tools, and the rules about their levels and questions.
//
// [New] makes the tools that need no agent, and [Set.AddAgentTools] adds those that go
// through it, by the interfaces in [Ports]. Which tools a chat has follows from
// tools.on, enabled, disabled and chats, under each address of the chat ([Set.Offered]).
// A program runs in a sandbox that hides the gateway's own files, unless the
// configuration says unsafe.
//
// [Names] and [Check] hold a configuration against the tools there are.
//
// To add a tool: construct it in [New], or in Set.register if it goes through the agent.
package toolset

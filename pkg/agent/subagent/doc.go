// Package subagent runs background agents. A background agent is a task that works in
// turns of its own conversation, at [session.AgentAddress]: it waits in an inbox, runs
// in a lane, writes a ledger and resumes as any turn does. It works for the chat that
// started it, with that chat's files, tools and rules, and with the rights of its
// creator. It sends no message; its last words end the task, and the task's item brings
// them home.
//
// [Agents] promise:
//
//   - An agent that is recorded begins, also where the process died in between, and is
//     started once by the same call with the same [task.Brief].
//   - It ends once: with its report, at its deadline, which no restart extends, or when
//     it is cancelled. The call that waits for it is woken then.
//   - An open question of an agent has an end, even where no answer comes.
//   - Each call is held against the present rights of the agent's creator. A call that a
//     person has to allow is asked about in the agent's chat, and the agent goes on with
//     the answer, or without the call.
//   - The agents of one chat, of one turn and of all chats are bounded. An agent that
//     works for an hour keeps the agents of other chats waiting for no more than one of
//     its steps, see [Seat].
package subagent

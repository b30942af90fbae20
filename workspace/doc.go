// Package workspace holds what a new agent starts with, and puts it in place.
//
// The operator's files are AGENT.md, the system prompt, skills/, and tools/, the
// operator's own tools with two examples. No tool can write them. A space is the folder of one chat, or of the owners: USER.md
// says who the person is, MEMORY.md what the agent keeps in mind.
//
// It promises: a file that is there is never touched, whatever is in it; a file is there
// whole or not at all, also after a process was killed, and so are the examples of tools;
// folders are made with mode 0700 and files with 0600; a second call on a complete folder
// only looks.
//
// To add a file: put it into operator/ or space/ and name it in [Init] or
// [EnsureSpace].
package workspace

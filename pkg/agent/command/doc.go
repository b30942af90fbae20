// Package command has the commands of a chat, such as /help and /compact: their list, the
// turn of a command, and the answers that need no other room. A command is answered without
// the model; only /compact asks it. The answers of /schedule, /tasks and /cancel belong to the
// rooms of jobs and of tasks, and come as an [Answer] of the [Options].
//
// To add a command: add it to the list with its text, and answer it in commandTurn.answer.
package command

// Package shell is run_command: a program with its arguments or, if the operator
// allows it, a line for the shell.
//
// It promises: without a shell, only programs of the operator's list are run, as the
// same files as when the gateway started, with exactly the arguments that the asked
// person sees; patterns in them stand for files of the workspace only. A program that
// deletes, changes rights or runs other programs asks every time, allowed or not.
//
// It does not judge a command by its text. The sandbox limits a program's reach.
//
// To make a program ask every time: add it to the lists in danger.go.
package shell

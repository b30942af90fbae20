// Package shell is run_command: a program with its arguments, or, where the
// operator allows it, a line for the shell.
//
// What it promises: without a shell, only programs of the operator's list are
// run, as the files that they were when the gateway started, with exactly the
// arguments that are shown to whoever is asked; patterns in them stand for files
// of the workspace and for nothing else. A program that deletes, changes rights
// or runs other programs is asked about every time, allowed or not.
//
// What it does not do: judge a command by its text. What a program can reach is
// the sandbox's to say.
//
// To make a program one that is always asked about: add it to the lists in danger.go.
package shell

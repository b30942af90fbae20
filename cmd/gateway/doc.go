// Command gateway runs Parley: a chat-bot gateway whose agent answers people on
// their channels with a language model and tools.
//
// This package wires the rooms together; it is the only one that names adapters,
// reads the environment, reveals secrets and exits. [App] constructs, runs and
// stops the gateway; the verbs of the command line are thin around it.
//
// The exit codes are in docs/operating.md.
//
// To add a verb: write a constructor that returns a cobra command and list it in
// newRoot. To add a channel: construct it in newApp and name it in built.
package main

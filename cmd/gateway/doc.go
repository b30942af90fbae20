// Command gateway runs Parley: a chat-bot gateway whose agent answers people on
// their channels with a language model and tools.
//
// This package wires the rooms together; it is the only one that names adapters,
// reads the environment, reveals secrets and exits. [App] constructs, runs and
// stops the gateway; the verbs of the command line are thin around it.
//
// Exit codes:
//
//	0    done
//	1    something failed: a message was not answered, a command did not succeed
//	2    wrong usage or configuration; nothing was started
//	3    the state folder is in use by another gateway
//	130  ended by SIGINT; 143 ended at once by a second SIGTERM
//
// To add a verb: write a constructor that returns a cobra command and list it in
// newRoot. To add a channel: construct it in newApp and name it in built.
package main

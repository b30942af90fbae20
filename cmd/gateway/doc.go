// Command gateway runs Parley: a chat-bot gateway with an agent that answers people on
// their channels by means of a language model and tools.
//
// The command line parses arguments, has package gateway or package admin do the work,
// and prints the answer. Only this package reads the environment and exits.
//
// The exit codes are in docs/operating.md.
//
// To add a verb: write a constructor that returns a cobra command and list it in
// newRoot.
package main

// Package e2e holds the tests of whole turns: the gateway as a process, a chat platform
// and a strict model server over real HTTP, and the faults in between.
//
// Each test promises to end its gateway with SIGTERM, which must end with code 0 and
// leave empty queues and a store without a fault. Under the race detector the gateway
// is built with it too.
//
// To add one: call newWorld with the model's part of the conversation, push messages,
// and wait for the messages that the chat must see.
package e2e

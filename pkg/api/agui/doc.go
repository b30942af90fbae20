// Package agui serves AG-UI 1.0, the protocol of front ends for agents: a run is a POST, and
// its answer a stream of events.
//
// It promises that a thread is a lasting chat of the token's person, and a run one message
// in it: the same threadId and runId are one turn however often they are sent, and each
// time its events are streamed; that the chat keeps its own history, so that what a client
// sends again is ignored; that each stream passes the verifier of AG-UI: all that was begun
// is ended before RUN_FINISHED, each call of the gateway has a result, and RUN_ERROR is the
// last event; that a call which waits for a person ends its run as an interrupt, and a
// resume goes by the rules of the native API; and that leaving a stream stops nothing.
//
// To add an event of package events, add its case to [encoder.event].
package agui

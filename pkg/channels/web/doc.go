// Package web is the adapter of the page and of the HTTP API: messages come in by requests,
// and leave to the screens of those who read along.
//
// It promises that [Channel.Post] returns without an error only once the message is
// durable, so that a client that got no answer sends the same message again under the same
// id, and it is one turn; and that a part is shown on the screens of its own chat alone.
//
// The adapter has no memory: the chat is in the store, its files are on a [shelf.Shelf], and a
// screen is a reader of events. So a text is delivered by being stored, and only files, questions
// and what waits behind them take the whole way out.
package web

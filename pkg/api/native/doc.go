// Package native is the gateway's own HTTP API: chats by name, messages by POST, and a stream of
// the events of a chat.
//
// It promises that one function finds the chat of a person and an id, and that nobody reaches
// another person's chat, question or stream, whose ids answer as unknown ones do; that a message is
// stored before it is confirmed, once for each Idempotency-Key; that a request only narrows its
// turn; that a stream goes on behind the id of its last event, or says reset; and that a token
// answers no question of a turn that it started itself.
//
// To add a route, add it to [API.Routes] and to docs/api.md.
package native

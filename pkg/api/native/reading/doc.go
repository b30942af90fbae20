// Package reading makes the forms in which programs and the page read chats: a page of a
// conversation, the list of a person's chats, the conversations of a chat, and the messages that
// wait for their turns.
//
// It promises that a delivered message is read once and at its place among the entries of the
// history, also between its event and its receipt; that a page and a list have their bounds,
// however long a conversation is; that the list has no chat of another person; and that each text
// has been redacted.
//
// It neither writes to the store nor knows a request: the routes of package native call it and
// answer.
package reading

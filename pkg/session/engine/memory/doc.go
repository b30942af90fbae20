// Package memory keeps the facts that chats and people have told.
//
// It promises that a fact of one call is stored once, that the facts of a chat and of a person stay
// within their bounds, and that no scope sees another one's. The rules are in package rules, since facts
// move and go with their chats.
package memory

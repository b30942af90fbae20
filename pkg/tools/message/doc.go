// Package message is the tool message: it sends a text to the chat of its call while
// the turn continues.
//
// It promises:
//
//   - It knows one destination, the chat that the registry gave it for this call. Its
//     arguments cannot name another one.
//   - A text is handed to the [Queue], which stores it with the call: it leaves once,
//     in order with all other messages for that chat.
//   - An empty text and one over [MaxText] are refused.
//
// To add a tool that speaks in a chat: keep the chat in plain fields that SetContext
// fills, and declare the small interface that it needs, as here.
package message

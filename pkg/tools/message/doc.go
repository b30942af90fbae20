// Package message is the tool message: it sends a text to the chat that its
// call belongs to, while the turn goes on.
//
// What it promises:
//
//   - It knows one destination, the chat that the registry gave it for this
//     call. No argument names another one.
//   - A text is handed to the [Queue], which stores it with the call: it leaves
//     once, in order with everything else for that chat.
//   - An empty text and one over [MaxText] are refused.
//
// To add a tool that speaks in a chat: keep the chat in plain fields that
// SetContext fills, and declare the small interface that it needs, as here.
package message

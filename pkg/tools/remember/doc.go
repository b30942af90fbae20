// Package remember is the tool remember, by which a model keeps facts for later conversations, and
// removes them.
//
// It promises that a call that is made again after a crash stores its fact once. A call changes the facts
// of its own chat, or of the person it talks to there. It counts as a change: once content from outside
// has entered the turn, a person is asked before.
package remember

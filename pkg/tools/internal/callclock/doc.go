// Package callclock has the contexts of tool calls: one with a clock that stands still
// while its call waits for a shared place, and one for work that outlasts its call.
package callclock

// Package backoff makes the pauses between attempts: [Exponential] grows them, [Spread] and [Below]
// draw them by chance, [Sleep] waits.
//
// It promises that a drawn pause is as long as the given one or longer with Spread, and at most as
// long with Below; that a growing pause stays within its bounds; and that Sleep ends with its
// context. It imports no other room, and every room may import it. Each room decides by itself
// which errors are worth another attempt.
package backoff

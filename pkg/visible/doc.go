// Package visible writes texts so that a person sees all of them: what a text hides, or shows as something
// else, becomes an escape. A question about a call is written so, and everything that people read of texts
// whose author may want to mislead them.
//
// It promises that different texts stay different, and that what it writes has no character without a shape of
// its own. It imports no other room, and every room may import it.
package visible

// Package login lets browsers in: by a link that the operator has just asked for, or by a code
// that the operator approves.
//
// It promises that a link is good once and for [LinkTime]; that a code which was approved logs
// in the one browser that was shown it, whose cookie holds a secret; that no credential stands
// in an address that reaches a server, in the log, or in memory other than as its hash; that
// the codes and links under way are bounded; and that a wrong link, and the cookie of no browser
// that waits, costs its sender [httpd.Delay], and a right one is taken however many wrong ones come.
//
// A browser that is let in has a session, which [Options].Begin makes and the store keeps.
package login

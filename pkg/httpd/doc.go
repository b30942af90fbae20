// Package httpd is the gateway's one HTTP server: page, programs, platforms and probes come
// in through it, behind one guard.
//
// It promises that each route takes one kind of credential and looks at no other; that a
// request under a foreign name (Host) reaches no route but the probes; that a write, or the
// beginning of a WebSocket, with a cookie comes from our own page; that each answer carries
// the security headers; that bodies, headers, connections and streams are bounded before a
// credential is looked at; that a panic is an answer 500 and a line in the log; and that the
// context of a request ends once its credential is revoked or expired. An address gives
// no rights: a proxy, a container and a foreign page in the owner's browser are on loopback
// too.
//
// A room adds its routes with [Server.Handle], each a [Route] with its [Access]; a handler
// reads its caller with [CallerFrom], refuses with [Refuse] and streams with [OpenStream], or
// with [Outlive] where the stream waits most of its time.
// A new kind of access is a row in [Server.admit], and in the table of the tests, which has
// a cell for each combination.
package httpd

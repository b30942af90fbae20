// Package admin is the operator's side of a gateway: the operations, such as listing
// the conversations or approving a pairing code, and the way to have one done in a
// gateway that runs.
//
// An [Operation] is a name, whether the audit log gets a row of it, and a handler. A
// handler works on the parts of a [Gateway] and emits the values of its answer, which
// are the report types of this package. Each operation is named in one place;
// [Operations] lists them all.
//
// A running gateway serves its operations over HTTP on a socket in its state folder
// ([Listen]). Only its own user and root are answered. A command that finds no gateway
// there does the operation itself, on parts of its own ([Ask]).
//
// Errors carry the exit code of the command that ends with them ([ExitError]), also
// over the socket.
//
// To add an operation: write its constructor beside its handler and list it in
// [Operations].
package admin

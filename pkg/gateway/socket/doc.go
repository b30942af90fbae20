// Package socket is the Unix socket in the state folder, on which the gateway answers commands
// and consoles.
//
// It promises:
//
//   - The gateway's own user, root and the members of one group reach the gateway; each other
//     user reads why not, and has a row in the audit log.
//   - Connections, and those that are turned away, are bounded.
package socket

// Package consoles serves the consoles that attach to a running gateway over its admin socket.
//
// It promises:
//
//   - The user at the other end of the socket is the caller, and acts as the person of the
//     console, with the rights of that. The socket lets in the gateway's own user, root and the members of a group.
//   - Each console that attaches has a row in the audit log with the user's id, and so has each
//     answer to a question.
//   - Requests and events under way are bounded, and one user takes half of the places at most.
//   - A console of another release is told so, and does nothing.
package consoles

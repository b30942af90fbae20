package approval

import (
	"parley/pkg/channels"
	"parley/pkg/session"
)

// Outcome is the outcome of an [Event], as the audit log has it.
type Outcome string

// The outcomes. A refused answer does not count, a void question lapses without one, and
// an approval is given up with the turn that was working on it.
const (
	Asked   Outcome = "asked"
	Allowed Outcome = "allowed"
	Denied  Outcome = "denied"
	Refused Outcome = "refused"
	Void    Outcome = "void"
	GivenUp Outcome = "given"
)

// Event is a question that was put, or the answer to one.
type Event struct {
	Approval session.Approval
	// By is the person of the question or the decision.
	By      channels.Sender
	Outcome Outcome
	// Granted says that the answer also holds for further calls in the chat.
	Granted bool
	// Detail is the outcome in words, with its reason.
	Detail string
}

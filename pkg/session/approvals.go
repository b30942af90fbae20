package session

import (
	"context"
	"time"

	"parley/pkg/channels"
)

// Approvals are the questions that were put to people, and the calls that they allowed
// in advance. A turn of the chat writes them, with its steps and its commit; see [Step]
// and [Commit].
type Approvals interface {
	// Approval finds one question.
	Approval(ctx context.Context, id string) (Approval, error)
	// ApprovalList returns the questions of a chat, or of all chats for "", the
	// oldest first. Those that are over are kept for 48 h at least.
	ApprovalList(ctx context.Context, chat string) ([]Approval, error)
	// Grants returns the grants of a chat, or of all chats for "", the oldest first,
	// expired ones included.
	Grants(ctx context.Context, chat string) ([]Grant, error)
	// RevokeGrant ends a grant and returns it; [ErrNotFound] when it is missing.
	RevokeGrant(ctx context.Context, id string) (Grant, error)
}

// ApprovalState is the state of an [Approval].
type ApprovalState string

// The states; all but ApprovalOpen are terminal.
const (
	ApprovalOpen    ApprovalState = "open"
	ApprovalAllowed ApprovalState = "allowed"
	ApprovalDenied  ApprovalState = "denied"
	// ApprovalVoid: it was pressed too late, or its object has changed.
	ApprovalVoid ApprovalState = "void"
)

// Approval is a call that waits for a person, or waited, exactly as it is to run.
type Approval struct {
	// ID is short and cannot be guessed.
	ID      string
	Chat    string
	Session string
	Address channels.Address
	// Task is the background agent of the call; it is asked about in the chat that
	// started the agent. "" for a call of the chat itself.
	Task string
	Call HeldCall
	// Text is the question as the person was shown it, Question the id of that message.
	Text     string
	Question string
	// Principal is the person for whom the call is made.
	Principal Principal
	// Tainted: untrusted content had entered the turn. Grantable: further calls of
	// the tool may be allowed in advance.
	Tainted   bool
	Grantable bool
	// Wish is that of the message for which the call is made, or nil.
	Wish  *channels.Wish
	Asked time.Time
	// Expires is absolute: no restart extends it.
	Expires time.Time
	State   ApprovalState
	// Answer is empty as long as the approval is open.
	Answer ApprovalAnswer
}

// HeldCall is the call that an [Approval] is about.
type HeldCall struct {
	// Turn, Round, Index and ID say where the call stands.
	Turn  string
	Round int
	Index int
	ID    string
	// Tool and Arguments are the call, byte for byte.
	Tool      string
	Arguments string
	// Fingerprint is of the files and settings that the call relies on, as they were when
	// it was asked for.
	Fingerprint string
}

// ApprovalAnswer is how an [Approval] ended.
type ApprovalAnswer struct {
	// By decided at At, in the turn Turn; Reason says why the approval is void.
	By     channels.Sender
	At     time.Time
	Turn   string
	Reason string
}

// Grant allows further calls of one tool by one person in one chat.
type Grant struct {
	ID      string           `json:"id"`
	Chat    string           `json:"chat"`
	Address channels.Address `json:"address"`
	Tool    string           `json:"tool"`
	Person  channels.Sender  `json:"person"`
	// Approval is the question that was answered with it.
	Approval string    `json:"approval"`
	Since    time.Time `json:"since"`
	Expires  time.Time `json:"expires"`
}

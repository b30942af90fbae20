package session

import (
	"context"
	"time"

	"parley/pkg/channels"
)

// Approvals are the questions that were put to people, and what they allowed in
// advance. A turn of the chat writes them, with its steps and its commit; see
// [Step] and [Commit].
type Approvals interface {
	// Approval finds one question.
	Approval(ctx context.Context, id string) (Approval, error)
	// ApprovalList returns the questions of a chat, or of all chats for "", the
	// oldest first. Those that are over are kept for 48 h at least.
	ApprovalList(ctx context.Context, chat string) ([]Approval, error)
	// Grants returns what was allowed in advance in a chat, or in all chats for "",
	// the oldest first, also what has expired.
	Grants(ctx context.Context, chat string) ([]Grant, error)
	// RevokeGrant ends a grant and returns it; [ErrNotFound] when there is none.
	RevokeGrant(ctx context.Context, id string) (Grant, error)
}

// ApprovalState says what became of an [Approval].
type ApprovalState string

// The states; all but ApprovalOpen are terminal.
const (
	ApprovalOpen    ApprovalState = "open"
	ApprovalAllowed ApprovalState = "allowed"
	ApprovalDenied  ApprovalState = "denied"
	// ApprovalVoid: it was pressed too late, or what it was about has changed.
	ApprovalVoid ApprovalState = "void"
)

// Approval is a call that waits for a person, or waited, exactly as it is to run.
type Approval struct {
	// ID is short and cannot be guessed.
	ID string `json:"id"`
	// Chat, Session, Turn, Round, Index and Call say where the call stands.
	Chat    string           `json:"chat"`
	Session string           `json:"session"`
	Address channels.Address `json:"address"`
	Turn    string           `json:"turn"`
	// Task is the background agent's whose call it is; it is asked about in the chat
	// that started the agent. "" for a call of the chat itself.
	Task  string `json:"task,omitempty"`
	Round int    `json:"round"`
	Index int    `json:"index"`
	Call  string `json:"call"`
	// Tool and Arguments are the call, byte for byte.
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
	// Text is what the person was shown, Question the id of that message.
	Text     string `json:"text"`
	Question string `json:"question"`
	// Fingerprint is of what the call relies on, as it was when it was asked for.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Requester is for whom the call is made; Direct and Level are what they
	// had then, in the words of policy.
	Requester channels.Sender `json:"requester"`
	Direct    bool            `json:"direct,omitempty"`
	Level     string          `json:"level"`
	// Tainted: untrusted content had entered the turn. Grantable: further calls of
	// the tool may be allowed in advance.
	Tainted   bool      `json:"tainted,omitempty"`
	Grantable bool      `json:"grantable,omitempty"`
	Asked     time.Time `json:"asked"`
	// Expires is absolute: no restart extends it.
	Expires time.Time     `json:"expires"`
	State   ApprovalState `json:"state"`
	// By decided at Decided, in DecidedTurn; Reason says why it is void.
	By          channels.Sender `json:"by,omitzero"`
	Decided     time.Time       `json:"decided,omitzero"`
	DecidedTurn string          `json:"decided_turn,omitempty"`
	Reason      string          `json:"reason,omitempty"`
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

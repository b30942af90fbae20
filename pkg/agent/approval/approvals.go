package approval

import (
	"context"

	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Store keeps the questions and the grants.
type Store interface {
	// Approval finds one question, ApprovalList those of a chat.
	Approval(ctx context.Context, id string) (session.Approval, error)
	ApprovalList(ctx context.Context, chat string) ([]session.Approval, error)
	// Grants are the grants of a chat.
	Grants(ctx context.Context, chat string) ([]session.Grant, error)
}

// Inbox takes decisions as items of their chats.
type Inbox interface {
	Append(ctx context.Context, items []session.Item, cursor *channels.Cursor) error
	// Waits finds an item that no turn has consumed.
	Waits(ctx context.Context, id string) (session.Item, error)
}

// Options are the parts that [Approvals] work with; all are required.
type Options struct {
	Store Store
	Inbox Inbox
	// Chat finds the chat at an address.
	Chat func(ctx context.Context, at channels.Address) (session.Info, error)
	// Task finds the task that a question belongs to, and TaskName names it for people.
	Task     func(ctx context.Context, id string) (session.Task, error)
	TaskName func(t *session.Task) string
	// Rules say which calls a person is asked about.
	Rules policy.Approvals
	// OnEvent is told of each question that is put, and of each answer to one. It must
	// not wait.
	OnEvent func(Event)
	// OnRevoke is told which grant a person ends. It must not wait.
	OnRevoke func(g session.Grant, by channels.Sender)
	// Forget forgets a chat whose person has said so.
	Forget func(ctx context.Context, f Forget) error
	// Redact removes secrets from a text.
	Redact func(string) string
}

// Approvals ask people about calls and carry out their decisions.
type Approvals struct{ o Options }

var _ turn.Approvals = (*Approvals)(nil)

// New returns the approvals of an engine.
func New(o Options) *Approvals { return &Approvals{o} }

// Gate is the gate of a turn's calls.
func (p *Approvals) Gate(t *turn.Turn) tools.Gate { return &gate{t: t, approvals: p} }

// Asked tells of a question that is put.
func (p *Approvals) Asked(a *session.Approval) {
	p.o.OnEvent(Event{Approval: *a, By: a.Principal.Sender, Outcome: Asked, Detail: "asked"})
}

// refuse tells of a decision that does not count.
func (p *Approvals) refuse(a *session.Approval, by channels.Sender, why string) {
	p.o.OnEvent(Event{Approval: *a, By: by, Outcome: Refused, Detail: "refused: " + why})
}

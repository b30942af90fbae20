package engine

import (
	"parley/pkg/session"
	"parley/pkg/session/engine/memory"
)

// The parts of the engine that need no state of their own. Each is the engine, seen by the
// callers of one interface.
type (
	sessions  struct{ e *Engine }
	chats     struct{ e *Engine }
	tasks     struct{ e *Engine }
	jobs      struct{ e *Engine }
	approvals struct{ e *Engine }
)

// Inbox is the way in.
func (e *Engine) Inbox() session.Inbox { return e.in }

// Outbox is the way out.
func (e *Engine) Outbox() session.Outbox { return e.out }

// Sessions are the conversations.
func (e *Engine) Sessions() session.Sessions { return sessions{e} }

// Chats are the facts of a chat beside its conversations.
func (e *Engine) Chats() session.Chats { return chats{e} }

// Tasks are background works.
func (e *Engine) Tasks() session.Tasks { return tasks{e} }

// Jobs are schedules.
func (e *Engine) Jobs() session.Jobs { return jobs{e} }

// Approvals are the questions that were put to people.
func (e *Engine) Approvals() session.Approvals { return approvals{e} }

// ReadingOf is how far the chats of an engine were read.
func ReadingOf(e *Engine) session.Reading { return chats{e} }

// Tokens are the credentials of programs and browsers.
func (e *Engine) Tokens() session.Credentials { return e.tokens }

// FactsOf are the facts that the chats and people of an engine have told.
func FactsOf(e *Engine) session.Facts { return memory.New(e.w) }

// Pairs are the people whom the operator let in by a code.
func (e *Engine) Pairs() session.Pairs { return e.pairs }

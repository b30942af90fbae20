package reading

import (
	"context"
	"time"

	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/session"
	"parley/pkg/shelf"
)

// Store has the conversations and the questions; the methods are those of [session.Sessions] and
// [session.Approvals].
type Store interface {
	Lookup(ctx context.Context, a channels.Address) (session.Info, error)
	Back(ctx context.Context, sessionID string, before uint64, f func(session.Entry) bool) error
	Left(ctx context.Context, chat string, limit int) ([]session.Info, error)
	ApprovalList(ctx context.Context, chat string) ([]session.Approval, error)
}

// Activity is what a list shows of chats beside their messages: which were active last, how many
// messages are new, and what waits for its turn. The methods are those of [session.Reading].
type Activity interface {
	Unread(ctx context.Context, chat string, limit int) (int, error)
	Queued(ctx context.Context, a channels.Address, limit int) ([]session.Item, error)
	Newest(ctx context.Context, of channels.Address, limit int) ([]session.Info, error)
	Shown(ctx context.Context, sessionID string, from uint64, f func(session.Shown) bool) error
}

// Options are the parts that a [Reader] works with; all are required.
type Options struct {
	// Channel is the name of the channel of the chats.
	Channel  string
	Hub      *events.Hub
	Store    Store
	Activity Activity
	// Files are those of the chats.
	Files  *shelf.Shelf
	Redact func(string) string
	// IsStop says whether a text is the command that a button of the page sends: it is no words
	// of the person.
	IsStop func(text string) bool
}

// Reader reads the chats of an API. Its methods may be called by many at once.
type Reader struct{ o Options }

// New returns the reader of some chats.
func New(o Options) *Reader { return &Reader{o} }

// IsOpen says whether a question still waits for its answer.
func IsOpen(q *session.Approval) bool {
	return q.State == session.ApprovalOpen && time.Now().Before(q.Expires)
}

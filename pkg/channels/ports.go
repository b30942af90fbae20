package channels

import (
	"context"
	"io/fs"
)

// Decision is an [Authorizer]'s word on one [Inbound].
type Decision struct {
	Allow bool
	// Overheard says that the only thing against the inbound is that it does not speak
	// to the bot: the part of an album is then taken where that album waits.
	Overheard bool
	// Reason is for the log, without message text.
	Reason string
	// Err says that it cannot be decided now: the inbound is not taken, and asked about
	// again when its platform delivers it again. The other fields do not count then.
	Err error
}

// Authorizer decides which people may start a turn. It is asked about every inbound
// that is delivered, whatever its kind; it must be quick and safe for many goroutines.
type Authorizer interface {
	Authorize(ctx context.Context, in Inbound) Decision
}

// Cursor moves a platform's reading position together with the items that were read.
// From is the position the poller believes in; when another poller moved it, the whole
// delivery fails with an error that is [ErrFenced].
type Cursor struct {
	Name     string `json:"name"`
	From, To string
}

// Sink stores the admitted items. Accept is durable when it returns nil, and swallows
// items that it has seen before (by ID). A part of an album joins the waiting parts of
// the same sender; one that was overheard and has none to join is dropped. It may get
// no items when only the cursor moves.
type Sink interface {
	Accept(ctx context.Context, items []Inbound, cursor *Cursor) error
	// Position is the stored position of a cursor, "" for a new one.
	Position(ctx context.Context, name string) (string, error)
}

// Outbox is the durable queue that [Egress] empties.
type Outbox interface {
	// AtOnce lets texts of an account count as delivered when they are stored, until over is
	// called: where no other message of their chat waits, and while RunOutbox runs. Ready is asked
	// about each message before its transaction, on any goroutine. Where ok says that the message
	// is such a text, show is called once it is durable, and before the next message of its chat
	// is shown.
	AtOnce(channel, account string, ready func(*Outbound) (show func(), ok bool)) (over func())
	// RunOutbox hands the pending deliveries of one account to h: one after the
	// other within a chat, in the order they were put, chats beside each other,
	// until ctx ends; then it waits for every h. An error of h, or a return
	// without Settle, leaves the delivery pending and it is handed over again
	// after a pause. An error that is a [*SendError] of another class than
	// [SendAmbiguous] says that the next part surely was not sent.
	RunOutbox(ctx context.Context, channel, account string, h func(context.Context, Delivery) error) error
}

// Files hold the contents of the files that wait to be sent, each under the id of
// its [Outbound].
type Files interface {
	// Open gives a content from its beginning; it is called once for each attempt.
	Open(outboundID string) (fs.File, error)
	// Drop forgets a content: its message has an outcome. One that is not there is no error.
	Drop(outboundID string) error
}

// Delivery is one pending [Outbound] with the known state of its parts.
type Delivery interface {
	// Info is the state when the delivery was handed over.
	Info() DeliveryInfo
	// Plan says how the text is cut, once, unless Info has a plan. When it returns nil
	// the delivery is durable, with part 0 marked as being sent and, where there are
	// several, with the parts: no part may leave before. A message that leaves at once
	// is handed over while it is being stored. It may be cut anew until a part can have
	// left.
	Plan(ctx context.Context, parts []string) error
	// Advance stores the receipt of a part that is not the last and marks the
	// next one as being sent. Durable when it returns nil.
	Advance(ctx context.Context, part int, r Receipt) error
	// Ambiguous counts one more attempt of which it is unknown whether it took
	// effect. Durable when it returns nil.
	Ambiguous(ctx context.Context, part int) error
	// Settle ends the delivery. Durable when it returns nil.
	Settle(ctx context.Context, o Outcome) error
}

// DeliveryInfo is the stored state of a [Delivery].
type DeliveryInfo struct {
	Outbound Outbound
	// Parts is the stored plan, or empty.
	Parts []string
	// Receipts are those of the parts 0..len-1 that are surely accepted.
	Receipts []Receipt
	// Marked means that part len(Receipts) was stored as being sent.
	Marked bool
	// Unknown means that it was already marked when this process found it: it
	// may be on the platform. The attempt has been counted in Ambiguities.
	Unknown bool
	// Ambiguities counts attempts, of the current part, with unknown effect.
	Ambiguities int
	// Edits is the message that Outbound.Finishes names, where that was delivered to
	// this chat: the first part takes its place.
	Edits string
	// Awaited is closed from when something stands in the chat's queue that is not
	// Unasked, the delivery itself or one behind it. A nil channel does not close.
	Awaited <-chan struct{}
	// Newest says that the delivery did not wait in order to be handed out: its person
	// wrote last, of many that waited or alone. Where deliveries wait once more, a part
	// of the places there is for these, the last one first.
	Newest bool
}

// Outcome is how a [Delivery] ended.
type Outcome struct {
	State OutcomeState
	// Receipt is that of the last part when State is [Delivered].
	Receipt Receipt
	// Kept says that the store keeps a delivered message with its chat, see [Screen].
	Kept bool
	// Reason is why it was not delivered, without message text.
	Reason string
	// Suspend marks the chat as unreachable until it writes again.
	Suspend bool
}

// OutcomeState is the word for how a delivery ended.
type OutcomeState string

// The states of an [Outcome].
const (
	// Delivered: every part has a receipt.
	Delivered OutcomeState = "delivered"
	// Refused: the platform will not take it at any time.
	Refused OutcomeState = "refused"
	// Unsettled: sent once more after an unknown attempt, and that one is unknown too.
	Unsettled OutcomeState = "unsettled"
)

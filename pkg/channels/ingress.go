package channels

import (
	"context"
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"parley/internal/failpoint"
)

// Ingress is the gate on the way in. It is safe for many goroutines.
type Ingress struct {
	sink Sink
	auth Authorizer
	log  zerolog.Logger
}

// NewIngress returns the gate that asks auth about each item and hands the admitted
// ones to sink.
func NewIngress(sink Sink, auth Authorizer, log zerolog.Logger) *Ingress {
	return &Ingress{sink: sink, auth: auth, log: log}
}

// Deliver takes items in the order of their arrival, and the cursor that moves with
// them. No error means that every item is durably stored or refused for good and that
// the cursor has moved: the adapter may acknowledge its platform now. After an error,
// of the store or of an undecided [Authorizer], all of the items are to be delivered
// again; an error that is [ErrFenced] says that another poller reads this account.
//
// An item with an identity that cannot be trusted (no id, no sender, control characters
// in an id) or that the [Authorizer] denies is logged without its text and left out;
// but the part of an album that is merely not addressed to the bot is handed on as
// overheard. The rest is normalised: see [Inbound] and the limits of this package.
func (i *Ingress) Deliver(ctx context.Context, items []Inbound, cursor *Cursor) error {
	_, err := i.Admit(ctx, items, cursor)
	return err
}

// Admit is [Ingress.Deliver] and returns the admitted items, as they were handed on.
// After an error there are none.
func (i *Ingress) Admit(ctx context.Context, items []Inbound, cursor *Cursor) ([]Inbound, error) {
	passed := make([]Inbound, 0, len(items))
	for n := range items {
		if reason := malformed(items[n]); reason != "" {
			i.refuse(items[n], reason)
			continue
		}
		in := normalise(items[n])
		d := i.auth.Authorize(ctx, in)
		if d.Err != nil {
			return nil, fmt.Errorf("authorize: %w", d.Err)
		}
		in.Overheard = !d.Allow
		if in.Overheard && (!d.Overheard || in.Group == "") {
			i.refuse(in, d.Reason)
			continue
		}
		passed = append(passed, in)
	}
	if len(passed) == 0 && cursor == nil {
		return nil, nil
	}
	failpoint.Hit("P1")
	if err := i.sink.Accept(ctx, passed, cursor); err != nil {
		return nil, fmt.Errorf("accept %d items: %w", len(passed), err)
	}
	failpoint.Hit("P2")
	return passed, nil
}

// Position is the stored position of a cursor, "" for a new one.
func (i *Ingress) Position(ctx context.Context, name string) (string, error) {
	pos, err := i.sink.Position(ctx, name)
	if err != nil {
		return "", fmt.Errorf("position of %s: %w", name, err)
	}
	return pos, nil
}

// refuse logs the refused sender and the reason. A refused stranger's text is cut here.
func (i *Ingress) refuse(in Inbound, reason string) {
	i.log.Info().
		Str("channel", loggable(in.Address.Channel)).
		Str("account", loggable(in.Address.Account)).
		Str("chat", loggable(in.Address.Chat)).
		Str("sender", loggable(in.Sender.ID)).
		Str("kind", loggable(string(in.Kind))).
		Str("inbound", loggable(in.ID)).
		Str("reason", reason).
		Msg("inbound refused")
}

// malformed says why an item's identity cannot be trusted, "" when it can. Ids are not
// repaired: a repaired one might equal someone else's.
func malformed(in Inbound) string {
	switch {
	case in.ID == "":
		return "no id"
	case in.Address.Channel == "" || in.Address.Chat == "":
		return "no address"
	case in.Sender.ID == "":
		return "no sender"
	case !slices.Contains(Kinds(), in.Kind):
		return "unknown kind"
	case !in.Wish.valid():
		return "malformed wish"
	}
	at := &in.Address
	ids := [...]string{in.ID, at.Channel, at.Account, at.Chat, at.Thread, in.Sender.ID, in.MessageID, in.Group, in.Original}
	for _, id := range ids {
		if !cleanID(id) {
			return "malformed id"
		}
	}
	return ""
}

package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// pairingAuthorizer is the gate on the way in. A stranger who may be paired is told a
// code there, through the outbox, and is refused like any other: their message is
// dropped. A paired person in a group is refused as well, and told there that pairing
// covers direct chats.
type pairingAuthorizer struct {
	policyAuthorizer

	pairs session.Pairs
	log   zerolog.Logger
}

// Authorize implements [channels.Authorizer].
func (r pairingAuthorizer) Authorize(ctx context.Context, in channels.Inbound) channels.Decision {
	v := r.verdict(ctx, in)
	var did string
	var err error
	switch {
	case v.MayPair:
		did, err = r.greet(ctx, in)
	case v.DirectOnly:
		did, err = r.explain(ctx, in)
	default:
		return decision(v)
	}
	return channels.Decision{Reason: v.Reason + ": " + did, Err: err}
}

// explain tells a paired person in a group the scope of pairing, and the log the cure:
// once in [policy.PairNoteTime] for each person and group.
func (r pairingAuthorizer) explain(ctx context.Context, in channels.Inbound) (string, error) {
	told, err := r.pairs.NotePair(ctx, session.PairNote{
		Person: in.Sender.ID, Every: policy.PairNoteTime,
		Out: channels.Outbound{
			ID:      session.PairNoteID(in.Address, in.ID),
			Address: in.Address, ReplyTo: in.MessageID, Time: time.Now(),
			Text: textDirectOnly,
		},
	})
	switch {
	case errors.Is(err, session.ErrNotFound): // the pairing was revoked just now
		return "the sender is no longer paired", nil
	case err != nil:
		return "", fmt.Errorf("a note to a paired person could not be stored: %w", err)
	case told:
		r.log.Warn().Str("channel", in.Address.Channel).Str("account", in.Address.Account).Str("chat", in.Address.Chat).Str("sender",
			in.Sender.ID).
			Msg("a paired person asks in a group, and pairing covers direct chats only: to answer there, add the sender to allow or the chat to " +
				"the allowed groups")
	}
	return "the sender is paired, for direct chats only", nil
}

// greet tells a stranger a code, once in the time that one is good. It returns its
// action, for the log, without the code. After an error they are greeted when they are
// heard again.
func (r pairingAuthorizer) greet(ctx context.Context, in channels.Inbound) (string, error) {
	now := time.Now()
	code := policy.NewPairingCode()
	answer, err := r.pairs.AskPair(ctx, session.PairRequest{
		Code: code, Address: in.Address, Sender: in.Sender, Asked: now, Expires: now.Add(policy.PairingTime),
	}, channels.Outbound{
		// One message of the platform is answered once, however often it comes.
		ID:      session.PairCodeID(in.Address, in.ID),
		Address: in.Address,
		Text:    fmt.Sprintf(textPairingCode, code),
		Time:    now,
	}, session.PairBounds{Open: policy.MaxPairing, Grace: policy.PairingGrace})
	if err != nil {
		return "", fmt.Errorf("a pairing code could not be stored: %w", err)
	}
	switch answer {
	case session.PairAsked:
		return "a pairing code is sent", nil
	case session.PairFull:
		return "no pairing code is sent, as too many strangers hold one", nil
	default:
		return "a pairing code was sent before", nil
	}
}

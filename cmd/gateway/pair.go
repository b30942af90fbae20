package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// reception is the gate on the way in. A stranger who may be paired is told a
// code there, through the outbox, and is refused like any other: nothing of what
// they wrote is kept.
type reception struct {
	gatekeeper

	pairs session.Pairs
}

// Authorize implements [channels.Authorizer].
func (r reception) Authorize(ctx context.Context, in channels.Inbound) channels.Decision {
	v := r.verdict(ctx, in)
	if !v.MayPair {
		return decision(v)
	}
	did, err := r.greet(ctx, in)
	return channels.Decision{Reason: v.Reason + ": " + did, Err: err}
}

// greet tells a stranger a code, once in the time that one is good. It returns
// what it did, for the log: never the code. After an error they are greeted when
// they are heard again.
func (r reception) greet(ctx context.Context, in channels.Inbound) (string, error) {
	now := time.Now()
	code := policy.NewPairingCode()
	answer, err := r.pairs.AskPair(ctx, session.PairRequest{
		Code: code, Address: in.Address, Sender: in.Sender, Asked: now, Expires: now.Add(policy.PairingTime),
	}, channels.Outbound{
		// One message of the platform is answered once, however often it comes.
		ID:      "pair/" + in.Address.Channel + "/" + in.Address.Account + "/" + in.ID,
		Address: in.Address,
		Text: "This bot does not know you yet. Give this code to whoever runs it, and they can let you in:\n\n`" + code +
			"`\n\nThe code is good for one hour. What you write here until then is not read.",
		Time: now,
	}, policy.MaxPairing)
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

// pairReport is one value of the answer to the operations on pairs.
type pairReport struct {
	// State is paired, waiting, expired or revoked.
	State string `json:"state"`
	Code  string `json:"code,omitempty"`
	Who   string `json:"who"`
	Name  string `json:"name,omitempty"`
	// Time is since when somebody is paired, or until when the code is good.
	Time time.Time `json:"time"`
}

func newPairReport(state, code string, at channels.Address, who channels.Sender, t time.Time) pairReport {
	person := policy.Person{Channel: at.Channel, Account: at.Account, ID: who.ID}
	return pairReport{State: state, Code: code, Who: person.String(), Name: who.Name, Time: t}
}

// pairOp does an operation on pairs.
func (a *App) pairOp(ctx context.Context, op, arg string, emit emitter) error {
	switch op {
	case opApprove:
		return a.approvePair(ctx, arg, emit)
	case opRevoke:
		return a.revokePairs(ctx, arg, emit)
	default:
		return a.listPairs(ctx, emit)
	}
}

func (a *App) listPairs(ctx context.Context, emit emitter) error {
	pairs, asks, err := a.engine.PairList(ctx)
	if err != nil {
		return err
	}
	for i := range asks {
		r, state := &asks[i], "waiting"
		if !r.Open(time.Now()) {
			state = "expired"
		}
		if err := emit(newPairReport(state, r.Code, r.Address, r.Sender, r.Expires)); err != nil {
			return err
		}
	}
	for i := range pairs {
		p := &pairs[i]
		if err := emit(newPairReport("paired", "", p.Address, p.Sender, p.Since)); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) approvePair(ctx context.Context, arg string, emit emitter) error {
	code, err := policy.ParsePairingCode(arg)
	if err != nil {
		return err
	}
	now := time.Now()
	p, err := a.engine.ApprovePair(ctx, code, now, func(r session.PairRequest) channels.Outbound {
		return channels.Outbound{
			ID: "pair/" + r.Code, Address: r.Address, Time: now,
			Text: "You are let in. Please write again: what you wrote before was not read.",
		}
	})
	switch {
	case errors.Is(err, session.ErrExpired):
		return fmt.Errorf("the code %s has expired: whoever got it writes to the bot again and gets a new one", code)
	case errors.Is(err, session.ErrNotFound):
		return fmt.Errorf("nobody was told the code %s: gateway pair list shows who waits", code)
	case err != nil:
		return err
	}
	return emit(newPairReport("paired", "", p.Address, p.Sender, p.Since))
}

func (a *App) revokePairs(ctx context.Context, arg string, emit emitter) error {
	who, err := policy.ParsePerson(arg)
	if err != nil {
		return err
	}
	ended, err := a.engine.RevokePairs(ctx, who.Channel, who.Account, who.ID)
	if errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf("%s is not paired: gateway pair list shows who is, and who is on an allow list is removed there", who)
	}
	if err != nil {
		return err
	}
	for i := range ended {
		if err := emit(newPairReport("revoked", "", ended[i].Address, ended[i].Sender, ended[i].Since)); err != nil {
			return err
		}
	}
	return nil
}

func newPair(h *host) *cobra.Command {
	arg := func(words []string) deskArgs { return deskArgs{Pair: words[0]} }
	c := group("pair", "Let in strangers who were told a code, or list or revoke them",
		verb(h, "list", "List who waits to be let in, and who was", opPairs, cobra.NoArgs, noArgs, showPair),
		verb(h, "approve CODE", "Let in whoever was told this code", opApprove, cobra.ExactArgs(1), arg, showPair),
		verb(h, "revoke CHANNEL:[ACCOUNT/]ID", "Take it back, at once", opRevoke, cobra.ExactArgs(1), arg, showPair))
	c.Long = `A stranger who writes to a bot in a direct chat gets a code, good for one hour,
and nothing else. Whoever runs the gateway approves it here. Who is paired may use
direct chats with this bot as if on its allow list; in groups nothing changes.`
	return c
}

func showPair(w io.Writer, r pairReport) error {
	when := "since "
	if r.Code != "" {
		when = "until "
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.State, r.Code, r.Who, r.Name, when+r.Time.Format(time.DateTime))
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// reception is the gate on the way in. A stranger who may be paired is told a
// code there, through the outbox, and is refused like any other: nothing of what
// they wrote is kept. A paired person who speaks to the bot in a group is refused as
// well, and told there what pairing covers.
type reception struct {
	gatekeeper

	pairs  session.Pairs
	people session.PairedPeople
	log    zerolog.Logger
}

// Authorize implements [channels.Authorizer].
func (r reception) Authorize(ctx context.Context, in channels.Inbound) channels.Decision {
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

// explain tells a paired person in a group what pairing covers, and the log the cure:
// once in [policy.PairNoteTime] for each person and group.
func (r reception) explain(ctx context.Context, in channels.Inbound) (string, error) {
	told, err := r.people.NotePair(ctx, session.PairNote{
		Person: in.Sender.ID, Every: policy.PairNoteTime,
		Out: channels.Outbound{
			ID:      "pair-note/" + in.Address.Channel + "/" + in.Address.Account + "/" + in.ID,
			Address: in.Address, ReplyTo: in.MessageID, Time: time.Now(),
			Text: "You are let in for direct messages with me only: here I answer once the operator allows you or this chat in the configuration.",
		},
	})
	switch {
	case errors.Is(err, session.ErrNotFound): // the pairing was revoked just now
		return "the sender is no longer paired", nil
	case err != nil:
		return "", fmt.Errorf("a note to a paired person could not be stored: %w", err)
	case told:
		r.log.Warn().Str("channel", in.Address.Channel).Str("account", in.Address.Account).Str("chat", in.Address.Chat).Str("sender", in.Sender.ID).
			Msg("a paired person asks in a group, and pairing covers direct chats only: to answer there, add the sender to allow or the chat to the allowed groups")
	}
	return "the sender is paired, for direct chats only", nil
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

// pairReport is one value of the answer to the operations on pairs.
type pairReport struct {
	// State is paired, waiting, expired or revoked.
	State string `json:"state"`
	Code  string `json:"code,omitempty"`
	Who   string `json:"who"`
	Name  string `json:"name,omitempty"`
	// Owner says that a pair has the rights of an owner in direct chats.
	Owner bool `json:"owner,omitempty"`
	// Time is since when somebody is paired, or until when the code is good.
	Time time.Time `json:"time"`
}

func newPairReport(state, code string, at channels.Address, who channels.Sender, t time.Time) pairReport {
	person := policy.Person{Channel: at.Channel, Account: at.Account, ID: who.ID}
	return pairReport{State: state, Code: code, Who: person.String(), Name: who.Name, Time: t}
}

// pairedReport tells of a pair that is paired or revoked.
func pairedReport(state string, p *session.Pair) pairReport {
	r := newPairReport(state, "", p.Address, p.Sender, p.Since)
	r.Owner = p.Owner
	return r
}

// pairOp does an operation on pairs. Once a code is approved, args name the person in
// its place, for the audit log.
func (a *App) pairOp(ctx context.Context, op string, args *deskArgs, emit emitter) error {
	switch op {
	case opApprove:
		return a.approvePair(ctx, args, emit)
	case opRevoke:
		return a.revokePairs(ctx, args.Pair, emit)
	default:
		return a.listPairs(ctx, emit)
	}
}

func (a *App) listPairs(ctx context.Context, emit emitter) error {
	pairs, asks, err := a.engine.PairList(ctx)
	if err != nil {
		return err
	}
	a.namePeople(ctx, pairs, asks)
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
		if err := emit(pairedReport("paired", &pairs[i])); err != nil {
			return err
		}
	}
	return nil
}

// namesTime bounds how long a platform is asked for the names in a list.
const namesTime = 5 * time.Second

// namePeople gives the people a name who have none: on Slack a message comes without
// one. Names that the platform tells are stored; the rest stay without.
func (a *App) namePeople(ctx context.Context, pairs []session.Pair, asks []session.PairRequest) {
	ctx, cancel := context.WithTimeout(ctx, namesTime)
	defer cancel()
	name := func(at channels.Address, who *channels.Sender) {
		from, ok := a.at(at).(channels.Namer)
		if who.Name != "" || !ok || ctx.Err() != nil {
			return
		}
		if who.Name = from.PersonName(ctx, who.ID); who.Name == "" {
			return
		}
		if err := a.engine.NamePerson(ctx, at.Channel, at.Account, who.ID, who.Name); err != nil {
			a.log.Warn().Err(err).Str("sender", who.ID).Msg("a person's name could not be stored")
		}
	}
	for i := range asks {
		name(asks[i].Address, &asks[i].Sender)
	}
	for i := range pairs {
		name(pairs[i].Address, &pairs[i].Sender)
	}
}

func (a *App) approvePair(ctx context.Context, args *deskArgs, emit emitter) error {
	code, err := policy.ParsePairingCode(args.Pair)
	if err != nil {
		return coded(exitUsage, err)
	}
	now := time.Now()
	text := "You are let in. Please write again: what you wrote before was not read."
	if args.Owner {
		text = "You are let in, with the rights of an owner. Please write again: what you wrote before was not read."
	}
	p, err := a.engine.ApprovePair(ctx, code, session.PairApproval{
		Now: now, Owner: args.Owner, Notice: func(r session.PairRequest) channels.Outbound {
			return channels.Outbound{ID: "pair/" + r.Code, Address: r.Address, Time: now, Text: text}
		},
	})
	switch {
	case errors.Is(err, session.ErrExpired):
		return fmt.Errorf("the code %s has expired: whoever got it writes to the bot again and gets a new one", code)
	case errors.Is(err, session.ErrNotFound):
		return fmt.Errorf("nobody was told the code %s: gateway pair list shows who waits", code)
	case err != nil:
		return err
	}
	people := []session.Pair{p}
	a.namePeople(ctx, people, nil)
	r := pairedReport("paired", &people[0])
	args.Pair = r.Who
	return emit(r)
}

func (a *App) revokePairs(ctx context.Context, arg string, emit emitter) error {
	who, err := policy.ParsePerson(arg)
	if err != nil {
		return coded(exitUsage, err)
	}
	ended, err := a.engine.RevokePairs(ctx, who.Channel, who.Account, who.ID)
	if errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf("%s is not paired: gateway pair list shows who is, and who is on an allow list is removed there", who)
	}
	if err != nil {
		return err
	}
	for i := range ended {
		if err := emit(pairedReport("revoked", &ended[i])); err != nil {
			return err
		}
	}
	return nil
}

func newPair(h *host) *cobra.Command {
	arg := func(words []string) deskArgs { return deskArgs{Pair: words[0]} }
	owner := false
	approve := verb(h, "approve CODE", "Let in the person who was told this code", opApprove, cobra.ExactArgs(1),
		func(words []string) deskArgs { return deskArgs{Pair: words[0], Owner: owner} }, showPair)
	approve.Flags().BoolVar(&owner, "owner", false, "give the rights of an owner in direct chats: yourself, that is")
	c := group("pair", "Let in strangers who were told a code, or list or revoke them",
		verb(h, "list", "List who waits to be let in, and who was", opPairs, cobra.NoArgs, noArgs, showPair),
		approve,
		verb(h, "revoke CHANNEL:[ACCOUNT/]ID", "Take it back, at once", opRevoke, cobra.ExactArgs(1), arg, showPair))
	c.Long = `A stranger who writes to a bot in a direct chat gets a code, good for one hour,
and nothing else. The operator approves it here. Paired people may use direct chats
with this bot as if they were on its allow list, or with --owner as if they were
among owners in the configuration: in these chats the bot reads and writes the files
of the console and remembers. Pairing covers no groups: there a paired person is told
so, once a day. To change the rights of a pair, revoke it and approve a new code.`
	return c
}

func showPair(w io.Writer, r pairReport) error {
	state, when := r.State, "since "
	if r.Code != "" {
		when = "until "
	}
	if r.Owner {
		state += " as owner"
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", state, r.Code, inCell(r.Who), inCell(r.Name), when+r.Time.Format(time.DateTime))
	return err
}

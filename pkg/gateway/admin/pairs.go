package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/httpd/login"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// ListPairs emits a [PairReport] of each stranger with a code, and of each pair.
func ListPairs() Operation { return Operation{Name: "pair list", Handle: listPairs} }

// ApprovePair lets in the person with a pairing code. It emits one [PairReport].
func ApprovePair() Operation {
	return Operation{Name: "pair approve", Audited: true, Handle: approvePair}
}

// RevokePairs ends the pairs of a person. It emits a [PairReport] of each.
func RevokePairs() Operation {
	return Operation{Name: "pair revoke", Audited: true, Handle: revokePairs}
}

// PairReport is one value of the answer to the operations on pairs.
type PairReport struct {
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

func newPairReport(state, code string, at channels.Address, who channels.Sender, t time.Time) PairReport {
	person := policy.Person{Channel: at.Channel, Account: at.Account, ID: who.ID}
	return PairReport{State: state, Code: code, Who: person.String(), Name: who.Name, Time: t}
}

// pairedReport tells of a pair that is paired or revoked.
func pairedReport(state string, p *session.Pair) PairReport {
	r := newPairReport(state, "", p.Address, p.Sender, p.Since)
	r.Owner = p.Owner
	return r
}

func listPairs(ctx context.Context, g *Gateway, _ *Request, emit Emit) error {
	pairs, asks, err := g.Engine.Pairs().PairList(ctx)
	if err != nil {
		return err
	}
	namePeople(ctx, g, pairs, asks)
	if err := waitingBrowsers(g, emit); err != nil {
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
		if err := emit(pairedReport("paired", &pairs[i])); err != nil {
			return err
		}
	}
	return nil
}

// namesTime bounds how long a platform is asked for the names in a list.
const namesTime = 5 * time.Second

// namePeople gives names to people without one: on Slack a message comes without its
// sender's. Names that the platform tells are stored; the rest stay without.
func namePeople(ctx context.Context, g *Gateway, pairs []session.Pair, asks []session.PairRequest) {
	ctx, cancel := context.WithTimeout(ctx, namesTime)
	defer cancel()
	name := func(at channels.Address, who *channels.Sender) {
		from, ok := g.Namer(at)
		if who.Name != "" || !ok || ctx.Err() != nil {
			return
		}
		if who.Name = from.PersonName(ctx, who.ID); who.Name == "" {
			return
		}
		if err := g.Engine.Pairs().NamePerson(ctx, at.Channel, at.Account, who.ID, who.Name); err != nil {
			g.Log.Warn().Err(err).Str("sender", who.ID).Msg("a person's name could not be stored")
		}
	}
	for i := range asks {
		name(asks[i].Address, &asks[i].Sender)
	}
	for i := range pairs {
		name(pairs[i].Address, &pairs[i].Sender)
	}
}

func approvePair(ctx context.Context, g *Gateway, request *Request, emit Emit) error {
	code, err := policy.ParsePairingCode(request.Pair)
	request.Pair = "" // the audit log must not have it
	if err != nil {
		return WithCode(CodeUsage, err)
	}
	var as policy.Person
	if request.Owner {
		as = login.Operator()
	}
	if r, ok, err := approveBrowser(g, code, as); ok || err != nil {
		request.Pair = r.Who
		return errors.Join(err, emit(r))
	}
	now := time.Now()
	text := textPaired
	if request.Owner {
		text = textPairedOwner
	}
	p, err := g.Engine.Pairs().ApprovePair(ctx, code, session.PairApproval{
		Now: now, Owner: request.Owner, Notice: func(r session.PairRequest) channels.Outbound {
			return channels.Outbound{ID: session.PairWelcomeID(r.Code), Address: r.Address, Time: now, Text: text}
		},
	})
	switch {
	case errors.Is(err, session.ErrExpired):
		return fmt.Errorf(textCodeExpired, code)
	case errors.Is(err, session.ErrNotFound):
		return fmt.Errorf(textNoSuchCode, code, Program())
	case err != nil:
		return err
	}
	people := []session.Pair{p}
	namePeople(ctx, g, people, nil)
	r := pairedReport("paired", &people[0])
	request.Pair = r.Who
	return emit(r)
}

func revokePairs(ctx context.Context, g *Gateway, request *Request, emit Emit) error {
	who, err := policy.ParsePerson(request.Pair)
	if err != nil {
		return WithCode(CodeUsage, err)
	}
	loggedOut, err := revokeBrowsers(ctx, g, who, emit)
	if err != nil {
		return err
	}
	ended, err := g.Engine.Pairs().RevokePairs(ctx, who.Channel, who.Account, who.ID)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return err
	}
	unlinked, failed := endLinks(ctx, g, who) // behind the rights by which a link is made
	if failed != nil {
		return failed
	}
	switch {
	case err == nil || loggedOut:
	case unlinked: // all that was left of a person whose logins were over
		return emit(PairReport{State: "revoked", Who: who.String(), Time: time.Now()})
	default:
		return fmt.Errorf(textNotPaired, who, Program())
	}
	for i := range ended {
		if err := emit(pairedReport("revoked", &ended[i])); err != nil {
			return err
		}
	}
	return nil
}

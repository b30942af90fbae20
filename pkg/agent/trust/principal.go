package trust

import (
	"context"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// Principal is for whom a turn runs: the sender with the lowest rights.
type Principal struct {
	Sender channels.Sender
	Level  policy.Level
	Owner  bool
	// Person says whether a person started the turn.
	Person bool
	// Direct says whether the chat is a direct one.
	Direct bool
	// Tainted says that the request brings content from outside.
	Tainted bool
}

// SharesSpace says whether the principal's chat shares the owners' space.
func (p *Principal) SharesSpace() bool { return p.Owner && p.Direct }

// Stored is the principal in the record of work that outlasts the turn.
func (p *Principal) Stored() session.Principal {
	return session.Principal{Sender: p.Sender, Direct: p.Direct, Level: string(p.Level)}
}

// AtLeast says whether the principal's level allows all that the other one's does.
func (p *Principal) AtLeast(other *Principal) bool { return p.Level.Allows(other.Level) }

// MayCancel says whether the principal may end a task of its chat: as its creator, with
// the rights of the task, or as an owner.
func (p *Principal) MayCancel(t *session.Task) bool {
	return p.Owner || p.Sender.ID == t.Principal.Sender.ID || p.Level.Allows(policy.Level(t.Principal.Level))
}

// lowest is the principal with the rights that both have.
func lowest(a, b Principal) Principal {
	low := a
	if !b.Level.Allows(a.Level) {
		low = b
	}
	low.Person = a.Person || b.Person
	low.Owner = a.Owner && b.Owner
	low.Direct = a.Direct && b.Direct
	low.Tainted = a.Tainted || b.Tainted
	return low
}

// Store is where a [Resolver] reads the records behind an item.
type Store interface {
	Task(ctx context.Context, id string) (session.Task, error)
	Approval(ctx context.Context, id string) (session.Approval, error)
	// Lookup finds a chat by any address that it was known under.
	Lookup(ctx context.Context, a channels.Address) (session.Info, error)
}

// Resolver finds the principal of an item.
type Resolver struct {
	Store Store
	// Authorize is the policy's one decision on the sender of an item.
	Authorize func(ctx context.Context, e policy.Event) policy.Verdict
}

// OfAll finds the principal of a turn. It returns the items of allowed senders, and the
// reason for which another one is refused, or "".
func (v *Resolver) OfAll(
	ctx context.Context, items []session.Item, log *zerolog.Logger,
) (allowed []session.Item, p Principal, refused string) {
	for i := range items {
		one, reason := v.Of(ctx, items[i])
		if reason != "" {
			refused = reason
			log.Warn().Str("reason", reason).Str("item", items[i].ID).Msg("an item is not allowed any more")
			continue
		}
		if len(allowed) == 0 {
			p = one
		} else {
			p = lowest(p, one)
		}
		allowed = append(allowed, items[i])
	}
	return allowed, p, refused
}

// Of finds the principal of an item; the second value is the reason of a refusal, ""
// where the item is allowed. Work that was asked for earlier has the lower of its
// creator's rights then and now.
func (v *Resolver) Of(ctx context.Context, it session.Item) (Principal, string) {
	p := Principal{}
	e := policy.Event{Kind: policy.Kind(it.Kind), Address: it.Address}
	then := policy.Level("")
	asked := func(by *session.Principal) { e.Sender, e.Direct, then = by.Sender, by.Direct, policy.Level(by.Level) }
	switch {
	case it.Inbound != nil:
		e.Kind, e.Sender, e.Direct, e.Mentioned = policy.Kind(it.Inbound.Kind), it.Inbound.Sender, it.Inbound.Direct, it.Inbound.Mentioned
		p.Person = true
		if w := it.Inbound.Wish; w != nil { // the credential of the message may have less
			then = policy.Level(w.Level)
		}
		if it.Address.Channel == session.AgentChannel { // a press that the agent's home handed on
			e.Address = it.Inbound.Address
		}
	case it.TaskID != "":
		t, err := v.Store.Task(ctx, it.TaskID)
		if err != nil {
			return p, "its task cannot be read: " + err.Error()
		}
		e.Kind, e.Address = policy.KindTask, t.Address
		p.Tainted = t.Tainted
		asked(&t.Principal)
	case it.Job != nil:
		p.Tainted = it.Job.Tainted
		asked(&it.Job.Principal)
	case it.Decision != nil:
		d, err := v.Store.Approval(ctx, it.Decision.Approval)
		if err != nil {
			return p, "its approval cannot be read: " + err.Error()
		}
		e.Sender, e.Direct = d.Principal.Sender, d.Principal.Direct
		if it.Address.Channel == session.AgentChannel {
			e.Address = v.present(ctx, d.Address)
		}
	default:
		return p, "items of kind " + string(it.Kind) + " have no asker"
	}
	decided := v.Authorize(ctx, e)
	if !decided.Allow {
		if decided.Reason == "" {
			decided.Reason = "refused by policy"
		}
		return p, decided.Reason
	}
	p.Sender, p.Direct, p.Level, p.Owner = e.Sender, e.Direct, decided.Level, decided.Owner
	if then != "" {
		p.Level = policy.Lowest(decided.Level, then)
	}
	return p, ""
}

// Requester is the principal of an allowed call: the asker, with the lower of the
// rights then and now. False: the policy allows it no more. The address is where the
// call is made.
func (v *Resolver) Requester(ctx context.Context, a *session.Approval, at channels.Address) (Principal, bool) {
	decided := v.Authorize(ctx, policy.Event{Kind: policy.KindDecision, Address: at, Sender: a.Principal.Sender, Direct: a.Principal.Direct})
	level := policy.Lowest(decided.Level, policy.Level(a.Principal.Level))
	return Principal{Sender: a.Principal.Sender, Level: level, Owner: decided.Owner, Person: true, Direct: a.Principal.Direct}, decided.Allow
}

// present is where a chat is now that had this address.
func (v *Resolver) present(ctx context.Context, at channels.Address) channels.Address {
	if info, err := v.Store.Lookup(ctx, at); err == nil {
		return info.Address
	}
	return at
}

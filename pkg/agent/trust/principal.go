package trust

import (
	"cmp"
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
	// Follows says that the request comes of a conversation that had such content.
	Follows bool
	// Several says that the request may be that of another person, whose message was answered with the principal's.
	Several bool
}

// SharesSpace says whether the principal's chat shares the owners' space.
func (p *Principal) SharesSpace() bool { return p.Owner && p.Direct }

// Stored is the principal in the record of work that outlasts a turn with words from there.
func (p *Principal) Stored(from *Provenance) session.Principal {
	return session.Principal{
		Sender: p.Sender, Direct: p.Direct, Level: string(p.Level), Follows: from.Follows(), Several: from.SeveralPeople(),
	}
}

// AtLeast says whether the principal's level allows all that the other one's does.
func (p *Principal) AtLeast(other *Principal) bool { return p.Level.Allows(other.Level) }

// MayJoin says whether the principal's words may enter a turn of the other one: with a level that is not below,
// and as an owner where the other is one.
func (p *Principal) MayJoin(other *Principal) bool {
	return p.AtLeast(other) && (p.Owner || !other.Owner)
}

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
	low.Follows = a.Follows || b.Follows
	low.Several = a.Several || b.Several
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
	// Credential is the level of a credential as it is now; false for one that was revoked or
	// is over. Nil: none ends.
	Credential func(name string) (policy.Level, bool)
}

// holds is the level that a credential leaves, and false where it has ended. A message
// without one has its person's level.
func (v *Resolver) holds(w *channels.Wish) (policy.Level, bool) {
	if w == nil || w.Credential == "" || v.Credential == nil {
		return "", true
	}
	return v.Credential(w.Credential)
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
	q := request{Event: policy.Event{Kind: policy.Kind(it.Kind), Address: it.Address}}
	if reason := v.read(ctx, &it, &q); reason != "" {
		return q.p, reason
	}
	now, valid := v.holds(q.wish)
	switch {
	case valid:
	case it.Kind == session.ItemTask:
		now = policy.LevelNone // its person reads the result all the same
	default:
		return q.p, "its token was revoked or is over"
	}
	decided := v.Authorize(ctx, q.Event)
	if !decided.Allow {
		return q.p, cmp.Or(decided.Reason, "refused by policy")
	}
	q.p.Sender, q.p.Direct, q.p.Level, q.p.Owner = q.Sender, q.Direct, decided.Level, decided.Owner
	for _, most := range [...]policy.Level{q.then, now} {
		if most != "" {
			q.p.Level = policy.Lowest(q.p.Level, most)
		}
	}
	return q.p, ""
}

// request is what an item asks of the policy.
type request struct {
	policy.Event

	p    Principal
	then policy.Level   // the most that it was asked for with, or ""
	wish *channels.Wish // of its message, its task or its job
}

func (q *request) by(asker *session.Principal) {
	q.p.Follows, q.p.Several = asker.Follows, asker.Several
	q.Sender, q.Direct, q.then = asker.Sender, asker.Direct, policy.Level(asker.Level)
}

// read reads the asker of an item, and says why there is none.
func (v *Resolver) read(ctx context.Context, it *session.Item, q *request) string {
	switch {
	case it.Inbound != nil:
		in := it.Inbound
		q.Kind, q.Sender, q.Direct, q.Mentioned = policy.Kind(in.Kind), in.Sender, in.Direct, in.Mentioned
		q.p.Person = true
		if in.Wish != nil { // the credential of the message may have less
			q.wish, q.then = in.Wish, policy.Level(in.Wish.Level)
		}
		if it.Address.Channel == session.AgentChannel { // a press that the agent's home handed on
			q.Address = in.Address
		}
	case it.TaskID != "":
		t, err := v.Store.Task(ctx, it.TaskID)
		if err != nil {
			return "its task cannot be read: " + err.Error()
		}
		q.Kind, q.Address = policy.KindTask, t.Address
		q.p.Tainted, q.wish = t.Tainted, t.Wish
		q.by(&t.Principal)
	case it.Job != nil:
		q.p.Tainted, q.wish = it.Job.Tainted, it.Job.Wish
		q.by(&it.Job.Principal)
	case it.Decision != nil:
		d, err := v.Store.Approval(ctx, it.Decision.Approval)
		if err != nil {
			return "its approval cannot be read: " + err.Error()
		}
		q.Sender, q.Direct = d.Principal.Sender, d.Principal.Direct
		if it.Address.Channel == session.AgentChannel {
			q.Address = v.present(ctx, d.Address)
		}
	default:
		return "items of kind " + string(it.Kind) + " have no asker"
	}
	return ""
}

// Requester is the principal of an allowed call: the asker, with the lower of the
// rights then and now. False: the policy allows it no more. The address is where the
// call is made.
func (v *Resolver) Requester(ctx context.Context, a *session.Approval, at channels.Address) (Principal, bool) {
	decided := v.Authorize(ctx, policy.Event{Kind: policy.KindDecision, Address: at, Sender: a.Principal.Sender, Direct: a.Principal.Direct})
	level := policy.Lowest(decided.Level, policy.Level(a.Principal.Level))
	now, valid := v.holds(a.Wish)
	if now != "" {
		level = policy.Lowest(level, now)
	}
	p := Principal{
		Sender: a.Principal.Sender, Level: level, Owner: decided.Owner, Person: true,
		Direct: a.Principal.Direct, Several: a.Principal.Several,
	}
	return p, decided.Allow && valid
}

// present is where a chat is now that had this address.
func (v *Resolver) present(ctx context.Context, at channels.Address) channels.Address {
	if info, err := v.Store.Lookup(ctx, at); err == nil {
		return info.Address
	}
	return at
}

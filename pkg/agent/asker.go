package agent

import (
	"context"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// asker is for whom a turn runs: the sender with the lowest rights.
type asker struct {
	sender channels.Sender
	level  policy.Level
	owner  bool
	// person says whether a person started the turn.
	person bool
	direct bool
	// tainted says that what asks brings content from outside.
	tainted bool
}

// owned says whether the chat shares the owners' space.
func (r *run) owned() bool { return r.who.owner && r.who.direct }

// authorize asks the policy about everyone who started the turn. It returns the
// items that may run and why others may not; r.who becomes the one with the
// lowest rights.
func (r *run) authorize(ctx context.Context) ([]session.Item, string) {
	var keep []session.Item
	refused := ""
	for i := range r.info.Items {
		who, reason := r.a.askerOf(ctx, r.info.Items[i])
		if reason != "" {
			refused = reason
			r.log().Warn().Str("reason", reason).Str("item", r.info.Items[i].ID).Msg("an item is not allowed any more")
			continue
		}
		if who.tainted {
			r.taint.set()
		}
		if len(keep) == 0 {
			r.who = who
		} else {
			r.who = lowest(r.who, who)
		}
		keep = append(keep, r.info.Items[i])
	}
	return keep, refused
}

func lowest(a, b asker) asker {
	low := a
	if !b.level.Allows(a.level) {
		low = b
	}
	low.person = a.person || b.person
	low.owner = a.owner && b.owner
	low.direct = a.direct && b.direct
	return low
}

// askerOf finds for whom an item asks; the second value says why it may not. Work
// that was asked for earlier has the lower of its creator's rights then and now.
func (a *Agent) askerOf(ctx context.Context, it session.Item) (asker, string) {
	who := asker{}
	e := policy.Event{Kind: policy.Kind(it.Kind), Address: it.Address}
	then := policy.Level("")
	switch {
	case it.Inbound != nil:
		e.Kind, e.Sender, e.Direct, e.Mentioned = policy.Kind(it.Inbound.Kind), it.Inbound.Sender, it.Inbound.Direct, it.Inbound.Mentioned
		who.person = true
		if it.Address.Channel == session.AgentChannel { // a press that the agent's home handed on
			e.Address = it.Inbound.Address
		}
	case it.TaskID != "":
		t, err := a.o.Engine.Task(ctx, it.TaskID)
		if err != nil {
			return who, "its task cannot be read: " + err.Error()
		}
		e.Kind, e.Address = policy.KindTask, t.Address
		e.Sender, e.Direct, who.tainted, then = t.Creator, t.Direct, t.Tainted, policy.Level(t.Level)
	case it.Job != nil:
		e.Sender, e.Direct, who.tainted, then = it.Job.Creator, it.Job.Direct, it.Job.Tainted, policy.Level(it.Job.Level)
	case it.Decision != nil:
		d, err := a.o.Engine.Approval(ctx, it.Decision.Approval)
		if err != nil {
			return who, "its approval cannot be read: " + err.Error()
		}
		e.Sender, e.Direct = d.Requester, d.Direct
		if it.Address.Channel == session.AgentChannel {
			e.Address = a.present(ctx, d.Address)
		}
	default:
		return who, "items of kind " + string(it.Kind) + " have no asker"
	}
	v := a.o.Authorize(ctx, e)
	if !v.Allow {
		if v.Reason == "" {
			v.Reason = "refused by policy"
		}
		return who, v.Reason
	}
	who.sender, who.direct, who.level, who.owner = e.Sender, e.Direct, v.Level, v.Owner
	if then != "" {
		who.level = policy.Lowest(v.Level, then)
	}
	return who, ""
}

package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/visible"
)

// maxArg bounds the words of a person in an answer.
const maxArg = 64

// Grants are the grants that hold in the chat of a turn, the oldest first.
func (p *Approvals) Grants(ctx context.Context, t *turn.Turn) ([]session.Grant, error) {
	all, err := p.o.Store.Grants(ctx, t.Origin.Chat)
	now := time.Now()
	return slices.DeleteFunc(all, func(g session.Grant) bool {
		return g.Address.Account != t.Origin.Address.Account || now.Before(g.Since) || !now.Before(g.Expires)
	}), err
}

// Granted lists the grants of the chat in lines; "" for none.
func (p *Approvals) Granted(ctx context.Context, t *turn.Turn) (string, error) {
	grants, err := p.Grants(ctx, t)
	var b strings.Builder
	for i := range grants {
		g := &grants[i]
		fmt.Fprintf(&b, textGrant, g.Tool, named.Person(g.Person), t.Clock.Here(g.Expires), g.ID)
	}
	return b.String(), err
}

// Revoke answers /revoke: it lists the grants of the chat, or ends those that arg names by their id
// or their tool. A grant is ended by the person who has it, or by an owner.
func (p *Approvals) Revoke(ctx context.Context, t *turn.Turn, arg string) (turn.Reply, error) {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}
	grants, err := p.Grants(ctx, t)
	if err != nil {
		return re, err
	}
	arg = named.Plain(arg)
	var fit, own []session.Grant
	for i := range grants {
		if g := &grants[i]; strings.EqualFold(g.ID, arg) || strings.EqualFold(g.Tool, arg) {
			fit = append(fit, *g)
			if t.Principal.Owner || t.Principal.Sender.ID == g.Person.ID {
				own = append(own, *g)
			}
		}
	}
	switch {
	case len(grants) == 0:
		re.Text = textNoGrants
	case arg == "":
		listed, err := p.Granted(ctx, t)
		re.Text = listed + fmt.Sprintf(textHowToRevoke, t.Typed("revoke"))
		return re, err
	case len(fit) == 0:
		re.Text = fmt.Sprintf(textNoGrant, visible.Text(text.Clip(arg, maxArg)), t.Typed("revoke"))
	case len(own) == 0:
		re.Text = fmt.Sprintf(textNotYourGrant, named.Person(fit[0].Person), fit[0].Tool)
	default:
		p.revoke(t, &re, own)
	}
	return re, nil
}

// revoke ends grants with the commit of the turn.
func (p *Approvals) revoke(t *turn.Turn, re *turn.Reply, grants []session.Grant) {
	lines := make([]string, len(grants))
	for i := range grants {
		g := &grants[i]
		re.Revoked = append(re.Revoked, g.ID)
		lines[i] = fmt.Sprintf(textRevoked, g.Tool, named.Person(g.Person))
		p.o.OnRevoke(*g, t.Principal.Sender)
	}
	re.Text = strings.Join(lines, "\n")
}

package turn

import (
	"context"

	"parley/pkg/events"
	"parley/pkg/session"
)

// Admit asks the policy about each sender of the turn's messages and returns the items
// that may run. Without any the turn is refused, and committed.
func (t *Turn) Admit(ctx context.Context) ([]session.Item, error) {
	items, refused := authorize(ctx, t)
	if len(items) > 0 {
		return items, nil
	}
	return nil, t.Refuse(ctx, refused)
}

// Refuse commits a turn with items that the policy does not allow. It returns
// [ErrDone].
func (t *Turn) Refuse(ctx context.Context, why string) error {
	t.live.told.Fails(events.CodeRefused, textRefused)
	return Done(t.End(ctx, &Result{Kind: Refused, Reason: "not allowed: " + why}))
}

// Take lets the turn have the items' words and its chat's files.
func (t *Turn) Take(items []session.Item) {
	t.Provenance.AddItems(items)
	t.Space = t.Deps.Space(t.Origin.Address, t.Principal.SharesSpace())
}

// authorize asks the policy about the senders of the turn's items. It returns the items
// that may run and why others may not; the turn's principal has their lowest rights.
func authorize(ctx context.Context, t *Turn) ([]session.Item, string) {
	items, p, refused := t.Deps.Rights.OfAll(ctx, t.Info.Items, t.Log())
	if len(items) > 0 {
		t.Principal = p
	}
	t.Provenance.AddOrigin(p.Follows, p.Tainted)
	t.Provenance.AskedBySeveral(p.Several)
	return items, refused
}

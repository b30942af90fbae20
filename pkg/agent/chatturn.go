package agent

import (
	"context"

	"parley/pkg/session"
)

// chatTurn is the turn of messages that people wrote, and what a turn of another kind
// does where its kind has no rule of its own.
type chatTurn struct{ r *run }

func newChatTurn(r *run) handler { return &chatTurn{r} }

func (h *chatTurn) enter(ctx context.Context) (leave func(), err error) {
	return h.r.enter(ctx, h.r.a.slots, nil)
}

func (h *chatTurn) begin(ctx context.Context) (input, error) {
	items, err := h.r.admit(ctx)
	if err != nil {
		return input{}, err
	}
	h.r.takes(items)
	return input{items: items}, nil
}

func (h *chatTurn) offers(string) bool { return true }

func (h *chatTurn) reply(ctx context.Context, e *ending) (reply, error) {
	return h.r.usualReply(ctx, e)
}

func (h *chatTurn) commit(ctx context.Context, re reply) error { return h.r.commitToChat(ctx, re) }

// admit asks the policy about everyone who started the turn and returns the items that
// may run. Without any the turn is refused, and committed.
func (r *run) admit(ctx context.Context) ([]session.Item, error) {
	items, refused := r.authorize(ctx)
	if len(items) > 0 {
		return items, nil
	}
	return nil, r.refuse(ctx, refused)
}

// refuse commits a turn whose items the policy does not allow. It returns errDone.
func (r *run) refuse(ctx context.Context, why string) error {
	return done(r.end(ctx, &ending{how: endRefused, reason: "not allowed: " + why}))
}

// done is errDone for a turn that was committed, or the error of that.
func done(err error) error {
	if err == nil {
		return errDone
	}
	return err
}

// takes lets the turn have the items' words and its chat's files.
func (r *run) takes(items []session.Item) {
	r.provenance.AddItems(items)
	r.space = r.a.o.Files.Space(r.home, r.principal.SharesSpace())
}

// authorize asks the policy about the senders of the turn's items. It returns the items
// that may run and why others may not; the turn's principal has their lowest rights.
func (r *run) authorize(ctx context.Context) ([]session.Item, string) {
	items, p, refused := r.a.rights.OfAll(ctx, r.info.Items, r.log())
	if len(items) > 0 {
		r.principal = p
	}
	if p.Tainted {
		r.provenance.Taint()
	}
	return items, refused
}

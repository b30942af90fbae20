package agent

import (
	"context"
	"time"

	"parley/pkg/agent/command"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// Accept stores the items that a channel let in; it implements [channels.Sink].
func (a *Agent) Accept(ctx context.Context, in []channels.Inbound, cursor *channels.Cursor) error {
	items := make([]session.Item, 0, len(in))
	for i := range in {
		m := in[i]
		it := session.Item{
			ID:      session.InboundItemID(m.Address, m.ID),
			Kind:    session.ItemMessage,
			Address: m.Address,
			Inbound: &m,
			Edit:    a.editRule(m.Kind),
			Delete:  m.Kind == channels.KindDelete,
			Solo:    m.Solo || m.Wish != nil || m.Kind == channels.KindButton || command.Is(m.Text),
			Time:    time.Now(), // not m.Time: platforms have clocks of their own
		}
		if m.Original != "" {
			it.Original = session.InboundItemID(m.Address, m.Original)
		}
		items = append(items, it)
	}
	if err := a.o.Engine.Inbox().Append(ctx, items, cursor); err != nil {
		return err
	}
	for i := range in {
		a.jobs.Accepted(&in[i])
	}
	return nil
}

// editRule is the fate of an inbound that rewords a message when that message is
// answered already or being answered.
func (a *Agent) editRule(k channels.Kind) session.EditRule {
	switch {
	case k != channels.KindEdit:
		return ""
	case a.o.AnswerEdits:
		return session.EditAnswer
	default:
		return session.EditDrop
	}
}

// Position is the stored position of a channel's cursor; it implements [channels.Sink].
func (a *Agent) Position(ctx context.Context, name string) (string, error) {
	return a.o.Engine.Inbox().Position(ctx, name)
}

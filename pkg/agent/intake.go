package agent

import (
	"context"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// Accept stores what a channel let in; it implements [channels.Sink].
func (a *Agent) Accept(ctx context.Context, in []channels.Inbound, cursor *channels.Cursor) error {
	items := make([]session.Item, 0, len(in))
	for i := range in {
		m := in[i]
		items = append(items, session.Item{
			ID:      m.Address.Channel + "/" + m.Address.Account + "/" + m.ID,
			Kind:    session.ItemMessage,
			Address: m.Address,
			Inbound: &m,
			Edit:    a.editRule(m.Kind),
			Solo:    m.Solo || m.Kind == channels.KindButton || isCommand(m.Text),
			Time:    time.Now(), // not m.Time: platforms have clocks of their own
		})
	}
	return a.o.Engine.Append(ctx, items, cursor)
}

// editRule says what becomes of an inbound that rewords a message when that
// message is answered already or being answered.
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
	return a.o.Engine.Position(ctx, name)
}

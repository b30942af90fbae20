package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/visible"
)

// Open are the questions that wait in the chat at an address, the oldest first, as they
// can be shown again: each has the ID of the message that asked it. A channel with
// messages that do not stay on a screen shows them when its person comes back.
func (p *Approvals) Open(ctx context.Context, at channels.Address) ([]channels.Outbound, error) {
	info, err := p.o.Chat(ctx, at)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := p.o.Store.ApprovalList(ctx, info.Chat)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var open []channels.Outbound
	for i := range all {
		q := &all[i]
		if q.State != session.ApprovalOpen || Lapsed(q, now) {
			continue
		}
		text := fmt.Sprintf(textOpenQuestion,
			q.Call.Tool, visible.Verbatim(q.Text), q.ID, q.Expires.Format("15:04:05 MST"))
		if q.Call.Tool == forgetCommand {
			text = fmt.Sprintf(textForgetQuestion, q.Text, q.ID, q.Expires.Format("15:04:05 MST"))
		}
		if p.o.Redact(text) != text {
			continue // no longer shown whole, so no longer asked
		}
		open = append(open, channels.Outbound{ID: q.Question, Address: at, Text: text, Buttons: buttons(q), Time: q.Asked})
	}
	return open, nil
}

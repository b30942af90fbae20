package channels

import (
	"context"
	"time"

	"parley/internal/failpoint"
)

// ready says which messages of a screen are delivered by being stored: texts of one part that need
// nothing else of the way out. A message with a file, a question, and a late message that begins with
// its age take the whole way.
func (e *Egress) ready(work context.Context, screen Screen) func(*Outbound) (show func(), ok bool) {
	return func(o *Outbound) (show func(), ok bool) {
		if o.File != nil || o.Preview || len(o.Buttons) > 0 || o.Aged && time.Since(o.Time) > LateAfter {
			return nil, false
		}
		parts := e.cut(o.Text)
		if len(parts) != 1 {
			return nil, false
		}
		msg := *o
		part := Part{Outbound: msg, Count: 1}
		part.Text = parts[0]
		return func() {
			e.show(work, screen, part)
			if e.opt.Settled != nil {
				receipt := Receipt{MessageID: msg.ID, Time: time.Now()}
				e.opt.Settled(msg, Outcome{State: Delivered, Receipt: receipt, Kept: true})
			}
		}, true
	}
}

// show shows a part that is stored as delivered. A channel that panics has shown nothing to those who
// look now; they read it in the store.
func (e *Egress) show(work context.Context, screen Screen, part Part) {
	failpoint.Hit("P9")
	_, _ = e.contained(work, func(ctx context.Context) (Receipt, error) {
		screen.Show(ctx, part)
		return Receipt{}, nil
	})
	failpoint.Hit("P11")
	failpoint.Hit("P13")
}

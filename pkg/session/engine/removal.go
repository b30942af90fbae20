package engine

import (
	"context"

	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// removeGone removes the rest of forgotten sessions and chats, in as many transactions
// as it takes; other writes come between them.
func (e *Engine) removeGone(ctx context.Context) error {
	for {
		var left bool
		if err := e.w.View(func(t *table.Tx) error { k, _ := t.First(table.Gone, nil); left = k != nil; return nil }); err != nil || !left {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := e.w.Do(ctx, rules.RemoveSome); err != nil {
			return err
		}
	}
}

// endForgetting removes the rest that a process that ended, or the pruning, has left.
func (e *Engine) endForgetting(ctx context.Context) {
	if err := e.removeGone(ctx); err != nil && ctx.Err() == nil {
		e.o.Log.Warn().Err(err).Msg("what is left of forgotten conversations could not be removed; it is tried again in a minute")
	}
}

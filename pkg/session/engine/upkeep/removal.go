package upkeep

import (
	"context"

	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// RemoveGone removes the rest of forgotten sessions and chats, in as many transactions
// as it takes; other writes come between them.
func (k *Keeper) RemoveGone(ctx context.Context) error {
	for {
		var left bool
		if err := k.w.View(func(t *table.Tx) error { key, _ := t.First(table.Gone, nil); left = key != nil; return nil }); err != nil || !left {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := k.w.Do(ctx, rules.RemoveSome); err != nil {
			return err
		}
	}
}

// endForgetting removes the rest that a process that ended, or the pruning, has left.
func (k *Keeper) endForgetting(ctx context.Context) {
	if err := k.RemoveGone(ctx); err != nil && ctx.Err() == nil {
		k.o.Log.Warn().Err(err).Msg("what is left of forgotten conversations could not be removed; it is tried again in a minute")
	}
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// maintainEvery is the pause between two looks at old records.
const maintainEvery = time.Minute

// maintain prunes, takes snapshots and reads a store that gave cause for
// doubt, until ctx ends.
func (e *Engine) maintain(ctx context.Context) {
	tick := time.NewTicker(maintainEvery)
	defer tick.Stop()
	var snap <-chan time.Time
	if e.o.SnapshotEvery > 0 && e.o.Snapshot != nil {
		t := time.NewTicker(e.o.SnapshotEvery)
		defer t.Stop()
		snap = t.C
	}
	var snapped uint64
	for {
		select {
		case <-ctx.Done():
			return
		case cause := <-e.w.ScrubRequests():
			e.scrub(cause)
		case <-tick.C:
			if e.unclean {
				e.unclean = false
				e.scrub(errUnclean)
			}
			e.keepTime(ctx)
			e.prune(ctx)
			e.endForgetting(ctx)
		case <-snap:
			if _, n := e.w.State.Commits(); n != snapped && e.w.State.Held() == "" {
				snapped = n
				if err := e.o.Snapshot(ctx); err != nil {
					e.Suspect(err)
					e.o.Log.Error().Err(err).Msg("no snapshot could be taken")
				}
			}
		}
	}
}

var errUnclean = errors.New("the last process did not end in order")

// scrub reads every page. When one is damaged writing ends, and the next start restores
// a snapshot: later items would be lost then.
func (e *Engine) scrub(cause error) {
	if e.Damage() != nil {
		return
	}
	var seen table.Walked
	err := e.store.View(func(k kv.Reader) error { return table.Walk(table.NewTx(k, e.now()), &seen) })
	switch {
	case errors.Is(err, kv.ErrClosed):
		return
	case err == nil:
		if !errors.Is(cause, errUnclean) {
			e.o.Log.Error().Err(cause).Msg("a transaction failed though the store is whole: this is a bug")
		}
		return
	}
	e.w.State.SetDamage(fmt.Errorf("%w (%w); restart to restore the newest snapshot", table.ErrDamaged, err))
	e.o.Log.Error().Err(err).Msg("a page of the store is damaged: nothing is accepted or sent until the next start restores a snapshot")
	if err := e.o.NoteDamage(err); err != nil {
		e.o.Log.Error().Err(err).Msg("the damage could not be noted")
	}
}

var _ channels.Delivery = (*delivery)(nil)

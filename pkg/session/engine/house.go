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

// houseEvery is the pause between two looks at what is old.
const houseEvery = time.Minute

// keepHouse prunes, takes snapshots and reads a store that gave cause for
// doubt, until ctx ends.
func (e *Engine) keepHouse(ctx context.Context) {
	tick := time.NewTicker(houseEvery)
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
		case cause := <-e.doubts:
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
			if n := e.changeCount(); n != snapped && e.held() == "" {
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

func (e *Engine) changeCount() uint64 {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	return e.changes
}

// Suspect asks for a full read of the store after an error that only a damaged page, or
// a bug, can cause. Other errors are no cause for it.
func (e *Engine) Suspect(cause error) {
	if !table.IsPanic(cause) && !errors.Is(cause, table.ErrDamaged) {
		return
	}
	select {
	case e.doubts <- cause:
	default:
	}
}

// scrub reads every page. When one is damaged nothing is written any more, and
// the next start restores a snapshot: what would be accepted now would be lost then.
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
	e.stateMu.Lock()
	e.damage = fmt.Errorf("%w (%w); restart to restore the newest snapshot", table.ErrDamaged, err)
	e.stateMu.Unlock()
	e.o.Log.Error().Err(err).Msg("a page of the store is damaged: nothing is accepted or sent until the next start restores a snapshot")
	if err := e.o.NoteDamage(err); err != nil {
		e.o.Log.Error().Err(err).Msg("the damage could not be noted")
	}
}

var _ channels.Delivery = (*delivery)(nil)

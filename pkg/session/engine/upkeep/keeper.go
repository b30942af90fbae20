package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
	"parley/pkg/session/kv"
)

// maintainEvery is the pause between two looks at old records.
const maintainEvery = time.Minute

// Options say how a store is looked after. Log, Now, Retain and NoteDamage are required.
type Options struct {
	Log zerolog.Logger
	Now func() time.Time
	// Retain is how long accepted ids, receipts and ended turns are kept.
	Retain time.Duration
	// Snapshot takes a snapshot each SnapshotEvery, if the store has changed; nil: never.
	Snapshot      func(context.Context) error
	SnapshotEvery time.Duration
	// NoteDamage is told of a page that is damaged, for the next start.
	NoteDamage func(error) error
}

// Keeper looks after a store. [New] makes one.
type Keeper struct {
	o       Options
	store   kv.Store
	w       *writer.Writer
	unclean bool // the last process did not end in order
	uptime  uptime
}

// New makes the keeper of a store whose last process left the state m.
func New(s kv.Store, w *writer.Writer, m *table.MetaRecord, o Options) *Keeper {
	k := &Keeper{o: o, store: s, w: w, unclean: !m.Clean, uptime: uptime{retain: o.Retain, log: o.Log, now: o.Now}}
	k.uptime.read(m)
	return k
}

// Stamp puts into the state of the store when it was last looked after.
func (k *Keeper) Stamp(t *table.Tx) { k.uptime.stamp(t) }

// Run prunes, takes snapshots and reads a store that gave cause for
// doubt, until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(maintainEvery)
	defer tick.Stop()
	var snap <-chan time.Time
	if k.o.SnapshotEvery > 0 && k.o.Snapshot != nil {
		t := time.NewTicker(k.o.SnapshotEvery)
		defer t.Stop()
		snap = t.C
	}
	var snapped uint64
	for {
		select {
		case <-ctx.Done():
			return
		case cause := <-k.w.ScrubRequests():
			k.Scrub(cause)
		case <-tick.C:
			if k.unclean {
				k.unclean = false
				k.Scrub(errUnclean)
			}
			k.Tend(ctx)
		case <-snap:
			if _, n := k.w.State.Commits(); n != snapped && k.w.State.Held() == "" {
				snapped = n
				if err := k.o.Snapshot(ctx); err != nil {
					k.w.Suspect(err)
					k.o.Log.Error().Err(err).Msg("no snapshot could be taken")
				}
			}
		}
	}
}

// Tend does the work of each minute.
func (k *Keeper) Tend(ctx context.Context) {
	k.keepTime(ctx)
	k.Prune(ctx)
	k.endForgetting(ctx)
}

var errUnclean = errors.New("the last process did not end in order")

// Scrub reads every page. When one is damaged writing ends, and the next start restores
// a snapshot: later items would be lost then.
func (k *Keeper) Scrub(cause error) {
	if k.w.State.Damage() != nil {
		return
	}
	var seen table.Walked
	err := k.store.View(func(r kv.Reader) error { return table.Walk(table.NewTx(r, k.o.Now()), &seen) })
	switch {
	case errors.Is(err, kv.ErrClosed):
		return
	case err == nil:
		if !errors.Is(cause, errUnclean) {
			k.o.Log.Error().Err(cause).Msg("a transaction failed though the store is whole: this is a bug")
		}
		return
	}
	k.w.State.SetDamage(fmt.Errorf("%w (%w); restart to restore the newest snapshot", table.ErrDamaged, err))
	k.o.Log.Error().Err(err).Msg("a page of the store is damaged: nothing is accepted or sent until the next start restores a snapshot")
	if err := k.o.NoteDamage(err); err != nil {
		k.o.Log.Error().Err(err).Msg("the damage could not be noted")
	}
}

package upkeep

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// How long something is remembered counts the time in which the store was looked after.
// A wall clock that is put forward, or was wrong at a start, would else make everything
// old at once, and a message that a platform delivers a second time would be taken for
// news. A host that slept or was switched off cannot be told from that; then records
// stay longer.

const (
	// How far the clock has to go between two looks for it to be a leap.
	leapLeast = 2 * time.Hour
	// How often the time of the last look is stored.
	livedEvery = time.Hour
	// How many leaps are remembered; the oldest become one.
	maxLeaps = 64
)

// leap is a time that the clock passed over.
type leap struct {
	At time.Time     `json:"at"` // the time after it
	By time.Duration `json:"by"`
}

// lived is the time that the store was looked after since a moment.
func lived(leaps []leap, since, now time.Time) time.Duration {
	d := now.Sub(since)
	for _, l := range leaps {
		if l.At.After(since) {
			d -= l.By
		}
	}
	return d
}

// uptime is the time in which the store was looked after.
type uptime struct {
	retain time.Duration
	log    zerolog.Logger
	now    func() time.Time

	mu     sync.Mutex
	looked time.Time
	leaps  []leap
}

// passed are the leaps of the clock that still count.
func (u *uptime) passed() []leap {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.leaps)
}

// note notes that the store is looked after now. Stored is when that was stored last; it
// says whether the time is to be stored.
func (u *uptime) note(stored time.Time) (store bool) {
	now := u.now().Round(0).UTC()
	u.mu.Lock()
	defer u.mu.Unlock()
	if gap := now.Sub(u.looked); !u.looked.IsZero() && gap > leapLeast {
		u.leaps = append(u.leaps, leap{At: now, By: gap})
		u.log.Warn().Stringer("by", gap).Msg("the clock went forward, or the gateway did not run: what is remembered stays that much longer")
		store = true
	}
	for len(u.leaps) > 0 && (lived(u.leaps, u.leaps[0].At, now) > u.retain || now.Before(u.leaps[0].At)) {
		u.leaps = u.leaps[1:]
		store = true
	}
	if len(u.leaps) > maxLeaps {
		u.leaps[1].By += u.leaps[0].By
		u.leaps = u.leaps[1:]
	}
	u.looked = now
	return store || now.Sub(stored) >= livedEvery || now.Before(stored)
}

// stamp puts into the state of the store when it was last looked after.
func (u *uptime) stamp(t *table.Tx) {
	u.mu.Lock()
	defer u.mu.Unlock()
	t.Meta.Looked, t.Meta.Leaps = u.looked, encodeLeaps(u.leaps)
}

// read takes over the last process's knowledge of the time.
func (u *uptime) read(m *table.MetaRecord) {
	u.looked = m.Looked
	if json.Unmarshal([]byte(m.Leaps), &u.leaps) != nil {
		u.leaps = nil
	}
	u.note(m.Looked)
}

// keepTime notes the time, and stores when that was.
func (k *Keeper) keepTime(ctx context.Context) {
	if !k.uptime.note(k.w.State.Meta().Looked) || k.w.State.Held() != "" {
		return
	}
	if err := k.w.Await(ctx, &writer.Write{Quiet: true, Run: func(t *table.Tx) error {
		t.Changed = true
		k.uptime.stamp(t)
		return nil
	}}); err != nil && ctx.Err() == nil {
		k.o.Log.Warn().Err(err).Msg("it could not be stored when the store was last looked after")
	}
}

func encodeLeaps(leaps []leap) string {
	if len(leaps) == 0 {
		return ""
	}
	b, err := json.Marshal(leaps)
	if err != nil {
		return ""
	}
	return string(b)
}

package engine

import (
	"context"
	"encoding/json"
	"time"

	"parley/pkg/session/engine/table"
)

// How long something is remembered counts the time in which the store was looked after.
// A wall clock that is put forward, or was wrong at a start, would else make everything
// old at once, and what a platform delivers a second time would be taken for news. A host
// that slept or was switched off cannot be told from that; then records stay longer.

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
	At time.Time     `json:"at"` // what it said after
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

// noteTime notes that the store is looked after now. It says whether the time is to be stored.
func (e *Engine) noteTime() (store bool) {
	now := e.now().Round(0).UTC()
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	if gap := now.Sub(e.looked); !e.looked.IsZero() && gap > leapLeast {
		e.leaps = append(e.leaps, leap{At: now, By: gap})
		e.o.Log.Warn().Stringer("by", gap).Msg("the clock went forward, or the gateway did not run: what is remembered stays that much longer")
		store = true
	}
	for len(e.leaps) > 0 && (lived(e.leaps, e.leaps[0].At, now) > e.o.Retain || now.Before(e.leaps[0].At)) {
		e.leaps = e.leaps[1:]
		store = true
	}
	if len(e.leaps) > maxLeaps {
		e.leaps[1].By += e.leaps[0].By
		e.leaps = e.leaps[1:]
	}
	e.looked = now
	return store || now.Sub(e.meta.Looked) >= livedEvery || now.Before(e.meta.Looked)
}

// keepTime notes the time, and stores when that was.
func (e *Engine) keepTime(ctx context.Context) {
	if !e.noteTime() || e.held() != "" {
		return
	}
	if err := e.await(ctx, &write{quiet: true, run: func(t *table.Tx) error {
		t.Changed = true
		e.stampTime(t)
		return nil
	}}); err != nil && ctx.Err() == nil {
		e.o.Log.Warn().Err(err).Msg("it could not be stored when the store was last looked after")
	}
}

// stampTime puts into the state of the store when it was last looked after.
func (e *Engine) stampTime(t *table.Tx) {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	t.Meta.Looked, t.Meta.Leaps = e.looked, encodeLeaps(e.leaps)
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

// readTime takes over what the last process knew of the time.
func (e *Engine) readTime() {
	e.looked = e.meta.Looked
	if json.Unmarshal([]byte(e.meta.Leaps), &e.leaps) != nil {
		e.leaps = nil
	}
	e.noteTime()
}

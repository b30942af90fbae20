package places_test

import (
	"context"
	"testing"
	"time"

	"parley/pkg/agent/places"
)

// TestPlacesGoByWaiting: the longest waiting turn has the next place, and the newest one a place
// that is kept for the newest.
func TestPlacesGoByWaiting(t *testing.T) {
	t.Parallel()
	began := time.Unix(1_000_000, 0)
	p := places.New(4) // one is for the newest
	var leave []func()
	for n := range 4 {
		left, ok := p.Join(began, false).Now()
		if !ok {
			t.Fatalf("turn %d has no place, and 4 are free", n)
		}
		leave = append(leave, left)
	}
	last := p.Join(began.Add(3*time.Second), false)
	first := p.Join(began.Add(time.Second), false)
	newest := p.Join(began.Add(2*time.Second), true)
	has := func(w *places.Waiter) bool {
		_, ok := w.Now()
		return ok
	}
	leave[0]()
	if !has(first) || has(last) || has(newest) {
		t.Errorf("a place that is free has gone to another turn than the one that waits longest")
	}
	leave[3]() // the place that was taken as that of the newest
	if !has(newest) || has(last) {
		t.Errorf("the place of the newest has gone to another turn than the newest")
	}
}

// TestAnAwaitedTurnHasAPlaceForPeople: it leaves its own line, and gives back the place that it
// had.
func TestAnAwaitedTurnHasAPlaceForPeople(t *testing.T) {
	t.Parallel()
	own, people := places.New(1), places.New(1)
	held, ok := own.Join(time.Now(), false).Now()
	if !ok {
		t.Fatal("the only place is not free")
	}
	awaited := make(chan struct{})
	close(awaited)
	leave, err := own.Join(time.Now(), false).Wait(t.Context(), people, awaited)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := people.Join(time.Now(), false).Now(); ok {
		t.Error("the place for people is free, though the turn has it")
	}
	held()
	if _, ok := own.Join(time.Now(), false).Now(); !ok {
		t.Error("a turn with a place for people still stands in its own line")
	}
	leave()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := own.Join(time.Now(), false).Wait(ctx, people, nil); err == nil {
		t.Error("a turn whose wait has ended has a place")
	}
}

package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A gateway at rest should stay small, and one that is busy should not spend a
// quarter of its time on collecting garbage. So how much the heap may grow between
// two collections, in per cent of what lives, depends on what lives: little at
// rest, more under load as long as the heap stays small all the same.
const (
	growAtRest = 85
	growBusy   = 150
	atRest     = 4 << 20  // what lives, at most, in a gateway that rests
	smallHeap  = 17 << 20 // what a busy heap may grow to by growing more than at rest
)

// growth is how much a heap may grow of which live bytes live.
func growth(live uint64) int {
	if live < atRest {
		return growAtRest
	}
	room := int(min(100*smallHeap/live, 100+growBusy)) - 100
	return max(growAtRest, room)
}

// tuneCollection sets the growth now and after every collection.
func tuneCollection() {
	percent := growAtRest
	debug.SetGCPercent(percent)
	var collected func(int)
	watch := func() { runtime.AddCleanup(new([16]byte), collected, 0) }
	collected = func(int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if now := growth(live[0].Value.Uint64()); now != percent {
			percent = now
			debug.SetGCPercent(percent)
		}
		watch()
	}
	watch()
}

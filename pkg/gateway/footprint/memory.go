package footprint

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A gateway at rest should stay small, and one that is busy should not spend a quarter
// of its time on collecting garbage. So how much the heap may grow between two
// collections, in per cent of the live heap, depends on the live heap: little at rest,
// more under load as long as the heap stays small all the same.
//
// A burst allocates faster than that rule foresees, and the memory that it took is the
// machine's loss. So there is a limit too, near which the runtime collects more often.
// It is a soft one, and it moves up with the live heap: a gateway that really needs
// more has it.
const (
	growAtRest = 85
	growBusy   = 200
	atRest     = 4 << 20  // the live heap, at most, of a gateway at rest
	smallHeap  = 21 << 20 // the size that a busy heap may reach by growing more than at rest
	leastLimit = 42 << 20 // of all memory that the runtime manages, stacks included
	besideHeap = 12 << 20 // room, at least, for all of that which is no heap
	mostBeside = 28 << 20 // and at most: gaps between objects grow with the room that they get
	limitStep  = 4 << 20  // a limit that moves less than this stays
)

// growth is how much a heap may grow of which live bytes live.
func growth(live uint64) int {
	if live < atRest {
		return growAtRest
	}
	room := int(min(100*smallHeap/live, 100+growBusy)) - 100
	return max(growAtRest, room)
}

// limit is how much memory the runtime may manage when live bytes live: half as much
// again, at least. Memory beside the heap comes on top: a limit that thousands of
// goroutines fill with their stacks would leave the heap no room, and the runtime would
// collect without end.
func limit(live, beside, stacks uint64) int64 {
	need := live + live/2 + max(min(max(besideHeap, beside), mostBeside), stacks+besideHeap)
	return int64(max(leastLimit, (need+limitStep-1)/limitStep*limitStep)) //nolint:gosec // far below its largest value
}

// Tune sets the growth and the limit now and after every collection.
func Tune() {
	percent, most := growAtRest, limit(0, 0, 0)
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(most)
	var collected func(int)
	watch := func() { runtime.AddCleanup(new([16]byte), collected, 0) }
	collected = func(int) {
		live, beside, stacks := inUse()
		if now := growth(live); now != percent {
			percent = now
			debug.SetGCPercent(percent)
		}
		if now := limit(live, beside, stacks); now != most {
			most = now
			debug.SetMemoryLimit(most)
		}
		watch()
	}
	watch()
}

// GiveBack returns what a gateway at rest does not need to the machine.
func GiveBack() {
	debug.FreeOSMemory()
	ReleaseProgram()
}

// inUse is how much of the heap the last collection left, and how much memory the runtime
// uses that is no heap; stacks are a part of that.
func inUse() (live, beside, stacks uint64) {
	of := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(of)
	beside = of[1].Value.Uint64()
	for _, heap := range of[2:5] {
		beside -= min(beside, heap.Value.Uint64())
	}
	return of[0].Value.Uint64(), beside, of[5].Value.Uint64()
}

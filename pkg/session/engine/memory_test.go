package engine_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/kv/kvtest"
	"parley/pkg/session/sessiontest"
)

// memories are the stores in memory of the suite's directories.
type memories struct {
	mu sync.Mutex
	by map[string]*recorded
}

// recorded is a store in memory with the write sets of all its transactions.
type recorded struct {
	memory *kvtest.Memory
	now    *kvtest.Recorder
	before [][]kvtest.Write
}

// open opens an engine over the memory of a directory.
func (m *memories) open(tb testing.TB, dir string) session.Engine {
	tb.Helper()
	m.mu.Lock()
	r := m.by[dir]
	if r == nil {
		r = &recorded{memory: kvtest.NewMemory()}
		m.by[dir] = r
		tb.Cleanup(func() { r.replay(tb) }) // it runs last, when the engine is closed
	} else {
		r.memory, r.before = r.memory.Reopened(), append(r.before, r.now.Sets()...)
	}
	r.now = kvtest.NewRecorder(r.memory)
	m.mu.Unlock()
	e, err := engine.Open(tb.Context(), r.now, engine.Options{Log: options(tb, dir).Log})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// replay applies the write sets to an empty store, and compares the two.
func (r *recorded) replay(tb testing.TB) {
	tb.Helper()
	sets := slices.Concat(r.before, r.now.Sets())
	empty := kvtest.NewMemory()
	if err := kvtest.Replay(empty, sets); err != nil {
		tb.Error(err)
	}
	want, err := kvtest.Dump(r.memory)
	if err != nil {
		tb.Error(err)
	}
	got, err := kvtest.Dump(empty)
	if err != nil {
		tb.Error(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		tb.Errorf("%d write sets leave another store (-want +got)\n%s", len(sets), d)
	}
	if len(sets) == 0 || len(want) == 0 {
		tb.Errorf("%d write sets, %d buckets", len(sets), len(want))
	}
}

// TestConformanceInMemory: the engine passes its suite over a store in memory, so that it
// needs no more of a store than its interface. At the end of each test the write sets of
// all transactions, applied to an empty store, give an equal one.
func TestConformanceInMemory(t *testing.T) {
	t.Parallel()
	m := &memories{by: map[string]*recorded{}}
	sessiontest.Run(t, m.open)
}

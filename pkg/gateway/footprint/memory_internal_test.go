package footprint

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func TestGrowth(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{
		0: 85, 3 << 20: 85, 4 << 20: 200, 6 << 20: 200, 8 << 20: 162, 10 << 20: 110, 12 << 20: 85, 1 << 40: 85,
	} {
		if got := growth(live); got != want {
			t.Errorf("with %d bytes that live the heap grows by %d %%, want %d", live, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		live, beside, stacks uint64
		want                 int64
	}{
		{0, 0, 0, 42 << 20},
		{18 << 20, 0, 0, 42 << 20},
		{19 << 20, 12 << 20, 0, 44 << 20},
		{64 << 20, 0, 0, 108 << 20},
		{65 << 20, 0, 0, 112 << 20},
		{14 << 20, 20 << 20, 0, 44 << 20},
		{14 << 20, 40 << 20, 16 << 20, 52 << 20},
		{14 << 20, 80 << 20, 64 << 20, 100 << 20},
	} {
		if got := limit(c.live, c.beside, c.stacks); got != c.want {
			t.Errorf("with %d bytes that live and %d beside the heap, %d of them stacks, the limit is %d, want %d",
				c.live, c.beside, c.stacks, got, c.want)
		}
	}
}

// TestCollectionFollowsTheHeap runs in a process of its own with a known heap.
func TestCollectionFollowsTheHeap(t *testing.T) {
	t.Parallel()
	const alone = "PARLEY_TEST_ALONE"
	if os.Getenv(alone) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=30s")
		child.Env = append(os.Environ(), alone+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	Tune()
	until := func(want func(percent uint64) bool) {
		for percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}; ; runtime.Gosched() {
			runtime.GC()
			if metrics.Read(percent); want(percent[0].Value.Uint64()) {
				return
			}
		}
	}
	busy := make([]byte, 5<<20)
	until(func(percent uint64) bool { return percent > growAtRest })
	large := make([]byte, 64<<20)
	until(func(percent uint64) bool { return percent == growAtRest && debug.SetMemoryLimit(-1) > 64<<20 })
	runtime.KeepAlive(busy)
	runtime.KeepAlive(large)
}

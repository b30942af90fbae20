package engine_test

import (
	"os"
	"testing"
	"time"

	"parley/pkg/session/local"
)

// TestSnapshotsOfAClockThatWasAheadGiveWayToLaterOnes fills the snapshots while the clock
// is years ahead; those that are taken after it was put right stay, and the old ones go.
func TestSnapshotsOfAClockThatWasAheadGiveWayToLaterOnes(t *testing.T) {
	t.Parallel()
	now := time.Date(2029, 3, 1, 12, 0, 0, 0, time.UTC)
	o := options(t, t.TempDir())
	o.Keep, o.Now = 2, func() time.Time { return now }
	e, err := local.Open(t.Context(), o)
	must(t, err)
	t.Cleanup(func() { must(t, e.Close()) })
	var all []string
	for i := range 4 {
		if i == 2 {
			now = now.AddDate(-3, 0, 0)
		}
		path, err := e.Snapshot(t.Context())
		must(t, err)
		all = append(all, path)
		now = now.Add(time.Hour)
	}
	for i, path := range all {
		if _, err := os.Stat(path); (err == nil) != (i >= 2) {
			t.Errorf("snapshot %d: %v", i, err)
		}
	}
}

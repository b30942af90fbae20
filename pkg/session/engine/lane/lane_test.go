package lane_test

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/session/engine/lane"
)

// goroutine is the number of the one that calls.
func goroutine() string {
	b := make([]byte, 64)
	return string(bytes.Fields(b[:runtime.Stack(b, false)])[1])
}

// TestLanesShareGoroutines: chats whose work comes one after the other run on one
// goroutine, and Stop ends it.
func TestLanesShareGoroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var on []string
		s := lane.New(t.Context(), 0, func(context.Context, uint64, lane.Pass) (bool, error) {
			on = append(on, goroutine())
			return false, nil
		})
		for chat := range uint64(5) {
			s.Signal(chat, lane.ForPerson, time.Now())
			synctest.Wait()
		}
		s.Stop() // the bubble fails where a goroutine is left
		for _, g := range on {
			if g != on[0] {
				t.Fatalf("the lanes ran on the goroutines %v", on)
			}
		}
		if len(on) != 5 {
			t.Fatalf("%d lanes ran", len(on))
		}
	})
}

// TestFewGoroutinesWait: of a crowd that is over, few wait for the next lane.
func TestFewGoroutinesWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const crowd = 1000
		before := runtime.NumGoroutine()
		release := make(chan struct{})
		var mu sync.Mutex
		ran := 0
		s := lane.New(t.Context(), 0, func(context.Context, uint64, lane.Pass) (bool, error) {
			<-release
			mu.Lock()
			defer mu.Unlock()
			ran++
			return false, nil
		})
		for chat := range uint64(crowd) {
			s.Signal(chat, lane.ForPerson, time.Now())
		}
		close(release)
		synctest.Wait()
		if left := runtime.NumGoroutine() - before; ran != crowd || left > crowd/4 {
			t.Errorf("%d of %d lanes ran, about %d goroutines are left", ran, crowd, left)
		}
		s.Stop()
	})
}

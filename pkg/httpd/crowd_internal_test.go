package httpd

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestACrowdSettlesOnce: many streams settle a moment after the last of them, few do not.
func TestACrowdSettlesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rested := 0
		c := crowd{rest: func() { rested++ }}
		defer c.end()
		begun := func() int {
			synctest.Wait()
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.begun
		}
		for range manyStreams - 1 {
			c.waits()
		}
		<-time.After(2 * settleTime)
		if n := begun(); n != manyStreams-1 {
			t.Errorf("few streams have settled: %d", n)
		}
		for range 3 {
			c.waits()
			<-time.After(settleTime - time.Second)
		}
		if n := begun(); n != manyStreams+2 {
			t.Errorf("streams settle while others begin: %d", n)
		}
		<-time.After(settleTime)
		if n := begun(); n != 0 {
			t.Errorf("many streams have not settled: %d", n)
		}
		if rested != 1 {
			t.Errorf("memory was given back %d times", rested)
		}
	})
}

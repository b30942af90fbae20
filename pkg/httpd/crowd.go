package httpd

import (
	"sync"
	"time"
)

// The bounds of a [crowd].
const (
	manyStreams = 100
	settleTime  = 5 * time.Second
)

// crowd calls rest when many streams have begun to wait, and none has for a moment. The garbage of their beginnings would stay until
// the next collection, which a gateway at rest has far later.
type crowd struct {
	rest  func()
	mu    sync.Mutex
	begun int // since the last time
	timer *time.Timer
}

// waits notes a stream that begins to wait.
func (c *crowd) waits() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.begun++; {
	case c.begun < manyStreams:
	case c.timer == nil:
		c.timer = time.AfterFunc(settleTime, c.settle)
	default:
		c.timer.Reset(settleTime)
	}
}

func (c *crowd) settle() {
	c.mu.Lock()
	c.begun = 0
	c.mu.Unlock()
	if c.rest != nil {
		c.rest()
	}
}

func (c *crowd) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
}

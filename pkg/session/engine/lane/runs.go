package lane

import (
	"errors"
	"sync"
	"time"
)

// ErrRunning says that the same work is being done already.
var ErrRunning = errors.New("it runs already")

// closeWait is how long a close waits for handlers that do not end.
const closeWait = 5 * time.Second

// Runs counts the loops that hand out work, so that an engine can wait for their end. The
// zero value is ready.
type Runs struct {
	mu      sync.Mutex
	running int
	closing bool          // no more of them begin
	ended   chan struct{} // closed when the last of them has returned after that
}

// Enter counts one more, unless the engine is being closed.
func (r *Runs) Enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing {
		return false
	}
	r.running++
	return true
}

// Leave is its end.
func (r *Runs) Leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running--; r.running == 0 && r.closing {
		close(r.ended)
	}
}

// Close lets none begin and waits a while until those under way have returned, which
// handlers that end with their context do at once.
func (r *Runs) Close() {
	r.mu.Lock()
	if !r.closing {
		r.closing, r.ended = true, make(chan struct{})
		if r.running == 0 {
			close(r.ended)
		}
	}
	r.mu.Unlock()
	timer := time.NewTimer(closeWait)
	defer timer.Stop()
	select {
	case <-r.ended:
	case <-timer.C:
	}
}

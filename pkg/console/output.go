package console

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"
)

// leaveTime is how long a terminal that takes nothing is waited for at the end.
const leaveTime = time.Second

// errStuck says that the terminal took nothing until the console had to end.
var errStuck = errors.New("the terminal takes nothing")

// output writes to the terminal, which takes nothing while it is stopped. A write waits for it, as
// those of other programs do; once ends is closed, for leaveTime at most, and from then on each fails.
type output struct {
	to   io.Writer
	ends <-chan struct{}

	mu    sync.Mutex
	stuck bool
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stuck {
		return 0, errStuck
	}
	text, wrote := bytes.Clone(p), make(chan error, 1)
	go func() { // behind a terminal that stays stopped it ends with the process
		_, err := o.to.Write(text)
		wrote <- err
	}()
	select {
	case err := <-wrote:
		return len(p), err
	case <-o.ends:
	}
	late := time.NewTimer(leaveTime)
	defer late.Stop()
	select {
	case err := <-wrote:
		return len(p), err
	case <-late.C:
		o.stuck = true
		return 0, errStuck
	}
}

package httpd

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// The delay of wrong codes. A guess costs time; it never closes the door to the right one.
const (
	// Delay is the time after which a wrong code is refused.
	Delay = time.Second
	// So many wrong ones wait for their refusal.
	maxDelayed = 64
)

// Delayed are the requests with wrong codes that wait for their refusal. The zero value has none.
type Delayed struct{ n atomic.Int32 }

// Wait waits for [Delay], or for the end of ctx. False: so many wait that the request is to be
// refused at once, with [TooMany].
func (d *Delayed) Wait(ctx context.Context) bool {
	if d.n.Add(1) > maxDelayed {
		d.n.Add(-1)
		return false
	}
	defer d.n.Add(-1)
	t := time.NewTimer(Delay)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return true
}

// TooMany refuses a wrong code for whose delay there is no room.
func TooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	Refuse(w, Refusal{Status: http.StatusTooManyRequests, Code: "too_many", Message: textSlow})
}

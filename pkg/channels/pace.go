package channels

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"parley/pkg/backoff"
)

const (
	// The longest wait that a platform may ask for.
	maxRetryAfter = 24 * time.Hour
	// How long the pace of an idle chat is remembered once its bucket is full again, at most.
	sweepAfter = 10 * time.Second
)

// newPause gives the pauses between failed attempts: doubling, from half a second to 30 s at most
// with their spread.
func newPause() *backoff.Exponential { return backoff.New(500*time.Millisecond, 24*time.Second) }

// jitter adds up to a tenth and at most two seconds, so that the messages that waited
// for one limit do not come back at one moment.
func jitter(d time.Duration) time.Duration { return d + backoff.Below(min(d/10, 2*time.Second)) }

func newLimiter(perSecond float64, burst int) *rate.Limiter {
	if perSecond <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(perSecond), max(burst, 1))
}

func take(ctx context.Context, l *rate.Limiter) error {
	if l == nil {
		return ctx.Err()
	}
	return l.Wait(ctx)
}

// claim is the pass that a message shows.
type claim struct {
	// notBefore is when it may be sent for its own sake.
	notBefore time.Time
	// awaited is closed from when a person waits for it, door is where it waits till then.
	awaited <-chan struct{}
	door    chan struct{}
	// asked is when the person wrote whom it answers; zero where no person waits or the
	// time is unknown.
	asked time.Time
	// newest is that of its DeliveryInfo.
	newest bool
}

func allow(l *rate.Limiter, now time.Time) bool { return l == nil || l.AllowN(now, 1) }

// leavesRoom says whether one may be taken such that a third is kept, though at least one.
func leavesRoom(l *rate.Limiter, now time.Time) bool {
	if l == nil {
		return true
	}
	kept := min(max(l.Burst()/3, 1), l.Burst()-1)
	return l.TokensAt(now) >= float64(1+kept)
}

package fakeslack

import "time"

// Limits are posting rates in one channel; Slack allows one message a second, with
// short bursts (docs.slack.dev/apis/web-api/rate-limits). A zero rate is no limit.
type Limits struct {
	// Posts and Updates are chat.postMessage and the like, and chat.update, a second.
	Posts, Updates float64
	// Burst is how many may come at once; default 1.
	Burst int
}

// bucket holds the messages that a channel may still take.
type bucket struct {
	tokens float64
	at     time.Time
}

// take takes one, or says how long to wait.
func (b *bucket) take(rate float64, burst int, now time.Time) time.Duration {
	if rate <= 0 {
		return 0
	}
	full := float64(max(1, burst))
	if b.at.IsZero() {
		b.tokens = full
	} else {
		b.tokens = min(full, b.tokens+rate*now.Sub(b.at).Seconds())
	}
	b.at = now
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) / rate * float64(time.Second))
	}
	b.tokens--
	return 0
}

package faketelegram

import "time"

// Limits are sending rates. A zero rate is no limit. A message beyond one is refused
// with 429 and the seconds to wait.
type Limits struct {
	// PerChat is messages a second in one chat, after a burst of Burst (default 3).
	PerChat float64
	Burst   int
	// GroupPerMinute is messages a minute in one group.
	GroupPerMinute float64
	// PerBot is messages, drafts and chat actions a second in all chats together.
	PerBot float64
}

// bucket fills at a rate and holds at most its burst.
type bucket struct {
	level float64
	last  time.Time
}

// wait takes one from the bucket, or says how long until there is one.
func (b *bucket) wait(now time.Time, rate, burst float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	if b.last.IsZero() {
		b.level = burst
	} else {
		b.level = min(burst, b.level+now.Sub(b.last).Seconds()*rate)
	}
	b.last = now
	if b.level >= 1 {
		b.level--
		return 0
	}
	return time.Duration((1 - b.level) / rate * float64(time.Second))
}

// limit refuses messages that come too fast or during a flood wait. The lock is held.
func (c *call) limit(r *room) error {
	now := time.Now()
	if err := c.flooded(r, now); err != nil {
		return err
	}
	l := c.srv.opt.Limits
	burst := float64(l.Burst)
	if burst == 0 {
		burst = 3
	}
	wait := r.rate.wait(now, l.PerChat, burst)
	if wait == 0 && r.info.Type != typePrivate {
		wait = r.group.wait(now, l.GroupPerMinute/60, max(1, l.GroupPerMinute))
	}
	if wait == 0 {
		wait = c.bot.all.wait(now, l.PerBot, max(1, l.PerBot))
	}
	if wait > 0 {
		return tooMany(wait)
	}
	return nil
}

// limitPassing is limit for passing signs: only the bot's rate counts them.
func (c *call) limitPassing(r *room) error {
	now := time.Now()
	if err := c.flooded(r, now); err != nil {
		return err
	}
	perBot := c.srv.opt.Limits.PerBot
	if wait := c.bot.all.wait(now, perBot, max(1, perBot)); wait > 0 {
		return tooMany(wait)
	}
	return nil
}

// flooded refuses requests during a flood wait.
func (c *call) flooded(r *room, now time.Time) error {
	if until := later(r.flood, c.bot.flood); now.Before(until) {
		return tooMany(until.Sub(now))
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

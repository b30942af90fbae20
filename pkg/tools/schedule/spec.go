package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// MinEvery is the shortest interval.
	MinEvery = time.Minute
	// MaxAhead is how far away a time may be, and how long an interval.
	MaxAhead = 10 * 366 * 24 * time.Hour
	lastYear = 9999 // that RFC 3339 can write
)

// The rules for runs that were missed while the gateway was down.
const (
	// CatchUpOnce makes one run of them, late. It is the default.
	CatchUpOnce = "once"
	// CatchUpSkip drops them.
	CatchUpSkip = "skip"
)

// Spec says when a job is due: exactly one of At, Every and Cron is set. It is
// stored as JSON.
type Spec struct {
	// At is the RFC 3339 instant of a one-shot.
	At string `json:"at,omitempty"`
	// Every is an interval as a Go duration, [MinEvery] at least.
	Every string `json:"every,omitempty"`
	// Cron is an expression of five fields, or a word such as @daily.
	Cron string `json:"cron,omitempty"`
	// Zone is the IANA name of the zone of Cron and of shown times; an expression needs
	// one, else "" stands for UTC.
	Zone string `json:"zone,omitempty"`
	// CatchUp is [CatchUpOnce], [CatchUpSkip], or empty for the first.
	CatchUp string `json:"catch_up,omitempty"`
}

// ParseSpec reads a stored spec and checks it.
func ParseSpec(raw json.RawMessage) (Spec, error) {
	var s Spec
	if err := json.Unmarshal(raw, &s); err != nil {
		return Spec{}, fmt.Errorf("a schedule cannot be read: %w", err)
	}
	if _, err := s.plan(); err != nil {
		return Spec{}, fmt.Errorf("a schedule cannot be used: %w", err)
	}
	return s, nil
}

// plan is a spec that was read: at, every or cron.
type plan struct {
	at    time.Time
	every time.Duration
	cron  *rule
	zone  *time.Location
}

func (s Spec) plan() (plan, error) {
	p := plan{zone: time.UTC}
	if s.CatchUp != "" && s.CatchUp != CatchUpOnce && s.CatchUp != CatchUpSkip {
		return p, fmt.Errorf("catch_up is %s or %s, not %s", CatchUpOnce, CatchUpSkip, quoted(s.CatchUp))
	}
	var err error
	if s.Zone != "" {
		if p.zone, err = location(s.Zone); err != nil {
			return p, err
		}
	}
	switch {
	case given(s.At, s.Every, s.Cron) != 1:
		return p, errors.New("exactly one time, interval or expression is needed")
	case s.At != "":
		p.at, err = time.Parse(time.RFC3339, s.At)
	case s.Every != "":
		p.every, err = time.ParseDuration(s.Every)
		if err == nil && (p.every < MinEvery || p.every > MaxAhead) {
			err = errors.New("an interval is 60 seconds at least and 10 years at most")
		}
	case s.Zone == "":
		err = errors.New("an expression needs a time zone")
	default:
		p.cron, err = parseRule(s.Cron, p.zone)
	}
	return p, err
}

// given counts the texts that are not empty.
func given(texts ...string) int {
	return len(slices.DeleteFunc(texts, func(s string) bool { return s == "" }))
}

// Next is when a job with this spec is due after a time, in the spec's zone; false
// without a further time. An interval counts from that time.
func (s Spec) Next(after time.Time) (time.Time, bool) {
	p, err := s.plan()
	if err != nil || after.Year() < 1 || after.Year() > lastYear {
		return time.Time{}, false
	}
	next := p.at
	switch {
	case p.every > 0:
		next = after.Add(p.every)
	case p.cron != nil:
		next = p.cron.next(after)
	}
	next = next.In(p.zone)
	return next, next.After(after) && next.Year() <= lastYear
}

// Following is the due time after one that fired: later than both due and now, so that
// all missed times become one, and a clock that was put back causes no repetition. An
// interval keeps its beat. It is false without a further time.
func (s Spec) Following(due, now time.Time) (time.Time, bool) {
	p, err := s.plan()
	switch {
	case err != nil || s.At != "":
		return time.Time{}, false
	case due.After(now):
		return s.Next(due)
	case p.every > 0 && now.Sub(due) < MaxAhead: // beyond that durations end, and no beat matters
		return s.Next(due.Add(now.Sub(due).Truncate(p.every)))
	default:
		return s.Next(now)
	}
}

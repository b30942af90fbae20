package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// parseDuration reads 20m, 1h30m, "2 days" or "1 hour and 30 minutes", to the second.
func parseDuration(s string) (time.Duration, error) {
	bad := fmt.Errorf("%s is no duration; write it like 20m, 1h30m, 2 days or 1 week", quoted(s))
	if len(s) > maxExpression {
		return 0, bad
	}
	piece := regexp.MustCompile(`^(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)[\s,]*(?:and\s+)?`)
	rest := strings.ToLower(strings.TrimSpace(s))
	var sum float64 // of seconds
	for rest != "" {
		m := piece.FindStringSubmatch(rest)
		if m == nil {
			return 0, bad
		}
		n, err := strconv.ParseFloat(m[1], 64)
		unit := unitOf(m[2])
		if err != nil || unit == 0 {
			return 0, bad
		}
		sum += n * unit.Seconds()
		rest = rest[len(m[0]):]
	}
	switch {
	case sum < 1:
		return 0, fmt.Errorf("%s is too short", quoted(s))
	case sum > MaxAhead.Seconds():
		return 0, fmt.Errorf("%s is too long; 10 years is the most", quoted(s))
	}
	return (time.Duration(sum*1000) * time.Millisecond).Round(time.Second), nil
}

// unitOf is 0 for an unknown word. Months and years have no fixed length.
func unitOf(word string) time.Duration {
	switch word {
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return day
	case "w", "week", "weeks":
		return 7 * day
	default:
		return 0
	}
}

// spell writes a duration in words, to the second: 1 hour 30 minutes.
func spell(d time.Duration) string {
	var words []string
	rest := d.Round(time.Second)
	for _, u := range []struct {
		size time.Duration
		name string
	}{{day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		n := int64(rest / u.size)
		rest %= u.size
		switch {
		case n == 1:
			words = append(words, "1 "+u.name)
		case n > 1:
			words = append(words, fmt.Sprintf("%d %ss", n, u.name))
		}
	}
	return strings.Join(words, " ")
}

// away spells how far a time is away, as precisely as people speak.
func away(d time.Duration) string {
	switch {
	case d > 2*day:
		d = d.Round(time.Hour)
	case d > 2*time.Minute:
		d = d.Round(time.Minute)
	}
	return spell(d)
}

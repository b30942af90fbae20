package schedule

import (
	"strings"
	"time"
)

// readNamed reads a time of day, of today, tomorrow or a weekday where one is named,
// as the clocks show it to whom it is now; it comes as if in UTC. Without a day, and
// on a weekday, it is the next such time.
func readNamed(text string, now time.Time) (time.Time, bool) {
	name, hour, ok := strings.Cut(text, " ")
	if !ok {
		name, hour = "", text
	}
	clock, err := time.Parse("15:04", strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(hour), "AT ")))
	if err != nil {
		return time.Time{}, false
	}
	wall := time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), now.Second(), now.Nanosecond(), time.UTC)
	t := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), 0, 0, time.UTC)
	switch name {
	case "TODAY":
		return t, true
	case "TOMORROW":
		return t.AddDate(0, 0, 1), true
	case "":
		if !t.After(wall) {
			t = t.AddDate(0, 0, 1)
		}
		return t, true
	}
	for range 8 { // also the same weekday of the next week
		if strings.EqualFold(t.Weekday().String(), name) && t.After(wall) {
			return t, true
		}
		t = t.AddDate(0, 0, 1)
	}
	return time.Time{}, false
}

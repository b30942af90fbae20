package text

import (
	"fmt"
	"time"
)

// Ago says roughly how long something is past: 2 hours ago.
func Ago(d time.Duration) string { return Roughly(d) + " ago" }

// Roughly says how long something takes, in its largest unit: 2 hours.
func Roughly(d time.Duration) string {
	const day = 24 * time.Hour
	n, unit := d.Round(time.Minute)/time.Minute, "minute"
	if n >= 60 {
		n, unit = d.Round(time.Hour)/time.Hour, "hour"
	}
	if unit == "hour" && n >= 24 {
		n, unit = d.Round(day)/day, "day"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

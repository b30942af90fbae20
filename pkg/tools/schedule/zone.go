package schedule

import (
	"errors"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the zones of the world, for machines that come without them
)

const (
	maxZoneName = 64
	// More than any clock was ever ahead of UTC.
	maxOffset = 16 * time.Hour
)

// location finds a zone by its IANA name.
func location(name string) (*time.Location, error) {
	unknown := errors.New("there is no time zone " + quoted(name) + "; use an IANA name such as Europe/Berlin, Asia/Tokyo or UTC")
	// Names of files that stand beside the zones: they mean this machine, or count leap seconds.
	foreign := []string{"", "local", "localtime", "posixrules", "factory", "right", "posix"}
	first, _, _ := strings.Cut(strings.ToLower(name), "/")
	if len(name) > maxZoneName || strings.Contains(name, "..") || slices.Contains(foreign, first) {
		return nil, unknown
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknown
	}
	return loc, nil
}

// span is a stretch of time with constant clocks in a zone. A zero start or end means
// that it is open.
type span struct {
	start, end time.Time
	// ahead is how far the clocks are ahead of UTC, before how far they were until start.
	ahead, before time.Duration
}

func spanAt(t time.Time, loc *time.Location) span {
	t = t.In(loc)
	start, end := t.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		end = end.Add(day) // on the last day of a leap year the time package takes years for 365 days
	}
	s := span{start: start, end: end, ahead: ahead(t)}
	s.before = s.ahead
	if !start.IsZero() {
		s.before = ahead(start.Add(-1))
	}
	return s
}

func ahead(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// instant is when the clocks of a zone show the time that wall shows in UTC. If they
// show it twice, it is the first time; if they skip it, the time at which they would
// show it had they not been put forward yet.
func instant(wall time.Time, loc *time.Location) time.Time {
	s := spanAt(wall.Add(-maxOffset), loc)
	for {
		t := wall.Add(-s.ahead).In(loc)
		if s.end.IsZero() || t.Before(s.end) {
			return t
		}
		next := spanAt(s.end, loc)
		if wall.Add(-next.ahead).Before(next.start) {
			return t
		}
		s = next
	}
}

package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pkg/tools/schedule"
)

// around is how much time before and after a change of the clocks is looked at: more
// than a day that is left out.
const around = 36 * time.Hour

// TestNextAgainstEveryMinute compares with a reader of clocks that looks at every
// minute round a change of the clocks, in zones of all kinds.
func TestNextAgainstEveryMinute(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loc, change := drawChange(t)
		e := drawExpression(t, change.In(loc))
		s := schedule.Spec{Cron: e.String(), Zone: loc.String()}
		from, to := change.Add(-around), change.Add(around)
		var got []string
		last := from.Add(-1)
		for {
			next, ok := s.Next(last)
			if !ok || !next.Before(to) {
				break
			}
			if !next.After(last) {
				t.Fatalf("%s: %s comes after %s", s, next, last)
			}
			got = append(got, next.UTC().Format(time.RFC3339))
			last = next
		}
		if diff := cmp.Diff(e.read(loc, from, to), got); diff != "" {
			t.Fatalf("%s round %s: -every minute +Next\n%s", s, change.In(loc), diff)
		}
	})
}

// drawChange draws a zone and a moment at which its clocks change, or any where they
// do not in that year.
func drawChange(t *rapid.T) (*time.Location, time.Time) {
	zone := rapid.SampledFrom([]string{
		"UTC", "Europe/Vienna", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Beirut",
		"Africa/Cairo", "Pacific/Apia", "Pacific/Kwajalein", "Africa/Casablanca", "Europe/Dublin", "Antarctica/Troll", "Asia/Gaza",
		"America/Caracas", "Asia/Pyongyang", "America/Nuuk", "Asia/Kathmandu", "Pacific/Chatham", "Pacific/Kiritimati", "Asia/Tehran",
	}).Draw(t, "zone")
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	year := rapid.IntRange(1975, 2100).Draw(t, "year")
	if strings.HasPrefix(zone, "Pacific/A") && rapid.Bool().Draw(t, "the day left out") {
		year = 2011
	}
	var changes []time.Time
	at := time.Date(year, 1, 3, 0, 0, 0, 0, loc)
	for {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.Year() > year {
			break
		}
		if !end.After(at) { // as it is said on the last day of a leap year
			break
		}
		changes = append(changes, end)
		at = end
	}
	if len(changes) == 0 {
		return loc, at.Add(time.Duration(rapid.IntRange(0, 500_000).Draw(t, "minute")) * time.Minute).Truncate(time.Minute)
	}
	return loc, rapid.SampledFrom(changes).Draw(t, "change").Truncate(time.Minute) // some are only where a table ends, at an odd second
}

// expression is a cron expression by its numbers; an empty list stands for a star.
type expression struct{ minute, hour, dom, month, dow []int }

// drawExpression draws one that has something to do with the night of a change.
func drawExpression(t *rapid.T, change time.Time) expression {
	some := func(name string, lo, hi, most int, near ...int) []int {
		n := rapid.OneOf(rapid.IntRange(lo, hi), rapid.SampledFrom(near))
		out := rapid.SliceOfN(n, 0, most).Draw(t, name)
		slices.Sort(out)
		return slices.Compact(out)
	}
	e := expression{
		minute: some("minute", 0, 59, 4, 0, 30),
		hour:   some("hour", 0, 23, 5, 0, 1, 2, 3, 23, change.Hour()),
		dow:    some("dow", 0, 6, 2, int(change.Weekday()), int(change.AddDate(0, 0, -1).Weekday())),
		dom:    some("dom", 1, 31, 2, change.Day(), change.AddDate(0, 0, -1).Day()),
	}
	if len(e.minute) == 0 {
		e.minute = []int{0, 15, 30, 45} // not each of 4,000 minutes
	}
	if rapid.Bool().Draw(t, "any day") {
		e.dow, e.dom = nil, nil
	}
	if rapid.Bool().Draw(t, "a month") {
		e.month = []int{int(change.Month())}
	}
	return e
}

func (e expression) String() string {
	var fields []string
	for _, numbers := range [][]int{e.minute, e.hour, e.dom, e.month, e.dow} {
		field := strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ",")
		if len(numbers) == 0 {
			field = "*"
		}
		fields = append(fields, field)
	}
	return strings.Join(fields, " ")
}

// fits says whether the time on a clock is a time of the expression.
func (e expression) fits(wall time.Time) bool {
	has := func(numbers []int, n int) bool { return len(numbers) == 0 || slices.Contains(numbers, n) }
	dom, dow := has(e.dom, wall.Day()), has(e.dow, int(wall.Weekday()))
	day := dom && dow
	if len(e.dom) > 0 && len(e.dow) > 0 {
		day = dom || dow
	}
	return day && has(e.minute, wall.Minute()) && has(e.hour, wall.Hour()) && has(e.month, int(wall.Month()))
}

// read looks at a clock every minute. Where the hours are named, a time that was
// shown before is not due again, and one that the clock jumps over is due when it
// would have been shown.
func (e expression) read(loc *time.Location, from, to time.Time) []string {
	due := map[time.Time]bool{}
	seen := map[time.Time]bool{}
	var before time.Time // the clock's time a minute ago
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		l := t.In(loc)
		wall := time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), 0, 0, time.UTC)
		named := len(e.hour) > 0
		if e.fits(wall) && (!named || !seen[wall]) {
			due[t] = true
		}
		seen[wall] = true
		for left := before.Add(time.Minute); named && !before.IsZero() && left.Before(wall); left = left.Add(time.Minute) {
			late := t.Add(left.Sub(before) - time.Minute)
			if e.fits(left) && late.Before(to) {
				due[late] = true
			}
		}
		before = wall
	}
	var out []string
	for t := range due {
		out = append(out, t.UTC().Format(time.RFC3339))
	}
	slices.Sort(out)
	return out
}

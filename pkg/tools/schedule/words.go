package schedule

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

const (
	allMinutes uint64 = 1<<60 - 1
	allDays    uint64 = 1<<32 - 2
	allMonths  uint64 = 1<<13 - 2
	allWeek    uint64 = 1<<7 - 1
	workdays   uint64 = 1<<6 - 2
	maxNamed          = 4 // times or days of a month that are listed in words
)

// String says it for people: "every day at 09:00 (Europe/Vienna)" where it can, else
// the expression.
func (s Spec) String() string {
	p, err := s.plan()
	switch {
	case err != nil:
		return "never"
	case p.every > 0:
		return "every " + interval(p.every)
	case p.cron == nil:
		return p.at.In(p.zone).Format("once on Monday, 2 January 2006, at "+clockFor(p.at)) + " (" + p.zone.String() + ")"
	}
	words := p.cron.words()
	if words == "" {
		words = "cron " + s.Cron
	}
	return words + " (" + p.zone.String() + ")"
}

// interval is a duration after the word every.
func interval(d time.Duration) string {
	words := spell(d)
	if unit, one := strings.CutPrefix(words, "1 "); one && !strings.Contains(unit, " ") {
		return unit
	}
	return words
}

func clockFor(t time.Time) string {
	if t.Second() != 0 {
		return time.TimeOnly
	}
	return "15:04"
}

// words are empty if the expression itself is the shortest text.
func (r *rule) words() string {
	f := r.fields
	days := r.days()
	minutes, hours := numbers(f.Minute&allMinutes), numbers(f.Hour&allHours)
	switch {
	case days == "":
		return ""
	case r.real && r.daily():
		return eachHour(minutes)
	case r.real || len(minutes)*len(hours) > maxNamed:
		return ""
	}
	times := make([]string, 0, maxNamed)
	for _, h := range hours {
		for _, m := range minutes {
			times = append(times, fmt.Sprintf("%02d:%02d", h, m))
		}
	}
	return days + " at " + list(times)
}

// daily reports whether the rule fits each day of the year.
func (r *rule) daily() bool {
	f := r.fields
	return (f.Dom|f.Dow)&star != 0 && f.Dom&allDays == allDays && f.Month&allMonths == allMonths && f.Dow&allWeek == allWeek
}

// days says on which days, empty for a mixture.
func (r *rule) days() string {
	f := r.fields
	dom, month, dow := f.Dom&allDays, f.Month&allMonths, f.Dow&allWeek
	switch {
	case f.Dom&star == 0 && f.Dow&star == 0:
		return "" // without a star in either, one of the two is enough
	case dow == allWeek:
		return daysOfMonth(dom, month)
	case dom != allDays || month != allMonths:
		return ""
	case dow == workdays:
		return "every Monday to Friday"
	default:
		return "every " + list(named(dow, func(n int) string { return time.Weekday(n).String() }))
	}
}

func daysOfMonth(dom, month uint64) string {
	switch n := bits.OnesCount64(dom); {
	case dom == allDays && month == allMonths:
		return "every day"
	case month == allMonths && n <= maxNamed:
		return "every month on the " + list(named(dom, ordinal))
	case n == 1 && bits.OnesCount64(month) == 1:
		return fmt.Sprintf("every year on %d %s", bits.TrailingZeros64(dom), time.Month(bits.TrailingZeros64(month)))
	default:
		return ""
	}
}

func eachHour(minutes []int) string {
	switch {
	case len(minutes) == 1 && minutes[0] == 0:
		return "every hour"
	case len(minutes) == 1:
		return fmt.Sprintf("every hour at minute %d", minutes[0])
	case len(minutes) == 60:
		return "every minute"
	}
	step := minutes[1] - minutes[0]
	for i, m := range minutes {
		if m != i*step {
			return ""
		}
	}
	if step*len(minutes) != 60 {
		return ""
	}
	return fmt.Sprintf("every %d minutes", step)
}

// numbers are the bits that are set, the lowest first.
func numbers(set uint64) []int {
	var out []int
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros64(set))
	}
	return out
}

func named(set uint64, name func(int) string) []string {
	var out []string
	for _, n := range numbers(set) {
		out = append(out, name(n))
	}
	return out
}

func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// list joins words: a, b and c.
func list(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

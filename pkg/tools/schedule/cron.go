package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"parley/pkg/panics"
)

const (
	maxExpression = 200
	// The library's mark for a field with a star.
	star = 1 << 63
	// The library looks five years ahead, which from 2096 on is too near for a
	// 29 February.
	looks, lookYears = 3, 5
	// More than any zone has in the years that are looked at.
	maxSpans = 200
)

const allHours uint64 = 1<<24 - 1

// rule is a cron expression in a zone. The library is only asked about a clock that
// is constant: with one that changes, it leaves out days and years.
type rule struct {
	fields *cron.SpecSchedule
	loc    *time.Location
	// real says that it follows real time, not the time of day.
	real bool
}

// parseRule reads an expression of five fields, or one of the library's words.
func parseRule(expression string, loc *time.Location) (*rule, error) {
	switch {
	case len(expression) > maxExpression:
		return nil, fmt.Errorf("a cron expression has %d characters at most", maxExpression)
	case strings.Contains(expression, "="):
		return nil, errors.New("a cron expression does not name its time zone; give it as timezone")
	case strings.HasPrefix(expression, "@every"):
		return nil, errors.New("@every is not taken in cron; give the interval as every, such as 90m, 60 seconds at least")
	}
	if n := len(strings.Fields(expression)); n != 5 && !strings.HasPrefix(expression, "@") {
		return nil,
			fmt.Errorf("a cron expression has 5 fields (minute, hour, day of month, month, day of week), not %d; there are no seconds and no years",
				n)
	}
	fields, err := parseFields(expression)
	if err != nil {
		return nil, fmt.Errorf("the cron expression %s cannot be read: %w", quoted(expression), err)
	}
	return &rule{fields: fields, loc: loc, real: fields.Hour&allHours == allHours}, nil
}

// parseFields asks the library, which panics over some texts and misreads others.
func parseFields(expression string) (fields *cron.SpecSchedule, err error) {
	if strings.Contains(expression, "*-") || strings.Contains(expression, "?-") || strings.ContainsAny(expression, "+#") {
		return nil, errors.New("a field is *, a number, a range 1-5, a list 1,3,5, or one of these with a step /2")
	}
	var parsed cron.Schedule
	reader := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	if panics.Catch(func() { parsed, err = reader.Parse(expression) }) != nil {
		return nil, errors.New("it is malformed")
	}
	if err != nil {
		return nil, fmt.Errorf("%w; Sunday is 0", err)
	}
	fields, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, errors.New("it names no times")
	}
	for _, bits := range []uint64{fields.Minute, fields.Hour, fields.Dom, fields.Month, fields.Dow} {
		if bits&^star == 0 {
			return nil, errors.New("a field is empty")
		}
	}
	return fields, nil
}

// next is the first time after another one, or zero.
func (r *rule) next(after time.Time) time.Time {
	from := after.Add(1)
	for range maxSpans {
		s := spanAt(from, r.loc)
		next := r.within(s, from)
		if next.IsZero() || s.end.IsZero() || next.Before(s.end) {
			return next
		}
		from = s.end
	}
	return time.Time{}
}

// within is the first time from a moment of a span on, as if the span had no end.
func (r *rule) within(s span, from time.Time) time.Time {
	if r.real {
		return r.shown(from, s.ahead)
	}
	// After they are put back, the clocks repeat earlier times; after they are put
	// forward, clocks that were not would continue into the omitted times.
	first, left := s.start.Add(s.before-s.ahead), s.start.Add(s.ahead-s.before)
	if first.Before(from) {
		first = from
	}
	next := r.shown(first, s.ahead)
	if from.Before(left) {
		if late := r.shown(from, s.before); !late.IsZero() && late.Before(left) && late.Before(next) {
			next = late
		}
	}
	return next
}

// shown is the first time from a moment on at which a clock with a constant offset
// from UTC shows a time of the rule, or zero.
func (r *rule) shown(from time.Time, ahead time.Duration) time.Time {
	wall := from.UTC().Add(ahead - 1)
	for range looks {
		if next := r.fields.Next(wall); !next.IsZero() {
			return next.Add(-ahead)
		}
		wall = wall.AddDate(lookYears, 0, 0)
	}
	return time.Time{}
}

package job

import (
	"context"
	"encoding/json"
	"time"

	"parley/pkg/session"
)

// clockSlack is how far a job may be due behind the next time of its schedule. A clock
// that is put back by less repeats no run.
const clockSlack = 2 * time.Hour

// correctLeaps gives the jobs their times back that fired while the clock was ahead, and
// would else be due when it is there again, which may be in years. It reads all jobs: at
// the first look, because the clock may have been put right in between, and when the
// clock went back since the last look.
func (s *Scheduler) correctLeaps(ctx context.Context, last, now time.Time) error {
	if !last.IsZero() && !now.Before(last) {
		return nil
	}
	all, err := s.o.Jobs.JobList(ctx, "")
	if err != nil {
		return err
	}
	for i := range all {
		if s.next(all[i].Spec, all[i].Due, now).Equal(all[i].Due) {
			continue
		}
		j, err := s.Change(ctx, all[i].ID, func(j *session.Job) error {
			j.Due = s.next(j.Spec, j.Due, now)
			j.Leaps++ // it may have fired for this very time while the clock was ahead
			return nil
		})
		if err != nil {
			s.o.Log.Error().Err(err).Str("job", all[i].ID).Msg("a job of a clock that was ahead cannot be given its time back")
			continue
		}
		s.o.Log.Warn().Str("job", j.ID).Time("was", all[i].Due).Time("due", j.Due).Msg(
			"the clock was ahead when this job fired last; it is due by its schedule again",
		)
	}
	return nil
}

// next is when a job is due: as it says, unless its schedule has a time long before that.
func (s *Scheduler) next(spec json.RawMessage, due, now time.Time) time.Time {
	tick, err := s.o.Timetable.Tick(spec, now, now)
	if err != nil || tick.Next.IsZero() || !due.After(tick.Next.Add(clockSlack)) {
		return due
	}
	return tick.Next
}

package agent_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/session"
)

// TestJobsOutliveAClockThatWasYearsAhead has a clock that is wrong for a while, and is
// put right while the gateway runs or before its next start.
func TestJobsOutliveAClockThatWasYearsAhead(t *testing.T) {
	t.Parallel()
	specs := map[string]json.RawMessage{
		"interval": every("10m"), "rare interval": every("6h"),
		"cron": json.RawMessage(`{"cron":"30 * * * *","zone":"UTC"}`),
		// The time that is due again is the one for which it fired while the clock was ahead.
		"rare cron": json.RawMessage(`{"cron":"0 5 * * *","zone":"UTC"}`),
	}
	for name, spec := range specs {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " restart ", restart), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					p := newPlanned(t, nil)
					p.met()
					first, err := timetable{}.Tick(spec, p.now(), p.now())
					if err != nil {
						t.Fatal(err)
					}
					p.put(session.Job{ID: "often", Spec: spec, Text: "tick", Due: first.Next})
					once := p.now().AddDate(5, 0, 0)
					p.put(session.Job{ID: "once", Spec: at(once), Text: "once", Due: once})
					const ahead = 3 * 365 * 24 * time.Hour
					p.skew.Add(int64(ahead))
					if got := (<-p.sent).Text; got != "(This was due 1095 days ago; I could not do it sooner.)\n\ntick" {
						t.Errorf("sent %q", got)
					}
					p.settled()
					if restart {
						p.stop()
					}
					p.skew.Add(-int64(ahead))
					if restart {
						p.start()
					}
					select {
					case o := <-p.sent:
						if o.Text != "tick" {
							t.Errorf("sent %q", o.Text)
						}
					case <-time.After(6*time.Hour + time.Minute):
						t.Errorf("the job is quiet, and due at %v", p.job("often").Due)
					}
					p.settled()
					if j := p.job("once"); !j.Due.Equal(once) {
						t.Errorf("the reminder is due at %v, want %v", j.Due, once)
					}
				})
			})
		}
	}
}

package schedule_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools/schedule"
)

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// due is the next n times, in UTC.
func due(s schedule.Spec, after time.Time, n int) []string {
	var out []string
	for range n {
		next, ok := s.Next(after)
		if !ok {
			return append(out, "never")
		}
		out = append(out, next.UTC().Format(time.RFC3339))
		after = next
	}
	return out
}

func TestNext(t *testing.T) {
	t.Parallel()
	const vienna = "Europe/Vienna"
	for name, c := range map[string]struct {
		spec  schedule.Spec
		after string
		want  []string
	}{
		"once": {
			schedule.Spec{At: "2026-11-22T09:00:00+01:00"}, "2026-11-21T00:00:00Z", []string{"2026-11-22T08:00:00Z", "never"},
		},
		"once, and now": {schedule.Spec{At: "2026-11-22T09:00:00+01:00"}, "2026-11-22T08:00:00Z", []string{"never"}},
		"an interval": {
			schedule.Spec{Every: "1h30m0s"}, "2026-11-22T08:00:10Z", []string{"2026-11-22T09:30:10Z", "2026-11-22T11:00:10Z"},
		},
		"every day": {
			schedule.Spec{Cron: "0 9 * * *", Zone: vienna},
			"2026-11-22T08:00:00Z",
			[]string{"2026-11-23T08:00:00Z", "2026-11-24T08:00:00Z"},
		},
		"each of two days": {
			schedule.Spec{Cron: "0 9 1 * 1", Zone: "UTC"},
			"2026-11-25T00:00:00Z",
			[]string{"2026-11-30T09:00:00Z", "2026-12-01T09:00:00Z", "2026-12-07T09:00:00Z"},
		},
		"a leap day": {
			schedule.Spec{Cron: "0 0 29 2 *", Zone: "UTC"},
			"2026-11-22T00:00:00Z",
			[]string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"},
		},
		"eight years between": {schedule.Spec{Cron: "0 0 29 2 *", Zone: "UTC"}, "2096-03-01T00:00:00Z", []string{"2104-02-29T00:00:00Z"}},
		"a leap year ends": {
			schedule.Spec{Cron: "0 9 * * *", Zone: vienna},
			"2040-12-31T05:00:00Z",
			[]string{"2040-12-31T08:00:00Z", "2041-01-01T08:00:00Z"},
		},
		"a word": {
			schedule.Spec{Cron: "@monthly", Zone: vienna},
			"2026-06-15T00:00:00Z",
			[]string{"2026-06-30T22:00:00Z", "2026-07-31T22:00:00Z"},
		},
		"the last year":     {schedule.Spec{Cron: "0 0 1 1 *", Zone: "UTC"}, "9998-06-01T00:00:00Z", []string{"9999-01-01T00:00:00Z", "never"}},
		"an interval there": {schedule.Spec{Every: "24h"}, "9999-12-31T12:00:00Z", []string{"never"}},

		"the gap": {
			schedule.Spec{Cron: "30 2 * * *", Zone: vienna},
			"2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"},
		},
		"the gap, from inside": {
			schedule.Spec{Cron: "30 2 * * *", Zone: vienna},
			"2026-03-29T01:10:00Z",
			[]string{"2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"},
		},
		"the gap, weekly": {
			schedule.Spec{Cron: "30 2 * * 0", Zone: vienna},
			"2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:30:00Z", "2026-04-05T00:30:00Z"},
		},
		"the gap, monthly": {
			schedule.Spec{Cron: "30 2 29 * *", Zone: vienna},
			"2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:30:00Z", "2026-04-29T00:30:00Z"},
		},
		"the gap, yearly": {
			schedule.Spec{Cron: "30 2 29 3 *", Zone: vienna},
			"2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:30:00Z", "2027-03-29T00:30:00Z"},
		},
		"two in the gap": {
			schedule.Spec{Cron: "0,30 2 * * *", Zone: vienna},
			"2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:00:00Z"},
		},
		"in the gap and after": {
			schedule.Spec{Cron: "0,30 2,3 * * *", Zone: vienna},
			"2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:00:00Z"},
		},
		"the fold": {
			schedule.Spec{Cron: "30 2 * * *", Zone: vienna},
			"2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		},
		"the fold, weekly": {
			schedule.Spec{Cron: "30 2 * * 0", Zone: vienna},
			"2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-11-01T01:30:00Z"},
		},
		"the fold, monthly": {
			schedule.Spec{Cron: "30 2 25 * *", Zone: vienna},
			"2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-11-25T01:30:00Z"},
		},
		"every other hour": {
			schedule.Spec{Cron: "0 */2 * * *", Zone: vienna},
			"2026-10-24T22:30:00Z",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z"},
		},
		"each hour, fold": {
			schedule.Spec{Cron: "0 * * * *", Zone: vienna},
			"2026-10-24T23:30:00Z",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"},
		},
		"each hour, gap": {
			schedule.Spec{Cron: "@hourly", Zone: vienna},
			"2026-03-28T23:30:00Z",
			[]string{"2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"},
		},

		"half an hour, gap": {
			schedule.Spec{Cron: "15 2 * * *", Zone: "Australia/Lord_Howe"},
			"2026-10-03T00:00:00Z",
			[]string{"2026-10-03T15:45:00Z", "2026-10-04T15:15:00Z"},
		},
		"half an hour, fold": {
			schedule.Spec{Cron: "45 1 * * *", Zone: "Australia/Lord_Howe"},
			"2026-04-04T00:00:00Z",
			[]string{"2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"},
		},
		"midnight, Sao Paulo": {
			schedule.Spec{Cron: "0 0 * * *", Zone: "America/Sao_Paulo"},
			"2018-11-03T12:00:00Z",
			[]string{"2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		},
		"back over midnight": {
			schedule.Spec{Cron: "30 23 * * *", Zone: "America/Sao_Paulo"},
			"2018-02-17T12:00:00Z",
			[]string{"2018-02-18T01:30:00Z", "2018-02-19T02:30:00Z"},
		},
		"midnight, Beirut": {
			schedule.Spec{Cron: "0 0 * * *", Zone: "Asia/Beirut"},
			"2024-03-30T12:00:00Z",
			[]string{"2024-03-30T22:00:00Z", "2024-03-31T21:00:00Z"},
		},
		"midnight, Cairo": {
			schedule.Spec{Cron: "@daily", Zone: "Africa/Cairo"},
			"2026-04-23T12:00:00Z",
			[]string{"2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"},
		},
		"a day left out": {
			schedule.Spec{Cron: "0 9 * * *", Zone: "Pacific/Apia"},
			"2011-12-29T20:00:00Z",
			[]string{"2011-12-30T19:00:00Z", "2011-12-31T19:00:00Z"},
		},
		"a Friday left out": {
			schedule.Spec{Cron: "0 9 * * 5", Zone: "Pacific/Apia"},
			"2011-12-29T20:00:00Z",
			[]string{"2011-12-30T19:00:00Z", "2012-01-05T19:00:00Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, due(c.spec, instant(t, c.after), len(c.want))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEachQuarterOfAnHour counts the days on which the clocks change.
func TestEachQuarterOfAnHour(t *testing.T) {
	t.Parallel()
	s := schedule.Spec{Cron: "*/15 * * * *", Zone: "Europe/Vienna"}
	for begin, want := range map[string]int{
		"2026-03-29T00:00:00+01:00": 23 * 4,
		"2026-10-25T00:00:00+02:00": 25 * 4,
		"2026-06-01T00:00:00+02:00": 24 * 4,
	} {
		at := instant(t, begin)
		day := instant(t, begin).In(time.UTC).Add(time.Duration(want) * 15 * time.Minute)
		n := 0
		for next, _ := s.Next(at.Add(-1)); next.Before(day); next, _ = s.Next(next) {
			if wanted := at.Add(time.Duration(n) * 15 * time.Minute); !next.Equal(wanted) {
				t.Fatalf("%s: due at %s, want %s", begin, next, wanted)
			}
			n++
		}
		if n != want {
			t.Errorf("%s: due %d times, want %d", begin, n, want)
		}
	}
}

func TestFollowing(t *testing.T) {
	t.Parallel()
	hourly := schedule.Spec{Cron: "0 * * * *", Zone: "UTC"}
	interval := schedule.Spec{Every: "1h0m0s"}
	for name, c := range map[string]struct {
		spec     schedule.Spec
		due, now string
		want     string
	}{
		"in time":                     {hourly, "2026-11-22T08:00:00Z", "2026-11-22T08:00:01Z", "2026-11-22T09:00:00Z"},
		"six missed":                  {hourly, "2026-11-22T02:00:00Z", "2026-11-22T08:10:00Z", "2026-11-22T09:00:00Z"},
		"exactly now":                 {hourly, "2026-11-22T02:00:00Z", "2026-11-22T08:00:00Z", "2026-11-22T09:00:00Z"},
		"the clock was put back":      {hourly, "2026-11-22T08:00:00Z", "2026-11-22T07:00:05Z", "2026-11-22T09:00:00Z"},
		"interval: in time":           {interval, "2026-11-22T08:00:10Z", "2026-11-22T08:00:40Z", "2026-11-22T09:00:10Z"},
		"interval: six missed":        {interval, "2026-11-22T02:00:10Z", "2026-11-22T08:10:00Z", "2026-11-22T09:00:10Z"},
		"interval: exactly now":       {interval, "2026-11-22T02:00:10Z", "2026-11-22T08:00:10Z", "2026-11-22T09:00:10Z"},
		"interval: clock put back":    {interval, "2026-11-22T08:00:10Z", "2026-11-22T07:00:00Z", "2026-11-22T09:00:10Z"},
		"interval: hundreds of years": {interval, "1500-01-01T00:00:00Z", "2026-11-22T07:00:00Z", "2026-11-22T08:00:00Z"},
		"a one-shot":                  {schedule.Spec{At: "2026-11-22T09:00:00Z"}, "2026-11-22T09:00:00Z", "2026-11-22T09:00:01Z", "never"},
		"a one-shot, put back":        {schedule.Spec{At: "2026-11-22T09:00:00Z"}, "2026-11-22T09:00:00Z", "2026-11-22T08:00:01Z", "never"},
		"nothing":                     {schedule.Spec{}, "2026-11-22T09:00:00Z", "2026-11-22T08:00:01Z", "never"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := "never"
			if next, ok := c.spec.Following(instant(t, c.due), instant(t, c.now)); ok {
				got = next.UTC().Format(time.RFC3339)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestParseSpec(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"at":"2026-11-22T09:00:00+01:00"}`:                              "",
		`{"every":"1m0s","zone":"Asia/Tokyo","catch_up":"skip"}`:          "",
		`{"cron":"0 9 * * 1-5","zone":"Europe/Vienna","catch_up":"once"}`: "",
		`{"cron":"0 0 31 2 *","zone":"UTC"}`:                              "", // without a date, but not malformed
		``:                                                                "cannot be read",
		`null`:                                                            "exactly one",
		`{}`:                                                              "exactly one",
		`{"at":"2026-11-22T09:00:00Z"} x`:                                 "cannot be read",
		`{"at":"2026-11-22T09:00:00Z","every":"1h"}`:                                    "exactly one",
		`{"at":"tomorrow"}`:                                                             "tomorrow",
		`{"every":"59s"}`:                                                               "60 seconds",
		`{"every":"-1h"}`:                                                               "60 seconds",
		`{"every":"1ns"}`:                                                               "60 seconds",
		`{"every":"90000h"}`:                                                            "10 years",
		`{"cron":"0 9 * * *"}`:                                                          "needs a time zone",
		`{"cron":"0 9 * * *","zone":"Mars/Olympus"}`:                                    "no time zone",
		`{"cron":"0 9 * * *","zone":"Local"}`:                                           "no time zone",
		`{"cron":"0 9 * * *","zone":"right/Europe/Vienna"}`:                             "no time zone",
		`{"cron":"0 9 * * *","zone":"../etc/passwd"}`:                                   "no time zone",
		`{"cron":"0 9 * * *","zone":"` + strings.Repeat("x", 100) + `"}`:                "no time zone",
		`{"cron":"0 9 * * *","zone":"UTC","catch_up":"always"}`:                         "catch_up",
		`{"cron":"TZ=","zone":"UTC"}`:                                                   "time zone",
		`{"cron":"TZ=Europe/Vienna 0 9 * * *","zone":"UTC"}`:                            "time zone",
		`{"cron":"CRON_TZ=UTC","zone":"UTC"}`:                                           "time zone",
		`{"cron":"@every -1s","zone":"UTC"}`:                                            "@every",
		`{"cron":"@every 1ns","zone":"UTC"}`:                                            "@every",
		`{"cron":"@every","zone":"UTC"}`:                                                "@every",
		`{"cron":"@reboot","zone":"UTC"}`:                                               "cannot be read",
		`{"cron":"0 0 9 * * *","zone":"UTC"}`:                                           "5 fields",
		`{"cron":"0 9 * *","zone":"UTC"}`:                                               "5 fields",
		`{"cron":", 9 * * *","zone":"UTC"}`:                                             "a field is empty",
		`{"cron":"60 9 * * *","zone":"UTC"}`:                                            "above maximum",
		`{"cron":"0 9 * * 7","zone":"UTC"}`:                                             "Sunday is 0",
		`{"cron":"0 9 * * *-3","zone":"UTC"}`:                                           "a range 1-5",
		`{"cron":"0 +9 * * *","zone":"UTC"}`:                                            "a range 1-5",
		`{"cron":"0 9/0 * * *","zone":"UTC"}`:                                           "step",
		`{"cron":"0 9/99999999999999999999 * * *","zone":"UTC"}`:                        "cannot be read",
		`{"cron":"` + strings.Repeat("1,", 200) + `1 9 * * *","zone":"UTC"}`:            "characters",
		`{"cron":"\u0000 9 * * *","zone":"UTC"}`:                                        "cannot be read",
		`{"cron":"` + strings.Repeat(" ", 50) + `0 9 * * 1-5\n","zone":"Asia/Kolkata"}`: "",
	} {
		s, err := schedule.ParseSpec(json.RawMessage(raw))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", raw, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || s != schedule.Spec{}):
			t.Errorf("%s: %v, %+v; want %q", raw, err, s, want)
		}
	}
	for _, s := range []schedule.Spec{{}, {Cron: "0 0 31 2 *", Zone: "UTC"}, {Cron: "0 0 30 2 *", Zone: "Europe/Vienna"}} {
		if next, ok := s.Next(time.Unix(0, 0)); ok {
			t.Errorf("%s: due at %s", s, next)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]schedule.Spec{
		"once on Sunday, 22 November 2026, at 09:00 (Europe/Vienna)": {At: "2026-11-22T08:00:00Z", Zone: "Europe/Vienna"},
		"once on Sunday, 22 November 2026, at 08:00:05 (UTC)":        {At: "2026-11-22T08:00:05Z"},
		"every hour":                                                {Every: "1h0m0s"},
		"every 1 hour 30 minutes":                                   {Every: "1h30m0s", Zone: "Europe/Vienna"},
		"every 2 days":                                              {Every: "48h0m0s"},
		"every day at 09:00 (Europe/Vienna)":                        {Cron: "0 9 * * *", Zone: "Europe/Vienna"},
		"every day at 00:00 (UTC)":                                  {Cron: "@daily", Zone: "UTC"},
		"every day at 09:00, 12:00 and 18:00 (UTC)":                 {Cron: "0 9,12,18 * * *", Zone: "UTC"},
		"every day at 09:15 and 09:45 (UTC)":                        {Cron: "15,45 9 1-31/1 * *", Zone: "UTC"},
		"every Monday at 07:05 (UTC)":                               {Cron: "5 7 * * mon", Zone: "UTC"},
		"every Monday to Friday at 07:05 (UTC)":                     {Cron: "5 7 ? * 1-5", Zone: "UTC"},
		"every Sunday and Saturday at 10:00 (UTC)":                  {Cron: "0 10 * * sat,sun", Zone: "UTC"},
		"every month on the 1st, 2nd, 13th and 23rd at 10:00 (UTC)": {Cron: "0 10 1,2,13,23 * *", Zone: "UTC"},
		"every year on 24 December at 18:00 (UTC)":                  {Cron: "0 18 24 12 *", Zone: "UTC"},
		"every hour (UTC)":                                          {Cron: "0 * * * *", Zone: "UTC"},
		"every hour at minute 20 (UTC)":                             {Cron: "20 * * * *", Zone: "UTC"},
		"every 15 minutes (UTC)":                                    {Cron: "*/15 0-23 * * *", Zone: "UTC"},
		"every minute (UTC)":                                        {Cron: "* * * * *", Zone: "UTC"},
		"cron */7 * * * * (UTC)":                                    {Cron: "*/7 * * * *", Zone: "UTC"},
		"cron 10,20 * * * * (UTC)":                                  {Cron: "10,20 * * * *", Zone: "UTC"},
		"cron 0 9 1 * 1 (UTC)":                                      {Cron: "0 9 1 * 1", Zone: "UTC"},
		"cron 0 9 * 3-5 * (UTC)":                                    {Cron: "0 9 * 3-5 *", Zone: "UTC"},
		"cron * 9 * * * (UTC)":                                      {Cron: "* 9 * * *", Zone: "UTC"},
		"cron 0 * * * 1 (UTC)":                                      {Cron: "0 * * * 1", Zone: "UTC"},
		"never":                                                     {},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
}

// TestBringsItsOwnZones checks the dependencies of the package: on a machine with
// zones of its own, only these tell whether the zones come with the program.
func TestBringsItsOwnZones(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Fields(string(out)), "time/tzdata") {
		t.Error("time/tzdata is not linked in")
	}
}

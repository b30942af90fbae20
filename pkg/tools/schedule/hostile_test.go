package schedule_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"
	"unicode"

	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/schedule"
)

// TestHostileJobs: each is one clear error, and no job.
func TestHostileJobs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args with
		want string
	}{
		"TZ":                    {with{"cron": "TZ="}, "give it as timezone"},
		"TZ and more":           {with{"cron": "TZ=Europe/Vienna 0 9 * * *"}, "give it as timezone"},
		"CRON_TZ":               {with{"cron": "CRON_TZ=UTC 0 9 * * *"}, "give it as timezone"},
		"no such day":           {with{"cron": "0 0 31 2 *"}, "never comes"},
		"@every":                {with{"cron": "@every -1s"}, "give the interval as every"},
		"@every 1ns":            {with{"cron": "@EVERY 1ns"}, "give the interval as every"},
		"@reboot":               {with{"cron": "@reboot"}, "cannot be read"},
		"seconds":               {with{"cron": "* * * * * *"}, "there are no seconds"},
		"a field of nothing":    {with{"cron": ", * * * *"}, "a field is empty"},
		"no expression":         {with{"cron": "whenever"}, "5 fields"},
		"blank":                 {with{"cron": "  "}, "exactly one"},
		"too long":              {with{"cron": strings.Repeat("1,", 5000) + "1 * * * *"}, "characters at most"},
		"invisible":             {with{"cron": "0\u200b 9 * * *"}, `\\u200b`},
		"every second":          {with{"every": "1s"}, "60 seconds at least"},
		"every 59 seconds":      {with{"every": "59 seconds"}, "60 seconds at least"},
		"every minus":           {with{"every": "-1h"}, "no duration"},
		"every 1ns":             {with{"every": "1ns"}, "no duration"},
		"every month":           {with{"every": "1 month"}, "no duration"},
		"every long":            {with{"every": "99999 weeks"}, "10 years"},
		"every endless":         {with{"every": strings.Repeat("9", 300) + "h"}, "no duration"},
		"in nothing":            {with{"in": "0s"}, "too short"},
		"in long":               {with{"in": "999999999w"}, "10 years"},
		"in words":              {with{"in": "a while"}, "no duration"},
		"year 9999":             {with{"at": "9999-12-31 23:59"}, "10 years away"},
		"year 9999, offset":     {with{"at": "9999-12-31T23:59:59-12:00"}, "10 years away"},
		"year 10000":            {with{"at": "10000-01-01 00:00"}, "is no time"},
		"eleven years":          {with{"at": "2037-11-22 00:00"}, "10 years away"},
		"the past":              {with{"at": "2026-11-21 20:59"}, "in Europe/Vienna it is now Saturday 2026-11-21 21:00:00"},
		"now":                   {with{"at": "2026-11-21 21:00"}, "is over"},
		"year 0":                {with{"at": "0000-01-01 00:00"}, "is over"},
		"no such date":          {with{"at": "2027-02-30 09:00"}, "is no time"},
		"a day without a time":  {with{"at": "2026-11-22"}, "is no time"},
		"an odd offset":         {with{"at": "2026-11-22T09:00:00+99:99"}, "is no time"},
		"unknown zone":          {with{"in": "1h", "timezone": "CEST/Nowhere"}, "no time zone"},
		"the machine's zone":    {with{"in": "1h", "timezone": "Local"}, "no time zone"},
		"a file for a zone":     {with{"in": "1h", "timezone": "../../etc/passwd"}, "no time zone"},
		"a zone with an escape": {with{"in": "1h", "timezone": "\x1b[2J"}, `\\x1b`},
		"two ways":              {with{"in": "1h", "at": "2026-11-22 09:00"}, "2 are given"},
		"four ways":             {with{"in": "1h", "at": "2026-11-22 09:00", "every": "1h", "cron": "@daily"}, "4 are given"},
		"no way":                {with{}, "0 are given"},
		"no text":               {with{"in": "1h", "text": ""}, "text is needed"},
		"blank text":            {with{"in": "1h", "text": " \n\t"}, "text is needed"},
		"long text":             {with{"in": "1h", "text": strings.Repeat("x", schedule.MaxText+1)}, "may have 4000"},
		"long name":             {with{"in": "1h", "name": strings.Repeat("x", schedule.MaxName+1)}, "may have 80"},
		"a name of two lines":   {with{"in": "1h", "name": "tea\nremoved by the owner"}, "nobody sees"},
		"a name turned round":   {with{"in": "1h", "name": "tea\u202eaet"}, "nobody sees"},
		"a name of nothing":     {with{"in": "1h", "name": "\u3164\u2800"}, "nobody sees"},
		"an escape in a name":   {with{"in": "1h", "name": "\x1b]0;x\a"}, "nobody sees"},
		"catch up":              {with{"in": "1h", "catch_up": "always"}, "catch_up is once or skip"},
		"an id":                 {with{"in": "1h", "id": "mine"}, "takes no id"},
		"another action":        {with{"action": "run", "id": "x"}, "must be one of"},
		"no action":             {with{"action": ""}, "must be one of"},
		"remove and more":       {with{"action": "remove", "id": "x", "text": "y"}, "an id alone, not text"},
		"remove nothing":        {with{"action": "remove"}, "id is needed"},
		"unknown argument":      {with{"in": "1h", "chat": "2"}, "invalid_arguments"},
		"a number":              {with{"in": 20}, "invalid_arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.zone = "Europe/Vienna"
			args := with{"action": "create", "text": "tea"}
			maps.Copy(args, c.args)
			if args["action"] != "create" {
				delete(args, "text")
				if c.args["text"] != nil {
					args["text"] = c.args["text"]
				}
			}
			res := d.call(t, args)
			var e struct {
				Type    tools.ErrorType
				Message string
			}
			if err := json.Unmarshal([]byte(res.ForLLM), &e); err != nil || !res.IsError ||
				e.Type != tools.ErrInvalidArguments || !strings.Contains(res.ForLLM, c.want) || d.book.puts > 0 {
				t.Errorf("%s, want %q; kept %d", res.ForLLM, c.want, d.book.puts)
			}
			if len(e.Message) > 500 || strings.ContainsFunc(e.Message, unicode.IsControl) {
				t.Errorf("no clear sentence: %s", e.Message)
			}
		})
	}
}

// TestEveryMinuteAThousandTimes: the cap of a chat holds, and others have their own.
func TestEveryMinuteAThousandTimes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	refused := 0
	for range 1000 {
		res := d.call(t, with{"action": "create", "text": "x", "cron": "* * * * *", "timezone": "UTC"})
		if res.IsError {
			refused++
			if !strings.Contains(res.ForLLM, "this chat has 3 jobs") {
				t.Fatal(res.ForLLM)
			}
		}
	}
	if refused != 997 || len(d.book.jobs["1"]) != 3 {
		t.Errorf("%d refused, %d kept", refused, len(d.book.jobs["1"]))
	}
	if res := d.in(t, "2", "k", with{"action": "create", "text": "x", "in": "1h"}); res.IsError {
		t.Errorf("another chat: %s", res.ForLLM)
	}
}

// TestJobsOfAnotherChatAreNotFound tries every action on one.
func TestJobsOfAnotherChatAreNotFound(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.good(t, with{"action": "create", "text": "canary", "in": "1h"}).ID
	want := d.book.jobs["1"][id]
	for _, args := range []with{
		{"action": "change", "text": "x"},
		{"action": "change", "in": "2h"},
		{"action": "pause"},
		{"action": "resume"},
		{"action": "remove"},
	} {
		args["id"] = id
		res := d.in(t, "2", fmt.Sprint("k", args), args)
		if !res.IsError || !strings.Contains(res.ForLLM, "not found") || strings.Contains(res.ForLLM, "canary") {
			t.Errorf("%v: %s", args, res.ForLLM)
		}
	}
	if got := d.book.jobs["1"][id]; got != want || len(d.book.jobs["2"]) > 0 {
		t.Errorf("%+v is now %+v", want, got)
	}
}

// FuzzSchedule gives the arguments of a call and a stored spec, at any time. A kept
// job can be read again and is due later, and later again.
func FuzzSchedule(f *testing.F) {
	for _, cron := range []string{
		"0 9 * * 1-5", "TZ=", "CRON_TZ=UTC", "0 0 31 2 *", "@every -1s", "@every 1ns",
		"* * * * *", "@daily", "30 2 29 2 0", ", * * * *", "*/7 */5 1-3,5 jan-mar ?",
	} {
		f.Add(`{"action":"create","text":"x","timezone":"Europe/Vienna","cron":"`+cron+`"}`, `{"cron":"`+cron+`","zone":"America/Sao_Paulo"}`, int64(1774746000))
	}
	f.Add(`{"action":"create","text":"x","at":"9999-12-31 23:59"}`, `{"at":"9999-12-31T23:59:59-12:00"}`, int64(253402300799))
	f.Add(`{"action":"create","text":"x","in":"1 day, 2 hours and 3.5 s"}`, `{"every":"1m0s","zone":"Pacific/Apia"}`, int64(-62135596801))
	f.Add(`{"action":"create","text":"x","every":"90m","catch_up":"skip"}`, `{"every":"-1s","Every":"1h"}`, int64(1))
	f.Add(`{"action":"change","id":"x","timezone":"right/UTC"}`, `{"cron":"0 0 * * *","zone":"Asia/Beirut","catch_up":"skip"}`, int64(1711800000))
	f.Add(`{"action":"list"}`, `[]`, int64(1<<62))
	f.Fuzz(func(t *testing.T, text, raw string, unix int64) {
		now := time.Unix(unix, 0)
		if s, err := schedule.ParseSpec(json.RawMessage(raw)); err == nil {
			checkSpec(t, s, now)
		}
		args, err := providers.DecodeArguments(text)
		if err != nil {
			return
		}
		d := newDesk(t)
		d.zone, d.now = "Europe/Vienna", time.Unix(unix%(1<<33), 0) // two hundred years, before and after 1970
		res := d.call(t, args)
		if !json.Valid([]byte(res.ForLLM)) || res.IsError && d.book.puts > 0 {
			t.Fatalf("%s; kept %d", res.ForLLM, d.book.puts)
		}
		for id := range d.book.jobs["1"] {
			j := d.book.jobs["1"][id]
			if !j.Due.After(d.now) || j.Due.Sub(d.now) > schedule.MaxAhead {
				t.Errorf("at %s it is due at %s", d.now, j.Due)
			}
			checkSpec(t, j.Spec, d.now)
		}
	})
}

func checkSpec(t *testing.T, s schedule.Spec, now time.Time) {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := schedule.ParseSpec(raw); err != nil || again != s {
		t.Fatalf("%s is read as %+v: %v", raw, again, err)
	}
	if s.String() == "" {
		t.Errorf("%s has no words", raw)
	}
	next, ok := s.Next(now)
	if !ok {
		return
	}
	if _, err := next.MarshalJSON(); err != nil || !next.After(now) {
		t.Fatalf("%s: after %s comes %s (%v)", raw, now, next, err)
	}
	late := now.Add(1000 * time.Hour)
	for _, at := range []time.Time{now.Add(-time.Hour), now, late} {
		if following, ok := s.Following(next, at); ok && (!following.After(next) || !following.After(at)) {
			t.Fatalf("%s: after %s, at %s, comes %s", raw, next, at, following)
		}
	}
}

package schedule_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
	"parley/pkg/tools/schedule"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	const vienna = "Europe/Vienna"
	for name, c := range map[string]struct {
		args with
		want string
	}{
		"in": {with{"in": "20m"}, `{"id":"ID","when":"once on Saturday, 21 November 2026, at 20:20 (UTC)","due":"2026-11-21T20:20:00Z","timezone":"UTC","from_now":"20 minutes"}`},
		"in words": {
			with{"in": "1 day, 2 hours and 30 minutes", "timezone": vienna},
			`{"id":"ID","when":"once on Sunday, 22 November 2026, at 23:30 (Europe/Vienna)","due":"2026-11-22T23:30:00+01:00","timezone":"Europe/Vienna","from_now":"1 day 2 hours 30 minutes"}`,
		},
		"at": {
			with{"at": "2026-11-22 09:00", "timezone": vienna, "name": "tea"},
			`{"id":"ID","name":"tea","when":"once on Sunday, 22 November 2026, at 09:00 (Europe/Vienna)","due":"2026-11-22T09:00:00+01:00","timezone":"Europe/Vienna","from_now":"12 hours"}`,
		},
		"at an offset": {
			with{"at": "2026-11-22t09:00:00-05:00"},
			`{"id":"ID","when":"once on Sunday, 22 November 2026, at 14:00 (UTC)","due":"2026-11-22T14:00:00Z","timezone":"UTC","from_now":"18 hours"}`,
		},
		"at an offset, after a blank": {
			with{"at": "2026-11-22 09:00 +0100", "timezone": vienna},
			`{"id":"ID","when":"once on Sunday, 22 November 2026, at 09:00 (Europe/Vienna)","due":"2026-11-22T09:00:00+01:00","timezone":"Europe/Vienna","from_now":"12 hours"}`,
		},
		"at a time left out": {
			with{"at": "2027-03-28 02:30", "timezone": vienna},
			`{"id":"ID","when":"once on Sunday, 28 March 2027, at 03:30 (Europe/Vienna)","due":"2027-03-28T03:30:00+02:00","timezone":"Europe/Vienna","from_now":"126 days 6 hours","note":"The clocks change then and never show 02:30; it is due at 03:30."}`,
		},
		"at a time shown twice": {
			with{"at": "2027-10-31 02:30", "timezone": vienna},
			`{"id":"ID","when":"once on Sunday, 31 October 2027, at 02:30 (Europe/Vienna)","due":"2027-10-31T02:30:00+02:00","timezone":"Europe/Vienna","from_now":"343 days 5 hours"}`,
		},
		"every": {with{"every": "6 hours"}, `{"id":"ID","when":"every 6 hours","due":"2026-11-22T02:00:00Z","timezone":"UTC","from_now":"6 hours"}`},
		"cron": {
			with{"cron": " 0 9  * * MON-FRI", "timezone": vienna, "prompt": true, "catch_up": "skip"},
			`{"id":"ID","when":"every Monday to Friday at 09:00 (Europe/Vienna)","due":"2026-11-23T09:00:00+01:00","timezone":"Europe/Vienna","from_now":"1 day 12 hours","prompt":true,"catch_up":"skip"}`,
		},
		"a word": {
			with{"cron": "@Daily", "timezone": "Asia/Kathmandu"},
			`{"id":"ID","when":"every day at 00:00 (Asia/Kathmandu)","due":"2026-11-23T00:00:00+05:45","timezone":"Asia/Kathmandu","from_now":"22 hours 15 minutes"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			c.args["action"], c.args["text"] = "create", "drink tea"
			res := d.call(t, c.args)
			v := seen(t, res)
			if diff := cmp.Diff(c.want, strings.Replace(res.ForLLM, v.ID, "ID", 1)); diff != "" || len(v.ID) != 8 || res.ForUser != "" {
				t.Error(v.ID, diff)
			}
			j := d.book.jobs["1"][v.ID]
			if !j.Due.Equal(instant(t, v.Due)) || j.Text != "drink tea" || j.Prompt != v.Prompt || j.Name != v.Name {
				t.Errorf("kept: %+v", j)
			}
			raw, _ := json.Marshal(j.Spec)
			if s, err := schedule.ParseSpec(raw); err != nil || s != j.Spec {
				t.Errorf("%s is read as %+v, %v", raw, s, err)
			}
		})
	}
}

// TestAtOnTheLastDayOfALeapYear is a day of which the time package says that its
// zone ended before it.
func TestAtOnTheLastDayOfALeapYear(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.now = instant(t, "2040-12-30T12:00:00Z")
	for _, at := range []string{"2040-12-31 09:00", "2041-01-01 00:30"} {
		v := d.good(t, with{"action": "create", "text": "x", "at": at, "timezone": "Europe/Vienna"})
		if want := strings.Replace(at, " ", "T", 1) + ":00+01:00"; v.Due != want {
			t.Errorf("%s is due at %s", at, v.Due)
		}
	}
}

// TestZones: given, else kept, else configured, else asked for.
func TestZones(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	nine := with{"action": "create", "text": "tea", "cron": "0 9 * * *"}
	if res := d.call(t, nine); !res.IsError || !strings.Contains(res.ForLLM, "ask the person") || d.book.puts > 0 {
		t.Errorf("without a zone: %s", res.ForLLM)
	}
	if res := d.call(t, with{"action": "create", "text": "tea", "at": "2026-11-23 09:00"}); !res.IsError ||
		!strings.Contains(res.ForLLM, "ask the person") {
		t.Errorf("without a zone: %s", res.ForLLM)
	}
	d.zone = "Asia/Tokyo"
	if v := d.good(t, nine); v.Due != "2026-11-22T09:00:00+09:00" || len(d.book.zones) > 0 {
		t.Errorf("configured: %+v, kept %v", v, d.book.zones)
	}
	given := maps.Clone(nine)
	given["timezone"] = "Europe/Vienna"
	if v := d.good(t, given); v.Due != "2026-11-22T09:00:00+01:00" || d.book.zones["1"] != "Europe/Vienna" {
		t.Errorf("given: %+v, kept %v", v, d.book.zones)
	}
	if v := d.good(t, nine); v.Due != "2026-11-22T09:00:00+01:00" {
		t.Errorf("kept: %+v", v)
	}
	if res := d.in(t, "2", "other", nine); seen(t, res).Timezone != "Asia/Tokyo" {
		t.Errorf("another chat: %s", res.ForLLM)
	}
	d.book.zones["1"] = "Atlantis/Capital"
	if v := d.good(t, with{"action": "list"}); v.Timezone != "Asia/Tokyo" || v.Now != "2026-11-22T05:00:00+09:00" || len(v.Jobs) != 3 {
		t.Errorf("a zone that is none any more: %+v", v)
	}
	if res := d.call(t, with{"action": "remove", "id": "unknown", "timezone": "Europe/Paris"}); !res.IsError ||
		d.book.zones["1"] == "Europe/Paris" {
		t.Errorf("a zone of a call that failed is kept: %s", res.ForLLM)
	}
	if v := d.good(t, with{"action": "list", "timezone": "Europe/Paris"}); v.Timezone != "Europe/Paris" ||
		d.book.zones["1"] != "Europe/Paris" {
		t.Errorf("given to list: %+v", v)
	}
}

// TestACallThatIsMadeAgainMakesNoSecondJob is the call after a crash, later.
func TestACallThatIsMadeAgainMakesNoSecondJob(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	args := with{"action": "create", "text": "tea", "in": "20m"}
	first := seen(t, d.in(t, "1", "turn/1/0", args))
	d.now = d.now.Add(5 * time.Minute)
	again := seen(t, d.in(t, "1", "turn/1/0", args))
	if again.ID != first.ID || again.Due != first.Due || d.book.puts != 1 {
		t.Errorf("first %+v, then %+v, kept %d times", first, again, d.book.puts)
	}
	if other := seen(t, d.in(t, "1", "turn/1/1", args)); other.ID == first.ID || len(d.book.jobs["1"]) != 2 {
		t.Errorf("another call makes %+v", other)
	}
	step := with{"action": "create", "text": "coffee", "in": "20m"}
	if other := seen(t, d.in(t, "1", "turn/1/0", step)); other.ID == first.ID || len(d.book.jobs["1"]) != 3 {
		t.Errorf("another step of the same call makes %+v", other)
	}
	// Outside a turn there is no key, and each call makes a job.
	if a, b := seen(t, d.in(t, "2", "", args)), seen(t, d.in(t, "2", "", args)); a.ID == b.ID {
		t.Errorf("two calls without a key make one job: %+v", a)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.good(t, with{"action": "create", "text": "tea", "cron": "0 9 * * *", "timezone": "Europe/Vienna", "catch_up": "skip"}).ID
	v := d.good(t, with{"action": "change", "id": strings.ToUpper(id), "text": "coffee", "name": "morning", "prompt": true})
	if j := d.book.jobs["1"][id]; j.Text != "coffee" || j.Name != "morning" || !j.Prompt || v.Due != "2026-11-22T09:00:00+01:00" {
		t.Errorf("text: %+v, %+v", v, j)
	}
	if v := d.good(t, with{"action": "change", "id": id, "timezone": "Asia/Tokyo"}); v.Due != "2026-11-22T09:00:00+09:00" ||
		d.book.zones["1"] != "Asia/Tokyo" {
		t.Errorf("zone: %+v", v)
	}
	v = d.good(t, with{"action": "change", "id": id, "every": "2h"})
	if j := d.book.jobs["1"][id]; v.Due != "2026-11-22T07:00:00+09:00" ||
		j.Spec != (schedule.Spec{Every: "2h0m0s", Zone: "Asia/Tokyo", CatchUp: "skip"}) || j.Text != "coffee" {
		t.Errorf("interval: %+v, %+v", v, j)
	}
	d.now = d.now.Add(time.Hour)
	v = d.good(t, with{"action": "change", "id": id, "catch_up": "once", "timezone": "UTC", "prompt": false})
	if v.Due != "2026-11-21T22:00:00Z" || v.Prompt {
		t.Errorf("an interval keeps its beat: %+v", v)
	}
	for name, args := range map[string]with{
		"nothing":    {"id": id},
		"no id":      {"text": "x"},
		"two ways":   {"id": id, "in": "20m", "every": "2h"},
		"a bad rule": {"id": id, "catch_up": "always"},
		"blank":      {"id": id, "text": " "},
	} {
		args["action"] = "change"
		before := d.book.puts
		if res := d.call(t, args); !res.IsError || d.book.puts != before {
			t.Errorf("%s: %s", name, res.ForLLM)
		}
	}
}

func TestPauseResumeRemove(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	daily := d.good(t, with{"action": "create", "text": "tea", "cron": "0 9 * * *", "timezone": "UTC"}).ID
	beat := d.good(t, with{"action": "create", "text": "tick", "every": "1h"}).ID
	once := d.good(t, with{"action": "create", "text": "tock", "in": "30m"}).ID
	for _, id := range []string{daily, beat, once, once} {
		if v := d.good(t, with{"action": "pause", "id": id}); !v.Paused || v.Due != "" || v.Why != "paused in the chat" {
			t.Errorf("paused: %+v", v)
		}
	}
	if res := d.call(t, with{"action": "create", "text": "x", "in": "1h"}); !res.IsError ||
		!strings.Contains(res.ForLLM, "paused ones included") {
		t.Errorf("paused jobs do not count: %s", res.ForLLM)
	}
	if v := d.good(t, with{"action": "resume", "id": beat}); v.Paused || v.Due != "2026-11-21T21:00:00Z" {
		t.Errorf("resumed at once: %+v", v)
	}
	d.good(t, with{"action": "pause", "id": beat})
	d.now = d.now.Add(48*time.Hour + 10*time.Minute)
	for id, due := range map[string]string{daily: "2026-11-24T09:00:00Z", beat: "2026-11-23T21:00:00Z"} {
		j := d.book.jobs["1"][id]
		j.Failures, j.LastReason = 3, "the model failed"
		d.book.jobs["1"][id] = j
		if v := d.good(t, with{"action": "resume", "id": id}); v.Paused || v.Due != due || v.Failures != 0 || v.Why != "" {
			t.Errorf("resumed: %+v", v)
		}
		if v := d.good(t, with{"action": "resume", "id": id}); v.Due != due {
			t.Errorf("resumed again: %+v", v)
		}
	}
	if res := d.call(t, with{"action": "resume", "id": once}); !res.IsError ||
		!strings.Contains(res.ForLLM, "is over") || !d.book.jobs["1"][once].Paused {
		t.Errorf("what is over is resumed: %s", res.ForLLM)
	}
	if v := d.good(t, with{"action": "remove", "id": once}); !v.Removed || v.ID != once || len(d.book.jobs["1"]) != 2 {
		t.Errorf("removed: %+v", v)
	}
	for _, action := range []string{"remove", "pause", "resume"} {
		if res := d.call(t, with{"action": action, "id": once}); !res.IsError || !strings.Contains(res.ForLLM, "not found") {
			t.Errorf("%s of a job that is gone: %s", action, res.ForLLM)
		}
	}
}

func TestListTellsLongTextsInPart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.good(t, with{"action": "create", "text": strings.Repeat("ä", schedule.MaxText), "in": "1h"}).ID
	j := d.book.jobs["1"][id]
	j.Last = d.now.Add(-time.Hour)
	d.book.jobs["1"][id] = j
	v := d.good(t, with{"action": "list"})
	if len(v.Jobs) != 1 || v.Jobs[0].Text != strings.Repeat("ä", 200)+"…" || v.Jobs[0].Last != "2026-11-21T19:00:00Z" {
		t.Errorf("%+v", v)
	}
	if v := seen(t, d.in(t, "2", "k", with{"action": "list"})); v.Jobs == nil || len(v.Jobs) != 0 {
		t.Errorf("another chat's list: %+v", v)
	}
}

// TestTheBooksErrors keeps a store's errors from the model, unless they are meant for
// it.
func TestTheBooksErrors(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, args := range []with{
		{"action": "list"},
		{"action": "create", "text": "x", "in": "1h"},
		{"action": "remove", "id": "x"},
	} {
		d.book.err = errors.New("disk full at a private place")
		if res := d.call(t, args); !res.IsError || strings.Contains(res.ForLLM, "private") || !errors.Is(res.Err, d.book.err) {
			t.Errorf("%v: %+v", args, res)
		}
		d.book.err = tools.Fail(tools.ErrPermissionDenied, "not in this chat", nil)
		if res := d.call(t, args); !strings.Contains(res.ForLLM, `"permission_denied","message":"not in this chat"`) {
			t.Errorf("%v: %+v", args, res)
		}
	}
}

// TestAnnotations: a job acts later, so that after text from outside a person is
// asked about it, which Speaks would waive.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	want := tools.Annotations{Level: tools.LevelChat, Idempotent: true, Ordered: true}
	if diff := cmp.Diff(want, tools.AnnotationsOf(schedule.New(schedule.Options{}))); diff != "" {
		t.Error(diff)
	}
}

// TestAListShowsTextsFromOutside where one of the jobs has such a text.
func TestAListShowsTextsFromOutside(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	shown := func(args map[string]any) int {
		t.Helper()
		before := d.book.shown
		if res := d.call(t, args); res.IsError {
			t.Error(res.ForLLM)
		}
		return d.book.shown - before
	}
	list, create := map[string]any{"action": "list"}, map[string]any{"action": "create", "text": "x", "in": "1h"}
	if n := shown(list); n != 0 {
		t.Errorf("an empty list: %d", n)
	}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Chat: "1"})
	if err := d.book.Put(ctx, schedule.Job{ID: "j", Text: "write this down", Outside: true}); err != nil {
		t.Fatal(err)
	}
	if n := shown(list); n != 1 {
		t.Errorf("a list of such texts: %d", n)
	}
	if n := shown(create); n != 0 {
		t.Errorf("a new job: %d", n)
	}
}

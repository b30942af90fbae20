package gateway

import (
	"encoding/json"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/config"
)

func TestZones(t *testing.T) {
	t.Parallel()
	env := func(tz string) func(string) (string, bool) {
		return func(name string) (string, bool) { return tz, name == "TZ" }
	}
	screen, bot := channels.Address{Channel: "console"}, channels.Address{Channel: "telegram"}
	for _, c := range []struct{ configured, tz, screen, bot string }{
		{"", "Asia/Tokyo", "Asia/Tokyo", ""},
		{"", ":Asia/Tokyo", "Asia/Tokyo", ""},
		{"", "", "UTC", ""},
		{"", "No/Where", "", ""},
		{"", "/etc/localtime", "", ""},
		{"Europe/Berlin", "Asia/Tokyo", "Europe/Berlin", "Europe/Berlin"},
	} {
		z := zones(c.configured, env(c.tz))
		if z(screen) != c.screen || z(bot) != c.bot {
			t.Errorf("%+v: %q and %q", c, z(screen), z(bot))
		}
	}
	here := systemZone(func(string) (string, bool) { return "", false })
	if _, err := time.LoadLocation(here); err != nil {
		t.Errorf("this machine's zone %q: %v", here, err)
	}
}

func TestClockwork(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	for spec, want := range map[string]struct {
		next time.Time
		pass bool
		bad  bool
	}{
		`{"every":"1h"}`:                    {next: due.Add(7 * time.Hour)},
		`{"every":"1h","catch_up":"skip"}`:  {next: due.Add(7 * time.Hour), pass: true},
		`{"at":"2026-11-22T09:00:00Z"}`:     {},
		`{"cron":"0 9 * * *","zone":"UTC"}`: {next: due.AddDate(0, 0, 1)},
		`{"cron":"TZ= 0 9 * * *"}`:          {bad: true},
		`{`:                                 {bad: true},
	} {
		got, err := cronTimetable{}.Tick(json.RawMessage(spec), due, due.Add(6*time.Hour+time.Minute))
		if (err != nil) != want.bad || !got.Next.Equal(want.next) || got.Pass != want.pass {
			t.Errorf("%s: %+v, %v", spec, got, err)
		}
		if words := (cronTimetable{}).Describe(json.RawMessage(spec)); words == "" {
			t.Errorf("%s has no description", spec)
		}
	}
}

func TestTheHeartbeatOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]channels.Address{
		"console:":      {Channel: "console", Chat: "local"},
		"telegram:7":    {Channel: "telegram", Chat: "7"},
		"telegram:99/7": {Channel: "telegram", Account: "99", Chat: "7"},
	} {
		cfg := config.Default("")
		cfg.Agent.Heartbeat.To = to
		h := heartbeat(cfg, &Channels{})
		if h == nil || h.To != want || h.Owner.ID != want.Chat || h.PerDay != 24 || string(h.Spec) != `{"every":"30m0s"}` {
			t.Errorf("%s: %+v", to, h)
		}
	}
	if h := heartbeat(config.Default(""), &Channels{}); h != nil {
		t.Errorf("without one: %+v", h)
	}
}

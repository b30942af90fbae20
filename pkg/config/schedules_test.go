package config_test

import (
	"strings"
	"testing"
	"time"

	"parley/pkg/config"
)

func TestSchedules(t *testing.T) {
	t.Parallel()
	got, err := config.Load(write(t, `
owners: ["telegram:7"]
agent: {timezone: Asia/Kolkata, heartbeat: {to: "telegram:7", every: 1h}}
schedules: {per_chat: 5}
`), options())
	if err != nil {
		t.Fatal(err)
	}
	want := config.Heartbeat{To: "telegram:7", Every: config.Duration(time.Hour), PerDay: 24}
	if a := got.Agent; a.Timezone != "Asia/Kolkata" || a.Heartbeat != want || got.Schedules.PerChat != 5 {
		t.Errorf("%+v, %+v", a, got.Schedules)
	}
	if d := config.Default(home); d.Agent.Heartbeat.To != "" ||
		d.Agent.Heartbeat.Every != config.Duration(30*time.Minute) || d.Schedules.PerChat != 20 {
		t.Errorf("default %+v, %+v", d.Agent, d.Schedules)
	}
}

func TestSchedulesRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"agent: {timezone: Local}":                   `agent.timezone: "Local" is no time zone`,
		"agent: {timezone: ../etc/passwd}":           "is no time zone",
		"agent: {timezone: CEST+2}":                  "is no time zone",
		`agent: {heartbeat: {to: "telegram:8"}}`:     "is not among the owners",
		"agent: {heartbeat: {every: 4m59s}}":         "agent.heartbeat.every",
		"agent: {heartbeat: {per_day: 0}}":           "agent.heartbeat.per_day",
		"agent: {heartbeat: {per_day: 289}}":         "agent.heartbeat.per_day",
		"schedules: {per_chat: 0}":                   "schedules.per_chat",
		"schedules: {per_person: 3}":                 "per_person",
		"agent: {heartbeat: {to: [\"telegram:7\"]}}": "agent.heartbeat.to",
	} {
		_, err := config.Load(write(t, "owners: [\"telegram:7\"]\n"+text), options())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

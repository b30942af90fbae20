package config

import (
	"slices"
	"strings"
	"time"

	"parley/pkg/strictyaml"
)

// Schedules bound the plans of chats.
type Schedules struct {
	PerChat int `yaml:"per_chat" jsonschema:"minimum=1,maximum=1000" jsonschema_description:"Jobs that one chat may have. Default 20."`
}

// Heartbeat is the job that has the agent read HEARTBEAT.md of the workspace again
// and again.
type Heartbeat struct {
	To     string   `yaml:"to" jsonschema_description:"The owner in whose direct chat it speaks, as under owners, or console:. Without one there is no heartbeat."`
	Every  Duration `yaml:"every" min:"5m" max:"168h" jsonschema_description:"Default 30m."`
	PerDay int      `yaml:"per_day" jsonschema:"minimum=1,maximum=288" jsonschema_description:"How often the model is asked on one day, at most. Default 24."`
}

func defaultHeartbeat() Heartbeat {
	return Heartbeat{Every: Duration(30 * time.Minute), PerDay: 24}
}

// schedules checks the settings of time.
func (c modelChecker) schedules() {
	a := &c.cfg.Agent
	if a.Timezone != "" {
		if _, err := time.LoadLocation(a.Timezone); err != nil || strings.EqualFold(a.Timezone, "local") {
			c.at("agent.timezone", "%s is no time zone: write an IANA name such as Europe/Berlin, America/New_York or UTC",
				strictyaml.Quote(a.Timezone))
		}
	}
	to := a.Heartbeat.To
	if to != "" && to != "console:" && !slices.Contains(c.cfg.Owners, to) {
		c.at("agent.heartbeat.to", "%s is not among the owners: write one of them, or console:", strictyaml.Quote(to))
	}
}

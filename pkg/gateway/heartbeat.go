package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/pkg/agent/job"
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/channels/slack"
	"parley/pkg/config"
	"parley/pkg/gateway/files"
	"parley/pkg/policy"
	"parley/pkg/tools/schedule"
)

// zones gives the time zone of a chat that has not named one: the configured one, or
// for the console that of this machine.
func zones(configured string, lookup func(string) (string, bool)) func(channels.Address) string {
	here := ""
	if configured == "" {
		here = systemZone(lookup)
	}
	return func(at channels.Address) string {
		if configured == "" && at.Channel == console.Name {
			return here
		}
		return configured
	}
}

// systemZone is the IANA name of the machine's time zone, "" where it has no name.
func systemZone(lookup func(string) (string, bool)) string {
	const link, folder = "/etc/localtime", "zoneinfo/"
	name, set := lookup("TZ")
	if !set {
		target, err := filepath.EvalSymlinks(link)
		if os.IsNotExist(err) {
			return "UTC" // as for every program
		}
		if i := strings.LastIndex(target, folder); i >= 0 {
			name = target[i+len(folder):]
		}
	}
	name = strings.TrimPrefix(name, ":")
	if name == "" && set {
		return "UTC"
	}
	if _, err := time.LoadLocation(name); name == "" || err != nil || filepath.IsAbs(name) {
		return ""
	}
	return name
}

// heartbeat is the job that the configuration owns, or nil.
func heartbeat(cfg *config.Config, bound *Channels) *job.Heartbeat {
	h := cfg.Agent.Heartbeat
	place, err := policy.ParsePlace(h.To)
	if h.To == "" || err != nil {
		return nil
	}
	to := channels.Address(place)
	if to.Channel == console.Name {
		to = consoleChat()
	}
	for _, b := range bound.all() { // the first bot of several, if the owner names no bot
		if b.channel.Name() == to.Channel && to.Account == "" {
			to.Account = b.channel.Account()
		}
	}
	spec, err := json.Marshal(schedule.Spec{Every: time.Duration(h.Every).String()})
	if err != nil {
		return nil
	}
	beat := &job.Heartbeat{
		To: to, Owner: channels.Sender{ID: to.Chat, Name: "the owner"}, Spec: spec,
		PerDay: h.PerDay, File: func() string { return files.HeartbeatFile(cfg.Workspace) },
	}
	if to.Channel == slack.Name { // a direct message there has an id of its own
		beat.Mine = writtenBy(to.Account, to.Chat)
	}
	return beat
}

// writtenBy says of messages on Slack whether somebody of a team wrote them directly
// to the bot, outside of threads; in a workspace of another team they are TEAM/ID.
func writtenBy(team, id string) func(channels.Inbound) bool {
	return func(in channels.Inbound) bool {
		at := in.Address
		return in.Direct && at.Channel == slack.Name && at.Thread == "" &&
			(at.Account == team && in.Sender.ID == id || in.Sender.ID == team+"/"+id)
	}
}

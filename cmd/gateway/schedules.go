package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/channels/slack"
	"parley/pkg/gateway/files"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/schedule"
)

// clockwork reads the specifications of jobs for the agent.
type clockwork struct{}

// Tick implements [agent.Clock].
func (clockwork) Tick(raw json.RawMessage, due, now time.Time) (agent.Tick, error) {
	spec, err := schedule.ParseSpec(raw)
	if err != nil {
		return agent.Tick{}, err
	}
	next, _ := spec.Following(due, now) // the zero time where there is none
	return agent.Tick{Next: next, Pass: spec.CatchUp == schedule.CatchUpSkip}, nil
}

// Describe implements [agent.Clock].
func (clockwork) Describe(raw json.RawMessage) string {
	spec, err := schedule.ParseSpec(raw)
	if err != nil {
		return "a schedule that cannot be read"
	}
	return spec.String()
}

// newSchedule is the tool that plans; with no agent it is for its name alone.
func newSchedule(a *agent.Agent, perChat int) tools.Tool {
	return schedule.New(schedule.Options{Book: book{a}, PerChat: perChat, Zone: func(ctx context.Context) string { return a.UsualZone(ctx) }})
}

// book keeps the jobs of the tool with the agent, which knows whose call it is.
type book struct{ agent *agent.Agent }

// List implements [schedule.Book].
func (b book) List(ctx context.Context) ([]schedule.Job, error) {
	all, err := b.agent.ChatJobs(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]schedule.Job, 0, len(all))
	for i := range all {
		j := &all[i]
		spec, err := schedule.ParseSpec(j.Spec)
		if err != nil {
			spec = schedule.Spec{} // it is listed all the same, so that it can be removed
		}
		out = append(out, schedule.Job{
			ID: j.ID, Name: j.Name, Spec: spec, Text: j.Text, Prompt: j.Prompt, Outside: j.Tainted, Due: j.Due, Paused: j.Paused, Why: j.Why,
			Last: j.Last, Failures: j.Failures, LastReason: j.LastReason,
		})
	}
	return out, nil
}

// Shows implements [schedule.Book].
func (b book) Shows(ctx context.Context) { b.agent.ShowsOutside(ctx) }

// Put implements [schedule.Book].
func (b book) Put(ctx context.Context, j schedule.Job) error {
	raw, err := json.Marshal(j.Spec)
	if err != nil {
		return err
	}
	return b.agent.KeepJob(ctx, session.Job{
		ID: j.ID, Name: j.Name, Spec: raw, Text: j.Text, Prompt: j.Prompt, Due: j.Due, Paused: j.Paused, Why: j.Why, Failures: j.Failures,
	})
}

// Delete implements [schedule.Book].
func (b book) Delete(ctx context.Context, id string) error { return b.agent.DropJob(ctx, id) }

// Zone implements [schedule.Book].
func (b book) Zone(ctx context.Context) (string, error) { return b.agent.ChatZone(ctx) }

// SetZone implements [schedule.Book].
func (b book) SetZone(ctx context.Context, zone string) error { return b.agent.KeepZone(ctx, zone) }

// zones gives the time zone of a chat that has named none: the configured one, or
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

// heartbeat is the job that the configuration owns, nil where there is none.
func (a *App) heartbeat() *agent.Heartbeat {
	h := a.cfg.Agent.Heartbeat
	place, err := policy.ParsePlace(h.To)
	if h.To == "" || err != nil {
		return nil
	}
	to := channels.Address(place)
	if to.Channel == console.Name {
		to.Chat = "local" // the one conversation that it has
	}
	for _, l := range a.roster.all() { // the first bot of several, where none is named
		if l.channel.Name() == to.Channel && to.Account == "" {
			to.Account = l.channel.Account()
		}
	}
	spec, err := json.Marshal(schedule.Spec{Every: time.Duration(h.Every).String()})
	if err != nil {
		return nil
	}
	beat := &agent.Heartbeat{
		To: to, Owner: channels.Sender{ID: to.Chat, Name: "the owner"}, Spec: spec, PerDay: h.PerDay, File: func() string { return files.HeartbeatFile(a.cfg.Workspace) },
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

package main

import (
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/gateway/admin"
)

// operations are the parts of this gateway that the operator's operations work on.
func (a *App) operations() *admin.Gateway {
	return &admin.Gateway{
		Version: version(), Engine: a.engine, Store: a.store, Agent: a.agent, Registry: a.registry, Policy: a.policy, Approvals: a.approvals,
		Offered: offered(a.cfg.Tools.Chats, a.policy.Addresses), Spaces: a.spaces,
		Home: channels.Address{Channel: console.Name, Chat: operatorID}, Writer: a.writer, Namer: a.namer, Schedule: clockwork{}.Describe,
		Currency: a.cfg.Budgets.Currency, State: a.state, Redact: a.redactor.Redact, Note: a.noted, Log: a.log,
	}
}

// namer finds the channel of an address, if that can tell the names of people.
func (a *App) namer(at channels.Address) (channels.Namer, bool) {
	from, ok := a.at(at).(channels.Namer)
	return from, ok
}

// state is how this gateway does now.
func (a *App) state() admin.State {
	s := admin.State{Running: a.running, Since: a.started, Model: a.brain.model, Why: a.brain.why, Channels: []admin.ChannelReport{}, Agent: a.agentFile.Trouble()}
	if !a.running {
		s.Unwritable, s.Audit = a.unwritable()
	} else if err := a.audit.Err(); err != nil {
		s.Audit = a.unaudited(err).Error()
	}
	for _, l := range a.roster.all() {
		s.Channels = append(s.Channels, admin.ChannelReport{Name: l.channel.Name(), Account: l.channel.Account(), Health: l.health()})
	}
	if h, waits := a.joiner.health(); waits {
		s.Channels = append(s.Channels, admin.ChannelReport{Name: a.joiner.name, Health: h})
	}
	return s
}

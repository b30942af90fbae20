package doctor

import (
	"context"
	"time"

	"parley/pkg/config"
)

// checks are all checks of a set-up, in the order in which they are shown. Those that the
// configuration gives no work are left out.
func (s *setup) checks() []Check {
	if s.cfg == nil {
		return s.skipped(textSkipNoConfig)
	}
	l := &s.o.Limits
	here := func(name string, limit time.Duration, run func(context.Context) []Finding) Check {
		return Check{Name: name, Limit: limit, Run: run}
	}
	all := []Check{
		here(nameState, l.Local, folders{s}.state),
		here(nameWorkspace, l.Local, folders{s}.workspace),
		here(nameDisk, l.Local, folders{s}.disks),
		here(nameStore, l.Store, s.store),
		here(nameGateway, l.Local, s.gateway),
	}
	if !s.sound {
		return append(all, append([]Check{here(nameClock, l.Local, s.clockHere)}, s.skipped(textSkipMistakes)[localChecks:]...)...)
	}
	all = append(all,
		here(nameSandbox, l.Local, s.sandbox),
		here(nameTools, l.Local, s.ownTools),
		here(nameWindow, l.Local, models{s}.window),
	)
	if len(s.cfg.Corpora) > 0 {
		all = append(all, here(nameCorpora, l.Local, folders{s}.corpora))
	}
	for _, at := range s.listeners() {
		all = append(all, here(namePort, l.Local, func(ctx context.Context) []Finding { return s.port(ctx, at) }))
	}
	if s.o.Offline {
		all = append(all, here(nameClock, l.Local, s.clockHere))
		return append(all, s.skippedServers(textSkipOffline)...)
	}
	all = append(all, Check{Name: nameClock, Limit: l.Server, Servers: true, Run: s.clock})
	return append(all, s.servers()...)
}

// servers are the checks that ask the servers of the configuration, but that of the clock.
func (s *setup) servers() []Check {
	l := &s.o.Limits
	ask := func(name string, limit time.Duration, run func(context.Context) []Finding) Check {
		return Check{Name: name, Limit: limit, Servers: true, Run: run}
	}
	ps := platforms{s}
	// Models of one program on this machine are asked one after the other.
	all := []Check{ask(nameModels, l.Model*time.Duration(max(1, len(s.cfg.Models))), models{s}.ask)}
	if t := &s.cfg.Channels.Telegram; t.Enabled {
		for _, bot := range t.Bots() {
			all = append(all, ask(botName(bot), 2*l.Server, func(ctx context.Context) []Finding { return ps.telegram(ctx, bot) }))
			if bot.Webhook.Listen != "" {
				all = append(all, ask(botName(bot)+nameWebhookEnd, l.Server, func(ctx context.Context) []Finding { return ps.webhook(ctx, bot) }))
			}
		}
	}
	if s.cfg.Channels.Slack.Enabled {
		all = append(all, ask(nameSlack, 2*l.Server, ps.slack))
	}
	if s.cfg.HTTP.PublicURL != "" {
		all = append(all, ask(namePublic, l.Server, ps.public))
	}
	return all
}

// localChecks is how many of the names of skipped are looked at without a sound
// configuration.
const localChecks = 6

// skipped are checks that are not made, for a reason.
func (s *setup) skipped(why string) []Check {
	names := []string{
		nameState, nameWorkspace, nameDisk, nameStore, nameGateway, nameClock, nameSandbox, nameTools, nameWindow, nameModels, nameChannels,
	}
	all := make([]Check, len(names))
	for i, name := range names {
		all[i] = skip(name, why)
	}
	return all
}

// skippedServers are those of servers.
func (s *setup) skippedServers(why string) []Check {
	var all []Check
	for _, c := range s.servers() {
		all = append(all, skip(c.Name, why))
	}
	return all
}

func skip(name, why string) Check {
	return Check{Name: name, Limit: time.Second, Run: func(context.Context) []Finding { return []Finding{{name, Skip, why, ""}} }}
}

func botName(bot *config.TelegramAccount) string {
	if bot.Name == "" {
		return nameTelegram
	}
	return nameTelegram + " " + bot.Name
}

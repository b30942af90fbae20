package gateway

import (
	"context"
	"fmt"
	"net/url"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
)

// telegramBots makes the bots of the configuration.
func (p *platforms) telegramBots() ([]channels.Channel, error) {
	t := &p.cfg.Channels.Telegram
	if !t.Enabled {
		return nil, nil
	}
	var bots []channels.Channel
	for _, bot := range t.Bots() {
		c, err := p.telegramBot(bot)
		if err != nil {
			return nil, admin.WithCode(admin.CodeUsage, fmt.Errorf("%s: %w", botPlace(bot), err))
		}
		bots = append(bots, c)
	}
	return bots, nil
}

// botPlace is where in the configuration a bot is described.
func botPlace(bot *config.TelegramAccount) string {
	if bot.Name == "" {
		return "channels.telegram"
	}
	return "channels.telegram.accounts: " + bot.Name
}

func (p *platforms) telegramBot(bot *config.TelegramAccount) (*telegram.Channel, error) {
	if bot.AllowEveryone {
		p.log.Warn().Str("name", bot.Name).Msg(botPlace(bot) + ": allow_everyone is on: whoever finds the bot may use it, and every question " +
			"costs")
	}
	o := telegram.Options{
		Name: bot.Name, Token: bot.Token.Reveal, APIURL: bot.APIURL, Stream: bot.Stream, Proxy: bot.Proxy,
		Rates: telegram.Rates{
			PerChat: unlimited(bot.SendRate.Chat), GroupPerMinute: unlimited(bot.SendRate.GroupPerMinute), PerBot: unlimited(bot.SendRate.Bot),
		},
		Unread: p.deadLetters.Keep(telegram.Name, bot.Name), Moved: p.moved, MenuCommands: menu(p.cfg), Log: p.log,
	}
	if w := bot.Webhook; w.Listen != "" {
		o.Webhook = &telegram.Webhook{
			Listen: w.Listen, PublicURL: w.PublicURL, Secret: w.Secret.Reveal, TrustedProxies: config.Proxies(w.TrustedProxies),
			Serve: p.serving(w.Listen, pathOf(w.PublicURL)),
		}
	}
	return telegram.New(o)
}

// pathOf is the path of a webhook.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

// telegramRules are the rules of each bot. Where there are several, the rules of one
// let no person in through another, and a bot with an unknown token lets in owners
// only.
func telegramRules(t *config.Telegram) map[string]policy.ChannelRules {
	all := map[string]policy.ChannelRules{telegram.Name: {}}
	for _, bot := range t.Bots() {
		rules := policy.ChannelRules{
			Everyone: bot.AllowEveryone, Allow: texts(bot.Allow), Groups: texts(bot.Groups.Allow), EveryMessage: bot.Groups.Mention == "off",
			NoCodes: bot.Pairing == "off", Direct: policy.Level(bot.Levels.Direct), Group: policy.Level(bot.Levels.Groups),
		}
		switch id := bot.BotID(); {
		case len(t.Accounts) == 0:
			all[telegram.Name] = rules
		case id != "":
			all[telegram.Name+"/"+id] = rules
		}
	}
	return all
}

// unlimited is a rate of the configuration, where 0 means no limit, in the
// adapter's words.
func unlimited(rate float64) float64 {
	if rate == 0 {
		return -1
	}
	return rate
}

func menu(cfg *config.Config) []telegram.Command {
	var all []telegram.Command
	for _, c := range commandsOn(cfg, telegram.Name) {
		all = append(all, telegram.Command{Name: c.Name, Description: c.Does})
	}
	return all
}

// moved lets a chat go on under its new address, with its files. The configuration of
// its old id goes on as well: the policy asks the engine.
func (p *platforms) moved(ctx context.Context, from, to channels.Address) error {
	if err := p.engine.Chats().Move(ctx, from, to); err != nil {
		return fmt.Errorf("move a chat: %w", err)
	}
	return p.spaces.Move(from, to)
}

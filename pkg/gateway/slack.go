package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/agent/command"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// threadAlive is how long after the last there was in a thread its replies need no mention.
const threadAlive = 7 * 24 * time.Hour

// slackApp makes the app of the configuration, or nil. Where it is not known yet whom
// its bot token belongs to, a connector asks Slack.
func (p *platforms) slackApp() (channels.Channel, *Connector, error) {
	s := &p.cfg.Channels.Slack
	if !s.Enabled {
		return nil, nil, nil
	}
	if s.AllowEveryone {
		p.log.Warn().Msg("channels.slack: allow_everyone is on: whoever can write to the app may use it, those of other organisations in " +
			"shared channels too, and every question costs")
	}
	o := p.slackOptions()
	kept := keptIdentity{dir: p.cfg.StateDir}
	me, err := kept.read(o.BotToken())
	if errors.Is(err, errNoIdentity) {
		return nil, newSlackConnector(o, kept, p.log), nil
	}
	if err != nil {
		return nil, nil, err
	}
	c, err := slack.New(o, me)
	if err != nil {
		return nil, nil, admin.WithCode(admin.CodeUsage, fmt.Errorf("channels.slack: %w", err))
	}
	return c, nil, nil
}

func (p *platforms) slackOptions() slack.Options {
	s := &p.cfg.Channels.Slack
	o := slack.Options{
		BotToken: s.BotToken.Reveal, AppToken: s.AppToken.Reveal, APIURL: s.APIURL, Stream: s.Stream, Proxy: s.Proxy,
		PerChannel: unlimited(s.SendRate.Channel), Command: command.Typed,
		Unread: p.deadLetters.Keep(slack.Name, ""), Alive: p.alive, Log: p.log,
	}
	if e := s.Events; e.Listen != "" {
		o.Events = &slack.Events{
			Listen: e.Listen, SigningSecret: e.SigningSecret.Reveal, TrustedProxies: config.Proxies(e.TrustedProxies),
			Serve: p.serving(e.Listen, slack.EventsPath),
		}
	}
	return o
}

// slackRules are the rules of the app.
func slackRules(s *config.Slack) policy.ChannelRules {
	return policy.ChannelRules{
		Everyone: s.AllowEveryone, Allow: texts(s.Allow), Groups: texts(s.Channels.Allow), EveryMessage: s.Channels.Mention == "off",
		NoCodes: s.Pairing == "off", Direct: policy.Level(s.Levels.Direct), Group: policy.Level(s.Levels.Groups),
	}
}

// alive says whether there is a conversation at an address that had something lately.
func (p *platforms) alive(ctx context.Context, at channels.Address) (bool, error) {
	latest, err := p.engine.Sessions().Latest(ctx, at)
	if errors.Is(err, session.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a thread: %w", err)
	}
	return time.Since(latest) < threadAlive, nil
}

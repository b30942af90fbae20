package gateway

import (
	"maps"
	"slices"

	"parley/pkg/channels/slack"
	"parley/pkg/channels/web"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/httpd/login"
	"parley/pkg/policy"
)

// built names the channels that this gateway can run.
func built() []string {
	return slices.AppendSeq([]string{"console", "telegram", "slack"}, maps.Keys(testRules()))
}

// addressed names the channels that the configuration may name people and chats of.
func addressed() []string { return append(built(), web.Name) }

// newPolicy turns the configuration's words into rules.
func newPolicy(cfg *config.Config) (*policy.Policy, error) {
	o := policy.Options{
		Owners: append([]string{"console:"}, cfg.Owners...),
		Channels: map[string]policy.ChannelRules{
			slack.Name: slackRules(&cfg.Channels.Slack),
		},
		Chats: map[string]policy.Level{},
	}
	maps.Copy(o.Channels, telegramRules(&cfg.Channels.Telegram))
	maps.Copy(o.Channels, testRules())
	if cfg.HTTP.Listen != "" {
		o.Channels[web.Name] = webRules()
		o.Owners = append(o.Owners, login.Operator().String())
	}
	for place, chat := range cfg.Tools.Chats {
		if chat.Level != "" {
			o.Chats[place] = policy.Level(chat.Level)
		}
	}
	p, err := policy.New(o)
	if err != nil {
		return nil, admin.WithCode(admin.CodeUsage, err)
	}
	return p, nil
}

func texts(ids []config.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}

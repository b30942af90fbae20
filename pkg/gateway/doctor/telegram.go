package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/wire"
	"parley/pkg/config"
)

// telegram asks Telegram for the owner of a token, and how its updates leave.
func (p platforms) telegram(ctx context.Context, bot *config.TelegramAccount) []Finding {
	name := botName(bot)
	if bot.BotID() == "" || p.setup.lacks(p.botKey(bot)+".token") {
		return []Finding{{name, Skip, textSkipToken, ""}}
	}
	client, err := api.New(api.Options{Token: bot.Token.Reveal, URL: bot.APIURL, Proxy: bot.Proxy})
	if err != nil {
		return []Finding{{name, Fail, err.Error(), fmt.Sprintf(textTelegramToken, p.botKey(bot))}}
	}
	defer client.Close()
	var me struct {
		Username string `json:"username"`
		All      bool   `json:"can_read_all_group_messages"`
	}
	if err := client.Call(ctx, "getMe", nil, &me); err != nil {
		return []Finding{p.telegramError(name, bot, err)}
	}
	said := fmt.Sprintf(textTelegramMe, me.Username)
	found := []Finding{{name, OK, said, ""}}
	if bot.Groups.Mention == "off" && !me.All {
		found[0] = Finding{name, Warn, fmt.Sprintf(textPrivacy, said), textPrivacyCure}
	}
	if other, is := p.otherBot(ctx, bot); is {
		found = append(found, other)
	}
	return append(found, p.hookOf(ctx, bot, client))
}

// botKey is the place of a bot in the configuration.
func (p platforms) botKey(bot *config.TelegramAccount) string {
	const channel = "channels.telegram"
	for i, a := range p.setup.cfg.Channels.Telegram.Accounts {
		if a == bot {
			return fmt.Sprintf("%s.accounts[%d]", channel, i)
		}
	}
	return channel
}

func (p platforms) telegramError(name string, bot *config.TelegramAccount, err error) Finding {
	if refused, ok := errors.AsType[*api.Error](err); ok {
		if refused.RefusesToken() {
			return Finding{name, Fail, fmt.Sprintf(textRefusedToken, err), fmt.Sprintf(textTelegramToken, p.botKey(bot))}
		}
		return Finding{name, Warn, err.Error(), textLaterCure}
	}
	return unreached(name, bot.APIURL, err, p.botKey(bot))
}

// unreached is the finding of a platform that cannot be reached, or in whose place somebody
// else answers.
func unreached(name, address string, err error, key string) Finding {
	if answered, ok := errors.AsType[*wire.Error](err); ok && answered.Status != 0 {
		return Finding{name, Fail, fmt.Sprintf(textNotPlatform, host(address), err), fmt.Sprintf(textNotPlatformCure, key)}
	}
	said := fmt.Sprintf(textUnreached, host(address), err)
	if unknownName(err) {
		return Finding{name, Fail, said, fmt.Sprintf(textNameCure, host(address))}
	}
	return Finding{name, Fail, said, fmt.Sprintf(textUnreachedCure, host(address), key)}
}

// host is the beginning of an address: a path may be a secret.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return textNoAddress
	}
	return u.Scheme + "://" + u.Host
}

// hookInfo is the answer to getWebhookInfo.
type hookInfo struct {
	URL       string `json:"url"`
	Pending   int    `json:"pending_update_count"`
	ErrorDate int64  `json:"last_error_date"`
	Error     string `json:"last_error_message"`
}

// fresh is how long an error of Telegram's deliveries counts.
const fresh = time.Hour

// hookOf compares the webhook that Telegram knows with the configuration.
func (p platforms) hookOf(ctx context.Context, bot *config.TelegramAccount, client *api.Client) Finding {
	name := botName(bot) + nameHookEnd
	var info hookInfo
	if err := client.Call(ctx, "getWebhookInfo", nil, &info); err != nil {
		return p.telegramError(name, bot, err)
	}
	runs, own := p.setup.runs(ctx), bot.Webhook.PublicURL
	failed := info.Error != "" && time.Since(time.Unix(info.ErrorDate, 0)) < fresh
	switch {
	case own == "" && info.URL == "":
		return Finding{name, OK, fmt.Sprintf(textPolled, info.Pending), ""}
	case own == "":
		return Finding{name, Warn, fmt.Sprintf(textStrangeHook, host(info.URL)), textStrangeHookCure}
	case info.URL == "" && !runs:
		return Finding{name, OK, textHookAtStart, ""}
	case info.URL == "":
		return Finding{name, Fail, textNoHook, textRestartCure}
	case info.URL != own:
		return Finding{name, Fail, fmt.Sprintf(textOtherHook, host(info.URL)), textStrangeHookCure}
	case failed && runs:
		return Finding{name, Fail, fmt.Sprintf(textHookFails, info.Error, info.Pending), fmt.Sprintf(textHookCure, bot.Webhook.Listen)}
	case failed:
		return Finding{name, Warn, fmt.Sprintf(textHookFails, info.Error, info.Pending), textStartCure}
	}
	return Finding{name, OK, fmt.Sprintf(textHookGood, host(own), info.Pending), ""}
}

package doctor

import (
	"context"
	"errors"
	"fmt"

	"parley/pkg/channels/slack/api"
)

// The keys of Slack's tokens.
const (
	keySlack    = "channels.slack"
	keyBotToken = keySlack + ".bot_token"
	keyAppToken = keySlack + ".app_token"
)

// slack asks Slack for the owner of the bot token, and whether the app-level token opens
// sockets.
func (p platforms) slack(ctx context.Context) []Finding {
	k := &p.setup.cfg.Channels.Slack
	client, err := api.New(api.Options{BotToken: k.BotToken.Reveal, AppToken: k.AppToken.Reveal, URL: k.APIURL, Proxy: k.Proxy})
	if err != nil {
		return []Finding{{nameSlack, Fail, err.Error(), fmt.Sprintf(textUnreachedCure, host(k.APIURL), keySlack)}}
	}
	defer client.Close()
	bot := Finding{nameSlack, Skip, textSkipToken, ""}
	if k.BotToken.Reveal() != "" && !p.setup.lacks(keyBotToken) {
		_, called, err := client.Identify(ctx)
		bot = p.slackFinding(nameSlack, err, fmt.Sprintf(textSlackMe, called), fmt.Sprintf(textBotTokenCure, keyBotToken))
	}
	if k.Events.Listen != "" {
		return []Finding{bot}
	}
	const name = nameSlack + nameSocketEnd
	app := Finding{name, Skip, textSkipToken, ""}
	if k.AppToken.Reveal() != "" && !p.setup.lacks(keyAppToken) {
		app = p.slackFinding(name, client.TrySocket(ctx), textSocketGood, fmt.Sprintf(textAppTokenCure, keyAppToken))
	}
	return []Finding{bot, app}
}

// slackFinding judges the answer to a call: good and cure are for one that Slack takes, and
// one whose token it refuses.
func (p platforms) slackFinding(name string, err error, good, cure string) Finding {
	refused, told := errors.AsType[*api.Error](err)
	switch {
	case err == nil:
		return Finding{name, OK, good, ""}
	case errors.Is(err, api.ErrRefused):
		return Finding{name, Fail, fmt.Sprintf(textRefusedToken, err), cure}
	case told && refused.Passes():
		return Finding{name, Warn, err.Error(), textLaterCure}
	case told:
		return Finding{name, Fail, err.Error(), cure}
	}
	return unreached(name, p.setup.cfg.Channels.Slack.APIURL, err, keySlack)
}

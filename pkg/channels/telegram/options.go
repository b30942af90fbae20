package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/inbound"
	"parley/pkg/channels/telegram/outbound"
	"parley/pkg/channels/wire"
)

// Options say which bot it is and how Telegram is reached. Zero values have defaults.
type Options struct {
	// Token reveals the bot's token. It is asked for at each use, and no error or log
	// keeps it.
	Token func() string
	// APIURL is the server's base; default https://api.telegram.org.
	APIURL string
	// Stream says how an answer shows while it grows: auto, edit, draft or off;
	// default auto.
	Stream string
	// Rates bound how much is sent.
	Rates Rates
	// Webhook takes updates in over HTTP; nil polls for them.
	Webhook *Webhook
	// Proxy is the URL of an http, https or socks5 proxy; without one the gateway
	// connects directly, whatever the environment says.
	Proxy string
	// Name is the account's name in the configuration, for logs.
	Name string
	// Unread keeps an update that the adapter cannot use: an unreadable one, or one of
	// an unknown kind. It is called before the update is confirmed, and again where the
	// update comes again; nil drops such updates.
	Unread func(kind string, raw json.RawMessage)
	// Moved is told that a group has become a supergroup, before that update is
	// confirmed, and again if it fails or the process ends meanwhile. nil ignores it.
	Moved func(ctx context.Context, from, to channels.Address) error
	// MenuCommands are the commands that Telegram offers in its menu. They are
	// registered when Telegram has others; nil leaves Telegram's.
	MenuCommands []Command
	Log          zerolog.Logger

	// dial opens connections; nil is [wire.NewDial].
	dial wire.Dial
}

// Rates are messages a second in a chat, a minute in a group, a second for the
// bot. In [Options] zero means the default (1, 20 and 30), a negative number no limit.
type Rates = outbound.Rates

// Webhook is how Telegram reaches this process.
type Webhook = inbound.Webhook

// Command is an entry of the bot's menu.
type Command = inbound.Command

// The default rates.
const (
	defaultChat  = 1
	defaultGroup = 20
	defaultBot   = 30
)

// withDefaults checks o. No error holds a secret.
func (o Options) withDefaults() (Options, error) {
	if o.Token == nil {
		return o, errors.New("telegram: no token")
	}
	switch o.Stream {
	case "":
		o.Stream = outbound.StreamAuto
	case outbound.StreamAuto, outbound.StreamEdit, outbound.StreamDraft, outbound.StreamOff:
	default:
		return o, fmt.Errorf("telegram: stream %q is not one of auto, edit, draft, off", o.Stream)
	}
	o.Rates = Rates{
		PerChat:        rate(o.Rates.PerChat, defaultChat),
		GroupPerMinute: rate(o.Rates.GroupPerMinute, defaultGroup),
		PerBot:         rate(o.Rates.PerBot, defaultBot),
	}
	if o.Webhook != nil {
		return o, o.Webhook.Check()
	}
	return o, nil
}

// rate is v as [channels.Limits] reads it: 0 means no limit.
func rate(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return max(v, 0)
}

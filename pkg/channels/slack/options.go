package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/inbound"
	"parley/pkg/channels/slack/outbound"
	"parley/pkg/channels/wire"
)

// Options say which app it is and how Slack is reached. Zero values have defaults.
type Options struct {
	// BotToken reveals the bot token (xoxb-…), AppToken the app-level token
	// (xapp-…), which Socket Mode needs. A token is asked for at each use, and no error
	// or log keeps it.
	BotToken, AppToken func() string
	// APIURL is the base of the Web API; default https://slack.com/api/.
	APIURL string
	// Events takes events in over HTTP; nil opens sockets (Socket Mode).
	Events *Events
	// Stream says how an answer shows while it grows: auto, edit, native or off;
	// default auto.
	Stream string
	// PerChannel is messages a second in one channel. Zero means the default (1), a
	// negative number no limit.
	PerChannel float64
	// Proxy is the URL of an http, https or socks5 proxy; without one the gateway
	// connects directly, whatever the environment says.
	Proxy string
	// Command is the gateway's command that the words of a slash command are, with its slash, or
	// "" for words that are a message. Nil: all are.
	Command func(words string) string
	// Unread keeps an envelope that the adapter cannot use: an unreadable one, or one
	// of an unknown kind. It is called before the envelope is acknowledged, and again
	// where the envelope comes again; nil drops such envelopes.
	Unread func(kind string, raw json.RawMessage)
	// Alive says whether the conversation of a thread exists and had something lately,
	// so that a reply in it needs no mention. With an error the event is left unstored
	// and unacknowledged: Slack sends it again. nil knows none.
	Alive func(ctx context.Context, a channels.Address) (bool, error)
	Log   zerolog.Logger

	// dial opens connections; nil is [wire.NewDial].
	dial wire.Dial
}

// EventsPath is the path of Slack's calls over HTTP. A proxy in front of the adapter may
// have another one.
const EventsPath = inbound.EventsPath

// Events is how Slack reaches this process over HTTP.
type Events = inbound.Calls

const defaultPerChannel = 1

// withDefaults checks o. No error holds a secret.
func (o Options) withDefaults() (Options, error) {
	if o.BotToken == nil || o.BotToken() == "" {
		return o, errors.New("slack: no bot token")
	}
	switch o.Stream {
	case "":
		o.Stream = outbound.StreamAuto
	case outbound.StreamAuto, outbound.StreamEdit, outbound.StreamNative, outbound.StreamOff:
	default:
		return o, fmt.Errorf("slack: stream %q is not one of auto, edit, native, off", o.Stream)
	}
	switch {
	case o.PerChannel == 0:
		o.PerChannel = defaultPerChannel
	case o.PerChannel < 0:
		o.PerChannel = 0 // as [channels.Limits] reads it: no limit
	}
	return o, nil
}

// checkIn checks the options of receiving.
func (o Options) checkIn() error {
	switch {
	case o.Events == nil && (o.AppToken == nil || o.AppToken() == ""):
		return errors.New("slack: no app token: Socket Mode needs one (xapp-…, with connections:write)")
	case o.Events == nil:
		return nil
	default:
		return o.Events.Check()
	}
}

// client makes the client of the Web API.
func (o Options) client() (*api.Client, error) {
	return api.New(api.Options{BotToken: o.BotToken, AppToken: o.AppToken, URL: o.APIURL, Proxy: o.Proxy, Dial: o.dial})
}

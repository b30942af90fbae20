package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

// Options say which app it is and how Slack is reached. Zero values have defaults.
type Options struct {
	// BotToken reveals the bot token (xoxb-…), AppToken the app-level token
	// (xapp-…), which Socket Mode needs. They are asked at each use, and what they
	// give is kept neither in an error nor in a log.
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
	// Proxy is the URL of an http, https or socks5 proxy; default none, whatever
	// the environment says.
	Proxy string
	// Commands are the gateway's commands: a slash command that begins with one of
	// them, and has more words only where that one takes some, is that command.
	Commands []Command
	// Unread keeps an envelope that is of no use: one that cannot be read, or of a
	// kind that is not known. It is called before the envelope is acknowledged, and
	// again where it comes again. nil keeps none.
	Unread func(kind string, raw json.RawMessage)
	// Alive says whether the conversation of a thread exists and had something
	// lately, so that a reply in it needs no mention. With an error the event is
	// neither stored nor acknowledged: Slack sends it again. nil knows none.
	Alive func(ctx context.Context, a channels.Address) (bool, error)
	Log   zerolog.Logger
}

// Command is a command of the gateway, named without its slash. Takes says that words
// may follow it: "help me" is no command.
type Command struct {
	Name  string
	Takes bool
}

// Events is how Slack reaches this process over HTTP.
type Events struct {
	// Listen is the local address, such as 127.0.0.1:8443. It speaks plain HTTP:
	// TLS ends in front of it.
	Listen string
	// SigningSecret reveals what Slack signs its requests with; it must not be empty.
	SigningSecret func() string
	// TrustedProxies are those whose header X-Forwarded-For is believed where the
	// connections of one client are counted; see [wire.Server].
	TrustedProxies []netip.Prefix
}

const (
	defaultPerChannel = 1
)

// The words of Options.Stream.
const (
	streamAuto   = "auto"
	streamEdit   = "edit"
	streamNative = "native"
	streamOff    = "off"
)

// withDefaults checks o. No error holds a secret.
func (o Options) withDefaults() (Options, error) {
	if o.BotToken == nil || o.BotToken() == "" {
		return o, errors.New("slack: no bot token")
	}
	if o.APIURL == "" {
		o.APIURL = defaultAPI
	}
	switch o.Stream {
	case "":
		o.Stream = streamAuto
	case streamAuto, streamEdit, streamNative, streamOff:
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

// checkIn checks what taking in needs.
func (o Options) checkIn() error {
	switch {
	case o.Events == nil && (o.AppToken == nil || o.AppToken() == ""):
		return errors.New("slack: no app token: Socket Mode needs one (xapp-…, with connections:write)")
	case o.Events == nil:
		return nil
	case o.Events.Listen == "":
		return errors.New("slack: events: no address to listen on")
	case o.Events.SigningSecret == nil || o.Events.SigningSecret() == "":
		return errors.New("slack: events: no signing secret: nobody could tell Slack from a stranger")
	default:
		return nil
	}
}

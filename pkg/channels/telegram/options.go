package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

// Options say which bot it is and how Telegram is reached. Zero values have defaults.
type Options struct {
	// Token reveals the bot's token. It is asked at each use, and what it gives is
	// kept neither in an error nor in a log.
	Token func() string
	// APIURL is the server's base; default https://api.telegram.org.
	APIURL string
	// Stream says how an answer shows while it grows: auto, edit, draft or off;
	// default auto.
	Stream string
	// Rates bound what is sent.
	Rates Rates
	// Webhook takes updates in over HTTP; nil polls for them.
	Webhook *Webhook
	// Proxy is the URL of an http, https or socks5 proxy; default none, whatever
	// the environment says.
	Proxy string
	// Name is the account's name in the configuration, for logs.
	Name string
	// Unread keeps an update that is of no use: one that cannot be read, or of a
	// kind that is not known. It is called before the update is confirmed, and
	// again where it comes again. nil keeps none.
	Unread func(kind string, raw json.RawMessage)
	// Moved is told that a group has become a supergroup, before that update is
	// confirmed, and again if it fails or the process ends meanwhile. nil ignores it.
	Moved func(ctx context.Context, from, to channels.Address) error
	// MenuCommands are the commands that Telegram offers in its menu. They are
	// registered when Telegram has others; nil leaves what is there.
	MenuCommands []Command
	Log          zerolog.Logger
}

// Rates are messages a second in a chat, a minute in a group, a second for the
// bot. Zero means the default (1, 20 and 30), a negative number no limit.
type Rates struct{ PerChat, GroupPerMinute, PerBot float64 }

// Webhook is how Telegram reaches this process.
type Webhook struct {
	// Listen is the local address, such as 127.0.0.1:8443. It speaks plain HTTP:
	// TLS ends in front of it.
	Listen string
	// PublicURL is what Telegram calls; its path is the only one that is answered.
	PublicURL string
	// Secret is what Telegram sends along: 1-256 letters, digits, _ and -.
	Secret func() string
	// TrustedProxies are those whose header X-Forwarded-For is believed where the
	// connections of one client are counted; see [wire.Server].
	TrustedProxies []netip.Prefix
}

// Command is an entry of the bot's menu: a name without slash, and what it does.
type Command struct {
	Name        string `json:"command"`
	Description string `json:"description"`
}

const (
	defaultAPIURL  = "https://api.telegram.org"
	defaultChat    = 1
	defaultGroup   = 20
	defaultBot     = 30
	maxSecretBytes = 256
)

// The words of Options.Stream.
const (
	streamAuto  = "auto"
	streamEdit  = "edit"
	streamDraft = "draft"
	streamOff   = "off"
)

// withDefaults checks o. No error holds a secret.
func (o Options) withDefaults() (Options, error) {
	if o.Token == nil {
		return o, errors.New("telegram: no token")
	}
	if o.APIURL == "" {
		o.APIURL = defaultAPIURL
	}
	switch o.Stream {
	case "":
		o.Stream = streamAuto
	case streamAuto, streamEdit, streamDraft, streamOff:
	default:
		return o, fmt.Errorf("telegram: stream %q is not one of auto, edit, draft, off", o.Stream)
	}
	o.Rates = Rates{
		PerChat:        rate(o.Rates.PerChat, defaultChat),
		GroupPerMinute: rate(o.Rates.GroupPerMinute, defaultGroup),
		PerBot:         rate(o.Rates.PerBot, defaultBot),
	}
	return o, o.Webhook.check()
}

// rate is v as [channels.Limits] reads it: 0 means no limit.
func rate(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return max(v, 0)
}

func (w *Webhook) check() error {
	if w == nil {
		return nil
	}
	u, err := url.Parse(w.PublicURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return errors.New("telegram: webhook: public_url is not a plain http or https URL")
	}
	if w.Listen == "" {
		return errors.New("telegram: webhook: no address to listen on")
	}
	if w.Secret == nil || !validSecret(w.Secret()) {
		return fmt.Errorf("telegram: webhook: the secret must be 1-%d letters, digits, _ or -", maxSecretBytes)
	}
	return nil
}

func validSecret(s string) bool { return len(s) <= maxSecretBytes && isWord(s) }

// isWord says that s is made of letters, digits, _ and -, and not empty.
func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) < 0
}

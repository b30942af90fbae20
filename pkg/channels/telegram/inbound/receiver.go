package inbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"sync"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/update"
	"parley/pkg/channels/wire"
)

// channelName is the adapter's word in addresses.
const channelName = "telegram"

// Options say which bot it is and how its updates come. API is required.
type Options struct {
	API *api.Client
	// Webhook takes updates in over HTTP; nil polls for them.
	Webhook *Webhook
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
}

// Webhook is how Telegram reaches this process.
type Webhook struct {
	// Listen is the local address, such as 127.0.0.1:8443. It speaks plain HTTP:
	// TLS ends in front of it.
	Listen string
	// PublicURL is the address that Telegram calls; only its path is answered.
	PublicURL string
	// Secret is sent along by Telegram: 1-256 letters, digits, _ and -.
	Secret func() string
	// TrustedProxies are the proxies with a trusted X-Forwarded-For header, by which
	// the connections of one client are counted; see [wire.Server].
	TrustedProxies []netip.Prefix
	// Serve answers the calls at Listen on a server that others share; nil listens there
	// itself.
	Serve wire.Serving
}

const maxSecretBytes = 256

// Check says whether updates can be taken over w.
func (w *Webhook) Check() error {
	u, err := url.Parse(w.PublicURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return errors.New("telegram: webhook: public_url is not a plain http or https URL")
	}
	if w.Listen == "" {
		return errors.New("telegram: webhook: no address to listen on")
	}
	if w.Secret == nil || len(w.Secret()) > maxSecretBytes || !api.IsWord(w.Secret()) {
		return fmt.Errorf("telegram: webhook: the secret must be 1-%d letters, digits, _ or -", maxSecretBytes)
	}
	return nil
}

// Command is an entry of the bot's menu: a name without slash, and its effect.
type Command struct {
	Name        string `json:"command"`
	Description string `json:"description"`
}

// Receiver is the way in of one bot.
type Receiver struct {
	opt    Options
	me     *identity
	status *status
	log    zerolog.Logger
	work   sync.WaitGroup
}

// New makes the way in of a bot. It sends no request.
func New(o Options) *Receiver {
	return &Receiver{opt: o, me: newIdentity(o.API.Account()), status: &status{health: wire.NewHealth(), log: o.Log}, log: o.Log}
}

// Health says how taking in goes.
func (r *Receiver) Health() channels.Health { return r.status.health.Read() }

// Run takes updates in until ctx ends. The first poll leaves at once; the bot's name
// and its menu are asked for beside it.
func (r *Receiver) Run(ctx context.Context, in *channels.Ingress) error {
	ctx, stop := context.WithCancel(ctx)
	defer r.work.Wait()
	defer stop()
	r.work.Go(func() { r.introduce(ctx) })
	client, account := r.opt.API, r.opt.API.Account()
	to := &intake{
		in: in, me: r.me, account: account, moved: r.opt.Moved, log: r.log,
		unread:  &wire.Unread{To: r.opt.Unread, Log: r.log, Noun: "an update"},
		presses: &presses{client: client, log: r.log, work: &r.work, slots: make(chan struct{}, maxAnswers)},
	}
	if r.opt.Webhook != nil {
		(&hook{opt: *r.opt.Webhook, client: client, intake: to, status: r.status, log: r.log, work: &r.work}).run(ctx)
		return nil
	}
	p := &poller{client: client, intake: to, status: r.status, log: r.log, cursor: channelName + "/" + account + "/updates"}
	p.run(ctx)
	return nil
}

// intake is the part of taking in that polls and the webhook share.
type intake struct {
	in      *channels.Ingress
	me      *identity
	account string
	moved   func(ctx context.Context, from, to channels.Address) error
	unread  *wire.Unread
	presses *presses
	log     zerolog.Logger
}

// read decodes one update, gives it the account and logs the reason for an update
// without an item, but no words of a person.
func (i *intake) read(raw json.RawMessage, me update.Bot) *update.Event {
	ev := update.Decode(raw, me)
	ev.Address.Channel, ev.Address.Account = channelName, i.account
	if ev.Item != nil {
		ev.Item.Address = ev.Address
	}
	switch at := ev.Address.Chat; {
	case ev.Unreadable:
		i.log.Error().Int64("update", ev.ID).Msg("an update cannot be read: it is skipped")
	case ev.Member != "":
		i.log.Info().Int64("update", ev.ID).Str("chat", at).Str("status", ev.Member).Msg("the bot's place in a chat has changed")
	case ev.Skipped != "":
		i.log.Debug().Int64("update", ev.ID).Str("chat", at).Str("reason", ev.Skipped).Msg("an update is skipped")
	}
	return ev
}

// move tells the gateway of a migration.
func (i *intake) move(ctx context.Context, m *update.Migration) error {
	if i.moved == nil {
		return nil
	}
	return i.moved(ctx, i.chat(m.From), i.chat(m.To))
}

// chat is the address of a whole chat.
func (i *intake) chat(id int64) channels.Address {
	return channels.Address{Channel: channelName, Account: i.account, Chat: strconv.FormatInt(id, 10)}
}

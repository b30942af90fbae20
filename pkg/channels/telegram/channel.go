package telegram

import (
	"context"
	"sync"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// Name is the channel's word in an address.
const Name = "telegram"

// Channel is one bot on Telegram.
type Channel struct {
	opt     Options
	account string
	client  *client
	me      *identity
	health  *wire.Health
	log     zerolog.Logger
	// answers bounds the button presses that are being answered.
	answers chan struct{}
	work    sync.WaitGroup
	out     out
	unread  kinds
}

// New returns a channel that is not running. It asks nobody: the account is read
// off the token, and an error never shows it.
func New(o Options) (*Channel, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	account, err := accountOf(o.Token())
	if err != nil {
		return nil, err
	}
	client, err := newClient(o, account)
	if err != nil {
		return nil, err
	}
	log := o.Log.With().Str("channel", Name).Str("account", account)
	if o.Name != "" {
		log = log.Str("name", o.Name)
	}
	return &Channel{
		opt: o, account: account, client: client, log: log.Logger(),
		me: newIdentity(account), health: wire.NewHealth(),
		answers: make(chan struct{}, maxAnswers),
	}, nil
}

// Name implements [channels.Channel].
func (c *Channel) Name() string { return Name }

// Account implements [channels.Channel]: it is the bot's numeric id.
func (c *Channel) Account() string { return c.account }

// Limits implements [channels.Channel].
func (c *Channel) Limits() channels.Limits {
	return c.opt.Rates.limits()
}

// maxText is the longest message in UTF-16 units, after its entities are parsed.
const maxText = 4096

// Health says how taking in goes.
func (c *Channel) Health() channels.Health { return c.health.Read() }

// Run implements [channels.Channel]. The first poll leaves at once; the bot's name
// and its menu are seen to beside it.
func (c *Channel) Run(ctx context.Context, in *channels.Ingress) error {
	ctx, stop := context.WithCancel(ctx)
	defer c.client.close()
	defer c.work.Wait()
	defer stop()
	c.work.Go(func() { c.introduce(ctx) })
	if c.opt.Webhook != nil {
		c.serve(ctx, in)
		return nil
	}
	p := &poller{Channel: c, in: in, cursor: Name + "/" + c.account + "/updates"}
	p.run(ctx)
	return nil
}

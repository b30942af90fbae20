package slack

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// Name is the channel's word in addresses.
const Name = "slack"

// SlashCommand is the one command that Slack hands to the app. What begins with any
// other slash Slack's clients refuse to send.
const SlashCommand = "/parley"

// Channel is one app in one workspace. It implements [channels.Channel].
type Channel struct {
	opt    Options
	client *client
	dial   dialer
	me     atomic.Pointer[Identity]
	health *wire.Health
	ails   ailments
	names  *names
	log    zerolog.Logger
	work   sync.WaitGroup
	unread kinds
	out    out
}

// New makes the channel of the app that me names, which [Identify] told. It asks
// nobody, and an error never shows a secret.
func New(o Options, me Identity) (*Channel, error) {
	o, err := o.withDefaults()
	if err == nil {
		err = o.checkIn()
	}
	if err != nil {
		return nil, err
	}
	if !isID(me.Team) {
		return nil, errNoTeam
	}
	client, err := newClient(o)
	if err != nil {
		return nil, err
	}
	dial, err := newDialer(o)
	if err != nil {
		return nil, err
	}
	c := &Channel{
		opt: o, client: client, dial: dial, health: wire.NewHealth(),
		log: o.Log.With().Str("channel", Name).Str("account", me.Team).Logger(),
	}
	c.ails.health = c.health
	c.names = newNames(c)
	c.me.Store(&me)
	return c, nil
}

// Name implements [channels.Channel].
func (*Channel) Name() string { return Name }

// Account implements [channels.Channel]: the workspace's team id.
func (c *Channel) Account() string { return c.me.Load().Team }

// Command implements [channels.Commander]. Slack offers no slash command in a thread;
// there a mention keeps the slash from being the first character.
func (c *Channel) Command(in channels.Address, name string) string {
	if in.Thread == "" {
		return SlashCommand + " " + name
	}
	return "@" + first(c.names.of(c.me.Load().User), "Parley") + " /" + name
}

// Health says how taking in goes.
func (c *Channel) Health() channels.Health { return c.health.Read() }

// Run implements [channels.Channel]. Taking in begins at once; whose the token is
// is asked beside it. Where it has become another app's or workspace's, Run ends
// with an error: everything that is stored belongs to the first one.
func (c *Channel) Run(ctx context.Context, in *channels.Ingress) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer c.client.close()
	defer c.closeOut(ctx)
	defer c.work.Wait()
	defer stop(nil)
	c.work.Go(func() {
		if err := c.introduce(ctx); err != nil {
			stop(err)
		}
	})
	c.names.run(ctx)
	took := newIntake(c, in)
	c.work.Go(func() { took.run(ctx) })
	if c.opt.Events != nil {
		c.serve(ctx, took)
	} else {
		(&link{Channel: c, to: took}).run(ctx)
	}
	if err := context.Cause(ctx); err == errOtherAccount { //nolint:errorlint // it is the very one that introduce gave
		return err
	}
	return nil
}

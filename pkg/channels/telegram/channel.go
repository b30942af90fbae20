package telegram

import (
	"context"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/inbound"
	"parley/pkg/channels/telegram/outbound"
)

// Name is the channel's word in an address.
const Name = "telegram"

var (
	_ channels.Channel          = (*Channel)(nil)
	_ channels.Splitter         = (*Channel)(nil)
	_ channels.Drafter          = (*Channel)(nil)
	_ channels.Editor           = (*Channel)(nil)
	_ channels.FileSender       = (*Channel)(nil)
	_ channels.Typer            = (*Channel)(nil)
	_ channels.Buttoner         = (*Channel)(nil)
	_ channels.AttachmentOpener = (*Channel)(nil)
)

// The rooms below, under the names by which Channel promotes their methods.
type (
	sender = outbound.Sender
	files  = inbound.Files
)

// Channel is one bot on Telegram: the way out, people's files, and the way in behind
// Run. It implements [channels.Channel].
type Channel struct {
	*sender
	*files

	in     *inbound.Receiver
	client *api.Client
}

// New returns a channel that is not running. It sends no request: the account is read
// off the token, and an error does not show the token.
func New(o Options) (*Channel, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	client, err := api.New(api.Options{Token: o.Token, URL: o.APIURL, Proxy: o.Proxy, Dial: o.dial})
	if err != nil {
		return nil, err
	}
	fields := o.Log.With().Str("channel", Name).Str("account", client.Account())
	if o.Name != "" {
		fields = fields.Str("name", o.Name)
	}
	log := fields.Logger()
	return &Channel{
		client: client, files: inbound.NewFiles(client),
		sender: outbound.New(outbound.Options{API: client, Stream: o.Stream, Rates: o.Rates, Moved: o.Moved, Log: log}),
		in: inbound.New(inbound.Options{
			API: client, Webhook: o.Webhook, Unread: o.Unread, Moved: o.Moved, MenuCommands: o.MenuCommands, Log: log,
		}),
	}, nil
}

// Name implements [channels.Channel].
func (c *Channel) Name() string { return Name }

// Account implements [channels.Channel]: it is the bot's numeric id.
func (c *Channel) Account() string { return c.client.Account() }

// Health says how taking in goes.
func (c *Channel) Health() channels.Health { return c.in.Health() }

// Run implements [channels.Channel]; see [inbound.Receiver.Run].
func (c *Channel) Run(ctx context.Context, in *channels.Ingress) error {
	defer c.client.Close()
	return c.in.Run(ctx, in)
}

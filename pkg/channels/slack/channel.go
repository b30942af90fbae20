package slack

import (
	"context"
	"errors"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/inbound"
	"parley/pkg/channels/slack/outbound"
)

// Name is the channel's word in addresses.
const Name = "slack"

// SlashCommand is the one command that Slack hands to the app. Slack's clients refuse
// to send a message that begins with any other slash.
const SlashCommand = "/parley"

// Identity is the owner of a bot token.
type Identity = api.Identity

// ErrRefused says that Slack refuses the token.
var ErrRefused = api.ErrRefused

var (
	_ channels.Channel          = (*Channel)(nil)
	_ channels.Splitter         = (*Channel)(nil)
	_ channels.Editor           = (*Channel)(nil)
	_ channels.FileSender       = (*Channel)(nil)
	_ channels.Typer            = (*Channel)(nil)
	_ channels.Commander        = (*Channel)(nil)
	_ channels.Buttoner         = (*Channel)(nil)
	_ channels.AttachmentOpener = (*Channel)(nil)
	_ channels.Namer            = (*Channel)(nil)

	errNoTeam = errors.New("slack: the identity names no workspace")
)

// The rooms below, under the names by which Channel promotes their methods.
type (
	sender = outbound.Sender
	files  = inbound.Files
)

// Channel is one app in one workspace: the way out, people's files, and the way in
// behind Run. It implements [channels.Channel].
type Channel struct {
	*sender
	*files

	in     *inbound.Receiver
	names  *inbound.Names
	client *api.Client
}

// New makes the channel of the app that me names, which [Identify] told. It sends no
// request, and an error does not show a secret.
func New(o Options, me Identity) (*Channel, error) {
	o, err := o.withDefaults()
	if err == nil {
		err = o.checkIn()
	}
	if err != nil {
		return nil, err
	}
	if !api.IsID(me.Team) {
		return nil, errNoTeam
	}
	client, err := o.client()
	if err != nil {
		return nil, err
	}
	log := o.Log.With().Str("channel", Name).Str("account", me.Team).Logger()
	c := &Channel{
		client: client, names: inbound.NewNames(client, log), files: inbound.NewFiles(client),
		sender: outbound.New(outbound.Options{API: client, Team: me.Team, Stream: o.Stream, PerChannel: o.PerChannel, Log: log}),
	}
	c.in = inbound.New(inbound.Options{
		API: client, Me: me, Names: c.names, Calls: o.Events, Command: o.Command,
		Unread: o.Unread, Alive: o.Alive, Heard: c.Heard, Commanded: c.Commanded, Log: log,
	})
	return c, nil
}

// Identify asks Slack once for the owner of the bot token. The error is [ErrRefused]
// where Slack refuses the token; any other may pass by itself.
func Identify(ctx context.Context, o Options) (Identity, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Identity{}, err
	}
	client, err := o.client()
	if err != nil {
		return Identity{}, err
	}
	defer client.Close()
	me, _, err := client.Identify(ctx)
	return me, err
}

// Name implements [channels.Channel].
func (*Channel) Name() string { return Name }

// Account implements [channels.Channel]: the workspace's team id.
func (c *Channel) Account() string { return c.in.Me().Team }

// Command implements [channels.Commander]. Slack offers no slash command in a thread;
// there a mention keeps the slash from being the first character.
func (c *Channel) Command(in channels.Address, name string) string {
	if in.Thread == "" {
		return SlashCommand + " " + name
	}
	bot := c.names.Of(c.in.Me().User)
	if bot == "" {
		bot = "Parley"
	}
	return "@" + bot + " /" + name
}

// PersonName implements [channels.Namer].
func (c *Channel) PersonName(ctx context.Context, id string) string {
	return c.names.PersonName(ctx, id)
}

// Health says how taking in goes.
func (c *Channel) Health() channels.Health { return c.in.Health() }

// Run implements [channels.Channel]; see [inbound.Receiver.Run].
func (c *Channel) Run(ctx context.Context, in *channels.Ingress) error {
	defer c.client.Close()
	defer c.Close(ctx)
	return c.in.Run(ctx, in)
}

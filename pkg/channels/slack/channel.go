package slack

import (
	"context"

	"parley/pkg/channels"
)

// Name is the channel's word in addresses.
const Name = "slack"

// Channel is one app in one workspace. It implements [channels.Channel].
type Channel struct{ me Identity }

// New makes the channel of the app that me names, which [Identify] told. It asks
// nobody.
func New(_ Options, me Identity) (*Channel, error) { return &Channel{me: me}, errNotBuilt }

// Name implements [channels.Channel].
func (*Channel) Name() string { return Name }

// Account implements [channels.Channel]: the workspace's team id.
func (c *Channel) Account() string { return c.me.Team }

// Run implements [channels.Channel].
func (*Channel) Run(context.Context, *channels.Ingress) error { return errNotBuilt }

// Send implements [channels.Channel].
func (*Channel) Send(context.Context, channels.Part) (channels.Receipt, error) {
	return channels.Receipt{}, errNotBuilt
}

// Limits implements [channels.Channel].
func (*Channel) Limits() channels.Limits { return channels.Limits{} }

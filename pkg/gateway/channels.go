package gateway

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
)

// Binding is a channel with the way out to it.
type Binding struct {
	channel channels.Channel
	out     *channels.Egress
	// failed is why the channel ended by itself; nil while it runs.
	failed atomic.Pointer[channels.Health]
	// attached means that consoles attach to the channel: it has no platform that could fail.
	attached bool
	// shut is closed when no message may leave any more.
	shut chan struct{}
}

func newBinding(c channels.Channel, out *channels.Egress) *Binding {
	return &Binding{channel: c, out: out, shut: make(chan struct{})}
}

// send sends the messages of the outbox until ctx ends or the binding is shut.
func (b *Binding) send(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() {
		select {
		case <-b.shut:
			cancel()
		case <-ctx.Done():
		}
	})
	return b.out.Run(ctx)
}

// health is how sending goes, or taking in where only that has trouble.
func (b *Binding) health() channels.Health {
	if failed := b.failed.Load(); failed != nil {
		return *failed
	}
	return healthOf(b.channel, b.out)
}

// healthOf is how sending goes, or taking in where only that has trouble.
func healthOf(c channels.Channel, out *channels.Egress) channels.Health {
	health := out.Health()
	taking, ok := c.(interface{ Health() channels.Health })
	if !ok || health.State != channels.HealthOK {
		return health
	}
	if in := taking.Health(); in.State != channels.HealthOK {
		in.Reason = "taking in: " + in.Reason
		return in
	}
	return health
}

// Channels holds the bindings of a gateway. Bindings only join, also while it runs: the
// account of a channel may be known only after its platform was reached.
type Channels struct {
	egress channels.EgressOptions

	mu       sync.RWMutex
	bindings []*Binding
	// pending makes the channel that cannot be made yet, or is nil.
	pending *Connector
}

// newChannels has no bindings yet. Each will send by the options, as its channel.
func newChannels(egress channels.EgressOptions) *Channels { return &Channels{egress: egress} }

// bind makes the way out to a channel.
func (c *Channels) bind(ch channels.Channel) *Binding {
	o := c.egress
	o.Channel = ch
	b := newBinding(ch, channels.NewEgress(o))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bindings = append(c.bindings, b)
	return b
}

// attach binds the channel of the consoles that come and go.
func (c *Channels) attach(ch channels.Channel) { c.bind(ch).attached = true }

// all are the bindings until now.
func (c *Channels) all() []*Binding {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clip(c.bindings) // the present ones stay the same
}

// expected is the number of channels that run, one that has yet to join among them.
func (c *Channels) expected() int {
	n := 0
	for _, b := range c.all() {
		if !b.attached {
			n++
		}
	}
	if c.pending != nil {
		n++
	}
	return n
}

// connect waits for the channel that cannot be made yet, and binds it.
func (c *Channels) connect(ctx context.Context) (*Binding, error) {
	ch, err := c.pending.run(ctx)
	if err != nil {
		return nil, err
	}
	b := c.bind(ch)
	c.pending.mu.Lock()
	defer c.pending.mu.Unlock()
	c.pending.joined = true
	return b, nil
}

// reports tell how each account does.
func (c *Channels) reports() []admin.ChannelReport {
	all := []admin.ChannelReport{}
	for _, b := range c.all() {
		if b.attached {
			continue
		}
		all = append(all, admin.ChannelReport{Name: b.channel.Name(), Account: b.channel.Account(), Health: b.health()})
	}
	if h, waits := c.pending.health(); waits {
		all = append(all, admin.ChannelReport{Name: c.pending.name, Health: h})
	}
	return all
}

// at finds the binding of an address, or nil.
func (c *Channels) at(addr channels.Address) *Binding {
	for _, b := range c.all() {
		if b.channel.Name() == addr.Channel && b.channel.Account() == addr.Account {
			return b
		}
	}
	return nil
}

// channel finds the channel of an address, or nil.
func (c *Channels) channel(addr channels.Address) channels.Channel {
	if b := c.at(addr); b != nil {
		return b.channel
	}
	return nil
}

// opener finds the way to the files of the messages at an address.
func (c *Channels) opener(addr channels.Address) (channels.AttachmentOpener, bool) {
	from, ok := c.channel(addr).(channels.AttachmentOpener)
	return from, ok
}

// namer finds the channel of an address, if that can tell the names of people.
func (c *Channels) namer(addr channels.Address) (channels.Namer, bool) {
	from, ok := c.channel(addr).(channels.Namer)
	return from, ok
}

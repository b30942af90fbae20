package web

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/channels"
	"parley/pkg/shelf"
)

// Name is the channel's word in an address.
const Name = "web"

// ErrNotRunning says that messages are not taken in now: the gateway starts or stops.
var ErrNotRunning = errors.New("web: messages are not taken in now")

// ErrNotAdmitted says that the policy does not let the sender in, or that a message does not
// say which level its credential has.
var ErrNotAdmitted = errors.New("web: the message is not allowed")

// Options are the parts of a [Channel].
type Options struct {
	// Name is the channel's word in an address; "" is [Name].
	Name string
	// Show shows a part; it must not block.
	Show func(context.Context, channels.Part)
	// Files keeps the files of the chats.
	Files *shelf.Shelf
	// Admits says whether a message may be stored; nil admits those that say which level their
	// credential has.
	Admits func(m *channels.Inbound) bool
}

// Channel is a channel whose chats are read on screens. It is safe for many goroutines.
type Channel struct {
	o Options

	mu    sync.Mutex
	run   *run
	posts sync.WaitGroup // those under way
}

// run is a call of Run.
type run struct {
	ctx context.Context //nolint:containedctx // the posts under way end with it
	in  *channels.Ingress
}

var (
	_ channels.Channel  = (*Channel)(nil)
	_ channels.Buttoner = (*Channel)(nil)
	_ channels.Screen   = (*Channel)(nil)
)

// New returns a channel without messages.
func New(o Options) *Channel {
	if o.Name == "" {
		o.Name = Name
	}
	if o.Admits == nil {
		o.Admits = func(m *channels.Inbound) bool { return m.Wish != nil && m.Wish.Level != "" }
	}
	return &Channel{o: o}
}

// Name implements [channels.Channel].
func (c *Channel) Name() string { return c.o.Name }

// Account implements [channels.Channel]: there is one.
func (*Channel) Account() string { return "" }

// Limits implements [channels.Channel]: only files have any.
func (*Channel) Limits() channels.Limits {
	return channels.Limits{MaxFile: shelf.MaxSent, MaxPhoto: shelf.MaxSent}
}

// Buttons implements [channels.Buttoner]: a question waits until somebody reads it.
func (*Channel) Buttons(channels.Address) bool { return true }

// Run takes in messages until ctx ends.
func (c *Channel) Run(ctx context.Context, in *channels.Ingress) error {
	c.set(&run{ctx, in})
	<-ctx.Done()
	c.set(nil)
	c.posts.Wait()
	return nil
}

func (c *Channel) set(now *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.run = now
}

// enter counts a post into the present run.
func (c *Channel) enter() *run {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run != nil {
		c.posts.Add(1)
	}
	return c.run
}

// Post takes in one message. It is durable when Post returns nil, and counts once however
// often it is posted. After any error it is posted again, or given up by its sender.
func (c *Channel) Post(ctx context.Context, m channels.Inbound) error {
	if !c.o.Admits(&m) {
		return ErrNotAdmitted
	}
	now := c.enter()
	if now == nil {
		return ErrNotRunning
	}
	defer c.posts.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(now.ctx, cancel)() //nolint:contextcheck // it looks at the end of the run
	admitted, err := now.in.Admit(ctx, []channels.Inbound{m}, nil)
	if err == nil && len(admitted) == 0 {
		err = ErrNotAdmitted
	}
	return err
}

// Show implements [channels.Screen].
func (c *Channel) Show(ctx context.Context, part channels.Part) {
	c.o.Show(ctx, part)
	failpoint.Hit("P10")
}

// Send implements [channels.Channel].
func (c *Channel) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendTransient, Err: err}
	}
	c.Show(ctx, part)
	id := part.ID
	if part.Index > 0 {
		id += "/" + strconv.Itoa(part.Index)
	}
	return channels.Receipt{MessageID: id, Time: time.Now()}, nil
}

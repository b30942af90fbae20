package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// line is a channel with the way out to it.
type line struct {
	channel channels.Channel
	out     *channels.Egress
	// failed is why the channel ended by itself; nil while it runs.
	failed atomic.Pointer[channels.Health]
	// shut is closed when nothing may be sent any more.
	shut chan struct{}
}

func newLine(c channels.Channel, out *channels.Egress) *line {
	return &line{channel: c, out: out, shut: make(chan struct{})}
}

// send lets what waits leave until ctx ends or the line is shut.
func (l *line) send(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() {
		select {
		case <-l.shut:
			cancel()
		case <-ctx.Done():
		}
	})
	return l.out.Run(ctx)
}

// health is how sending goes, or taking in where only that has trouble.
func (l *line) health() channels.Health {
	if failed := l.failed.Load(); failed != nil {
		return *failed
	}
	return healthOf(l.channel, l.out)
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

// roster holds the lines of a gateway. They only ever join, also while it runs: a
// platform may have to be reached before it is known who speaks there.
type roster struct {
	mu    sync.RWMutex
	lines []*line
}

func (r *roster) add(l *line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, l)
}

// all are the lines that have joined until now.
func (r *roster) all() []*line {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clip(r.lines) // what is there never changes
}

// at finds the line of an address, nil for none.
func (r *roster) at(addr channels.Address) *line {
	for _, l := range r.all() {
		if l.channel.Name() == addr.Channel && l.channel.Account() == addr.Account {
			return l
		}
	}
	return nil
}

// line makes the way out to a channel, and puts both on the roster.
func (a *App) line(c channels.Channel) *line {
	l := newLine(c, channels.NewEgress(channels.EgressOptions{
		Outbox: a.engine.Outbox(), Channel: c, Files: a.uploads, Log: a.log, Redact: a.redactor.Redact,
	}))
	a.roster.add(l)
	return l
}

// shift is what runs until an App is told to stop: what takes in ends first, what
// serves last.
type shift struct {
	taking, serving sync.WaitGroup
	// stop ends taking in; ended says whether the end of a channel does.
	stop  context.CancelCauseFunc
	ended func(ctx context.Context, channel string, err error) bool
}

// take runs what takes in for a channel.
func (s *shift) take(ctx context.Context, channel string, run func() error) {
	s.taking.Go(func() {
		if err := run(); ctx.Err() == nil && s.ended(ctx, channel, err) {
			s.stop(err)
		}
	})
}

// runLines starts all lines, and the one that has yet to join once it has.
func (a *App) runLines(intake, sending context.Context, at *shift) {
	in := channels.NewIngress(a.agent, reception{gatekeeper{a.policy}, a.engine.Pairs(), a.log}, a.log)
	run := func(l *line) error {
		at.serving.Go(func() { failWith(at.stop, l.send(sending)) })
		return a.takeIn(intake, l, in)
	}
	for _, l := range a.roster.all() {
		at.take(intake, l.channel.Name(), func() error { return run(l) })
	}
	if a.joiner == nil {
		return
	}
	at.take(intake, a.joiner.name, func() error {
		l, err := a.join(intake)
		if err != nil {
			return err
		}
		return run(l)
	})
}

// takeIn runs a line's channel until ctx ends. Where Slack's ends by itself, its
// token is another account's now: nothing that waits for this one may leave by it,
// and the next start asks anew whose it is.
func (a *App) takeIn(ctx context.Context, l *line, in *channels.Ingress) error {
	err := l.channel.Run(ctx, in)
	if err == nil || ctx.Err() != nil {
		return err
	}
	l.failed.Store(&channels.Health{State: healthEnded, Reason: err.Error(), Since: time.Now()})
	if l.channel.Name() == slack.Name {
		close(l.shut)
		err = errors.Join(err, keptIdentity{dir: a.cfg.StateDir}.forget())
	}
	return err
}

// at finds the channel of an address, nil for none.
func (a *App) at(addr channels.Address) channels.Channel {
	if l := a.roster.at(addr); l != nil {
		return l.channel
	}
	return nil
}

// opener finds the way to the files of the messages at an address.
func (a *App) opener(addr channels.Address) (channels.AttachmentOpener, bool) {
	from, ok := a.at(addr).(channels.AttachmentOpener)
	return from, ok
}

// gateOf finds the way out to an address, of a channel that is a T: the gate
// shows what the channel shows.
func gateOf[T any](a *App) func(channels.Address) T {
	return func(addr channels.Address) (gate T) {
		if l := a.roster.at(addr); l != nil {
			if _, ok := l.channel.(T); ok {
				gate, _ = any(l.out).(T)
			}
		}
		return gate
	}
}

// command is what a person writes at an address for the command called name.
func (a *App) command(addr channels.Address, name string) string {
	if l := a.roster.at(addr); l != nil {
		if c, ok := l.channel.(channels.Commander); ok {
			return c.Command(addr, name)
		}
	}
	return "/" + name
}

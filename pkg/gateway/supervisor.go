package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// supervisor runs the parts of an App until it is told to stop: intake ends first,
// serving last.
type supervisor struct {
	channels        *Channels
	in              *channels.Ingress
	taking, serving sync.WaitGroup
	// stop ends the intake; ended says whether the end of a channel does.
	stop  context.CancelCauseFunc
	ended func(ctx context.Context, channel string, err error) bool
	// disown forgets the identity of a token that belongs to another account now.
	disown func() error
}

// run starts all bindings, and the one of a channel that has yet to join once it has.
func (s *supervisor) run(intake, sending context.Context) {
	serve := func(b *Binding) error {
		s.serving.Go(func() { failWith(s.stop, b.send(sending)) })
		return s.takeIn(intake, b)
	}
	for _, b := range s.channels.all() {
		s.take(intake, b.channel.Name(), func() error { return serve(b) })
	}
	if s.channels.pending == nil {
		return
	}
	s.take(intake, s.channels.pending.name, func() error {
		b, err := s.channels.connect(intake)
		if err != nil {
			return err
		}
		return serve(b)
	})
}

// take runs the intake of a channel.
func (s *supervisor) take(ctx context.Context, channel string, run func() error) {
	s.taking.Go(func() {
		if err := run(); ctx.Err() == nil && s.ended(ctx, channel, err) {
			s.stop(err)
		}
	})
}

// takeIn runs a binding's channel until ctx ends. Where Slack's ends by itself, its
// token belongs to another account now: no message that waits for this account may leave
// by it, and the next start asks for the identity again.
func (s *supervisor) takeIn(ctx context.Context, b *Binding) error {
	err := b.channel.Run(ctx, s.in)
	if err == nil || ctx.Err() != nil {
		return err
	}
	b.failed.Store(&channels.Health{State: healthEnded, Reason: err.Error(), Since: time.Now()})
	if b.channel.Name() == slack.Name {
		close(b.shut)
		err = errors.Join(err, s.disown())
	}
	return err
}

// failWith ends the intake with an error, if there is one.
func failWith(stop context.CancelCauseFunc, err error) {
	if err != nil {
		stop(err)
	}
}

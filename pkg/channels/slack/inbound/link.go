package inbound

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/event"
	"parley/pkg/channels/wire"
)

// The pauses of taking in.
const (
	minPause = time.Second
	maxPause = 30 * time.Second
	// Where Slack says that there are too many sockets, or that they are switched off,
	// haste is of no use.
	minSlowPause = 30 * time.Second
	maxSlowPause = 5 * time.Minute
	// That is how long Slack has to greet.
	helloWait = 10 * time.Second
	// A socket that lasted that long was a good one: pauses begin anew.
	goodLife = 10 * time.Second
	// That is how long a socket that is to be replaced is still read.
	linger = 30 * time.Second
	// How many of those there may be at once; Slack takes ten sockets of an app.
	maxLingering = 4
)

// The reasons of disconnect frames (docs.slack.dev/apis/events-api/using-socket-mode).
const (
	reasonLinkDisabled = "link_disabled"
	reasonTooMany      = "too_many_websockets"
)

// link keeps one socket open. A socket that is to end is replaced first and read
// until it has ended.
type link struct {
	client *api.Client
	reader *reader
	to     *intake
	status *status
	log    zerolog.Logger
	work   *sync.WaitGroup

	pause      *wire.Pauses
	slow       *backoff.Exponential
	hasty      bool // the last socket had a short life
	lingerings chan struct{}
	// strange says, once, that the app has events of another workspace.
	strange sync.Once
}

// run keeps the link up until ctx ends.
func (l *link) run(ctx context.Context) {
	l.pause, l.slow = wire.NewPauses(minPause, maxPause), backoff.New(minSlowPause, maxSlowPause)
	l.lingerings = make(chan struct{}, maxLingering)
	for ctx.Err() == nil {
		err := l.one(ctx)
		if ctx.Err() != nil {
			return
		}
		wait, err := l.pauseAfter(err)
		if wait == 0 {
			continue
		}
		l.log.Warn().Err(err).Dur("pause", wait).Msg("the link to Slack is interrupted")
		if !backoff.Sleep(ctx, wait) {
			return
		}
	}
}

// disconnected is the reason of a disconnect frame.
type disconnected string

// Error implements error.
func (d disconnected) Error() string { return "slack asked to disconnect: " + string(d) }

// cure is the operator's remedy, or "".
func (d disconnected) cure() string {
	switch d {
	case reasonLinkDisabled:
		return "Socket Mode is switched off for the app: switch it on in its settings, or set events to take them over HTTP"
	case reasonTooMany:
		return "Slack has too many sockets of this app: stop the other gateways that use its app token"
	default:
		return ""
	}
}

var (
	errNoHello = errors.New("slack: a socket was opened and nobody greeted")
	errEnded   = errors.New("slack: a socket ended")
)

// one opens a socket and returns once another is needed, with the reason why.
func (l *link) one(ctx context.Context) error {
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	since := time.Now()
	l.status.works(linking)
	reason := errEnded
	select {
	case <-ctx.Done():
	case <-s.gone:
		reason = s.why(errEnded) // the frame came first, whatever is seen first here
	case why := <-s.left:
		reason = disconnected(why)
	}
	if time.Since(since) >= goodLife {
		l.hasty = false
		l.pause.Reset()
		l.slow.Reset()
	}
	l.retire(ctx, s, reason)
	return reason
}

// open opens a socket and waits for its greeting.
func (l *link) open(ctx context.Context) (*socket, error) {
	conn, err := l.client.OpenSocket(ctx)
	if err != nil {
		return nil, err
	}
	s := newSocket(conn)
	l.work.Go(func() { s.read(ctx, l.handle) })
	l.work.Go(func() { s.write(ctx) })
	greeted, cancel := context.WithTimeout(ctx, helloWait)
	defer cancel()
	select {
	case <-s.hello:
		return s, nil
	case why := <-s.left:
		err = disconnected(why)
	case <-s.gone:
		err = s.why(errNoHello)
	case <-greeted.Done():
		err = errNoHello
	}
	s.close()
	return nil, err
}

// retire ends a socket: at once, or after Slack has sent the rest and ends it.
func (l *link) retire(ctx context.Context, s *socket, reason error) {
	why, asked := errors.AsType[disconnected](reason)
	if !asked || why.cure() != "" {
		s.close()
		return
	}
	select {
	case l.lingerings <- struct{}{}:
	default:
		s.close()
		return
	}
	l.work.Go(func() {
		defer func() { <-l.lingerings }()
		defer s.close()
		wait, cancel := context.WithTimeout(ctx, linger)
		defer cancel()
		select {
		case <-s.gone:
		case <-wait.Done():
		}
	})
}

// pauseAfter is the wait before the next socket; it tells the health, and names the
// meaning of a refusal that lasts.
func (l *link) pauseAfter(err error) (time.Duration, error) {
	why, asked := errors.AsType[disconnected](err)
	switch {
	case asked && why.cure() != "":
		l.status.fails(linking, channels.HealthDegraded, fmt.Sprintf("%s: %s", err, why.cure()))
		return backoff.Spread(l.slow.Next()), err
	case (asked || errors.Is(err, errEnded)) && !l.hasty:
		l.hasty = true // once at once: a server that ends every socket is not hurried
		return 0, err
	case asked:
		return l.pause.Failed(0), err
	}
	wait, state := after(l.pause, err), channels.HealthDegraded
	if l.pause.Lasting() {
		state = channels.HealthAuth
		err = fmt.Errorf("the app token is refused: generate one with connections:write (the app's page, Basic Information) "+
			"and put it where channels.slack.app_token says: %w", err)
	}
	l.status.fails(linking, state, err.Error())
	return wait, err
}

// handle takes one frame of a socket.
func (l *link) handle(ctx context.Context, s *socket, f event.Frame) {
	ev := l.reader.frame(f)
	switch {
	case ev.Hello:
		s.greet.Do(func() { close(s.hello) })
	case ev.Disconnect != "":
		select {
		case s.left <- ev.Disconnect:
		default:
		}
	case ev.Elsewhere:
		l.strange.Do(func() {
			l.log.Warn().Msg("an event for this app in another workspace came: it is left to the gateway there. " +
				"Give each workspace an app of its own, so that none of its events comes late")
		})
	default:
		l.to.take(ctx, ev, func(stored bool) {
			if stored && ev.Envelope != "" {
				s.ack(ev.Envelope, ev.Answer)
			}
		})
	}
}

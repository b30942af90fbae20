package inbound

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/event"
	"parley/pkg/channels/wire"
)

// Options say which app it is and how its events come. API, Me and Names are required.
type Options struct {
	API   *api.Client
	Me    api.Identity
	Names *Names
	// Calls takes events in over HTTP; nil opens sockets (Socket Mode).
	Calls *Calls
	// Command is that of [event.Decoder].
	Command func(words string) string
	// Unread keeps an envelope that the adapter cannot use: an unreadable one, or one
	// of an unknown kind. It is called before the envelope is acknowledged, and again
	// where the envelope comes again; nil drops such envelopes.
	Unread func(kind string, raw json.RawMessage)
	// Alive says whether the conversation of a thread exists and had something lately,
	// so that a reply in it needs no mention. With an error the event is left unstored
	// and unacknowledged: Slack sends it again. nil knows none.
	Alive func(ctx context.Context, a channels.Address) (bool, error)
	// Heard is told of each message that was let in, once it is stored: its address,
	// its ts and its sender, as in [channels.Sender].
	Heard func(at channels.Address, ts, user string)
	// Commanded is told of each slash command before it is stored: its address, and its
	// response_url, a secret. It is told by forget that the command was not let in. nil
	// ignores them.
	Commanded func(at channels.Address, reply string) (forget func())
	Log       zerolog.Logger
}

// Calls is how Slack reaches this process over HTTP.
type Calls struct {
	// Listen is the local address, such as 127.0.0.1:8443. It speaks plain HTTP:
	// TLS ends in front of it.
	Listen string
	// SigningSecret reveals the secret that Slack signs its requests with; it must
	// not be empty.
	SigningSecret func() string
	// TrustedProxies are the proxies with a trusted X-Forwarded-For header, by which
	// the connections of one client are counted; see [wire.Server].
	TrustedProxies []netip.Prefix
	// Serve answers the calls at Listen on a server that others share; nil listens there
	// itself.
	Serve wire.Serving
}

// Check says whether calls can be taken with these options.
func (c *Calls) Check() error {
	switch {
	case c.Listen == "":
		return errors.New("slack: events: no address to listen on")
	case c.SigningSecret == nil || c.SigningSecret() == "":
		return errors.New("slack: events: no signing secret: nobody could tell Slack from a stranger")
	default:
		return nil
	}
}

// Receiver is the way in of one app in one workspace.
type Receiver struct {
	opt    Options
	me     atomic.Pointer[api.Identity]
	status *status
	log    zerolog.Logger
	work   sync.WaitGroup
}

// New makes the way in of the app that o.Me names. It sends no request.
func New(o Options) *Receiver {
	r := &Receiver{opt: o, status: &status{health: wire.NewHealth(), log: o.Log}, log: o.Log}
	r.me.Store(&o.Me)
	return r
}

// Me is the owner of the bot token, as Slack told it last.
func (r *Receiver) Me() api.Identity { return *r.me.Load() }

// Health says how taking in goes.
func (r *Receiver) Health() channels.Health { return r.status.health.Read() }

// Run takes events in until ctx ends. Taking in begins at once; the owner of the token
// is asked for beside it. Where the token has become another app's or workspace's, Run
// ends with an error, because everything that is stored belongs to the first one.
func (r *Receiver) Run(ctx context.Context, in *channels.Ingress) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer r.work.Wait()
	defer stop(nil)
	r.work.Go(func() {
		if err := r.introduce(ctx); err != nil {
			stop(err)
		}
	})
	r.work.Go(func() { r.opt.Names.run(ctx) })
	took := newIntake(r, in)
	r.work.Go(func() { took.run(ctx) })
	reader := &reader{me: &r.me, command: r.opt.Command, names: r.opt.Names, log: r.log}
	if r.opt.Calls != nil {
		(&hook{opt: *r.opt.Calls, reader: reader, to: took, status: r.status, log: r.log}).run(ctx)
	} else {
		(&link{client: r.opt.API, reader: reader, to: took, status: r.status, log: r.log, work: &r.work}).run(ctx)
	}
	if err := context.Cause(ctx); err == errOtherAccount { //nolint:errorlint // it is the very one that introduce gave
		return err
	}
	return nil
}

// reader decodes frames, as the bot that me names at that moment.
type reader struct {
	me      *atomic.Pointer[api.Identity]
	command func(words string) string
	names   *Names
	log     zerolog.Logger
}

func (r *reader) decoder() *event.Decoder {
	return &event.Decoder{Me: *r.me.Load(), Command: r.command, Name: r.names.Of}
}

// frame reads a frame of a socket.
func (r *reader) frame(f event.Frame) *event.Event { return r.noted(r.decoder().Frame(f)) }

// payload reads the content of a call.
func (r *reader) payload(envelopeType string, raw json.RawMessage) *event.Event {
	return r.noted(r.decoder().Payload(envelopeType, raw))
}

// noted logs the reason for an event without an item, without its words, and has the
// senders' names looked up.
func (r *reader) noted(ev *event.Event) *event.Event {
	if ev.Skipped != "" {
		r.log.Debug().Str("chat", ev.Chat).Str("reason", ev.Skipped).Msg("an event is skipped")
	}
	for n := range ev.Items {
		from := &ev.Items[n].Sender
		from.Name = r.names.Of(bareUser(from.ID))
	}
	return ev
}

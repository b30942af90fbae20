package channels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/pkg/panics"
)

// The fixed times of an [Egress].
const (
	// A message of unknown fate holds up its chat that long at most while the
	// platform can be reached.
	settleWithin = 60 * time.Second
	// The least that the last attempt of such a message gets.
	minTimeout = 5 * time.Second
	// The time between two attempts of an account that may not send.
	authPause = 60 * time.Second
	// When a send stops counting against MaxInFlight: chats that
	// hang must not take the places of those that do not.
	slowSend = 2 * time.Second
	// The bound of the writes that follow a send, also while stopping.
	storeTimeout = 10 * time.Second
)

// EgressOptions are the parts that an [Egress] works with. Zero values have defaults.
type EgressOptions struct {
	Outbox  Outbox
	Channel Channel
	// Files hold the contents of files that wait to be sent; nil means that there are
	// none.
	Files Files
	Log   zerolog.Logger
	// Redact takes secrets out of messages and log lines; nil leaves them as they are.
	Redact func(string) string
	// Settled is told of the outcome of each message, once it is durable; nil: not told.
	// It must not block.
	Settled func(o Outbound, out Outcome)
	// MaxInFlight bounds the sends under way; default 64. A send that takes
	// longer than two seconds gives its place to the next. The threads of one chat have
	// a quarter of the places at most.
	MaxInFlight int
	// SendTimeout is the deadline of one Send; default 30 s.
	SendTimeout time.Duration
	// Grace is how long sends under way may go on once Run is told to stop; default 5 s.
	Grace time.Duration
}

// Egress is the gate on the way out of one channel.
type Egress struct {
	opt     EgressOptions
	limits  Limits
	slots   chan struct{}
	others  chan struct{} // the slots for messages that no person waits for
	account *accountPacer
	chats   *chatPacers
	health  *health

	mu sync.Mutex
	// unsaved is the state of deliveries after a failed write: at most the head of each
	// chat's queue.
	unsaved map[string]progress
	// shows are the ephemeral showings under way.
	shows map[*showing]bool
}

// NewEgress returns the gate of opt.Channel.
func NewEgress(opt EgressOptions) *Egress {
	if opt.Redact == nil {
		opt.Redact = func(s string) string { return s }
	}
	if opt.MaxInFlight <= 0 {
		opt.MaxInFlight = 64
	}
	if opt.SendTimeout <= 0 {
		opt.SendTimeout = 30 * time.Second
	}
	if opt.Grace <= 0 {
		opt.Grace = 5 * time.Second
	}
	limits := opt.Channel.Limits()
	return &Egress{
		opt:     opt,
		limits:  limits,
		slots:   make(chan struct{}, opt.MaxInFlight),
		others:  make(chan struct{}, max(opt.MaxInFlight/2, 1)),
		account: newAccountPacer(limits),
		chats:   newChatPacers(limits, max(opt.MaxInFlight/4, 1)),
		health:  newHealth(),
		unsaved: map[string]progress{},
		shows:   map[*showing]bool{},
	}
}

// Run sends the queued messages until ctx ends. Then no send begins any more, those
// under way have the grace period, and their outcome is still stored. It returns nil
// after ctx ended, and the outbox's error otherwise.
func (e *Egress) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(e.opt.Grace, func() { stop(errStopping) })
	})()
	defer e.chats.stop()
	if screen, ok := e.opt.Channel.(Screen); ok {
		defer e.opt.Outbox.AtOnce(e.opt.Channel.Name(), e.opt.Channel.Account(), e.ready(work, screen))()
	}
	err := e.opt.Outbox.RunOutbox(ctx, e.opt.Channel.Name(), e.opt.Channel.Account(), func(_ context.Context, d Delivery) error {
		return e.deliver(ctx, work, d)
	})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("outbox of %s: %w", e.opt.Channel.Name(), err)
	}
	return nil
}

// Health says how sending goes.
func (e *Egress) Health() Health { return e.health.read(e.account.authReason()) }

var errStopping = errors.New("stopping")

func (e *Egress) deliver(intake, work context.Context, d Delivery) error {
	info := d.Info()
	chat := info.Outbound.Address.Chat
	r := &delivering{egress: e, d: d, info: info, known: e.resume(info), chat: e.chats.enter(chat), sender: e.senderOf(info)}
	defer e.chats.leave(chat, r.chat)
	err := r.do(intake, work)
	e.remember(info, r.known, err)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, errStopping):
		e.log(info).Error().Err(err).Msg("delivery interrupted")
		return err
	case r.known.ambiguous == 0:
		return &SendError{Class: SendTransient, Err: err} // the platform surely lacks the next part
	default:
		return err
	}
}

// resume joins the stored state of a delivery with later knowledge.
func (e *Egress) resume(info DeliveryInfo) progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p, ok := e.unsaved[info.Outbound.ID]; ok && len(p.receipts) >= len(info.Receipts) {
		return p
	}
	p := progress{receipts: slices.Clone(info.Receipts), ambiguous: info.Ambiguities}
	if info.Unknown {
		p.ambiguous = max(p.ambiguous, 1)
	}
	return p
}

// remember keeps the state that a failed write did not store, and forgets the stored
// one.
func (e *Egress) remember(info DeliveryInfo, p progress, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	beyond := len(p.receipts) > len(info.Receipts) || p.ambiguous > info.Ambiguities || p.outcome != nil
	if err == nil || !beyond {
		delete(e.unsaved, info.Outbound.ID)
		return
	}
	e.unsaved[info.Outbound.ID] = p
}

// cut makes the parts of a text: redacted first, so that no cut hides a secret.
func (e *Egress) cut(text string) []string {
	text = e.opt.Redact(cleanText(text))
	if s, ok := e.opt.Channel.(Splitter); ok {
		return nonBlank(s.Split(text))
	}
	return SplitText(text, e.limits.MaxLen, e.limits.Len)
}

func nonBlank(parts []string) []string {
	kept := parts[:0]
	for _, p := range parts {
		if strings.TrimSpace(p) != "" {
			kept = append(kept, p)
		}
	}
	return kept
}

// place waits for a place among MaxInFlight. Messages that no person waits for have
// half of the places at most, and a chat a quarter.
func (e *Egress) place(intake context.Context, awaited <-chan struct{}, chat *chatPacer) (release func(), err error) {
	select {
	case chat.sends <- struct{}{}:
	case <-intake.Done():
		return nil, errStopping
	}
	leave := func() { <-chat.sends }
	select {
	case <-awaited:
	default:
		select {
		case <-awaited:
		case e.others <- struct{}{}:
			leave = func() { <-e.others; <-chat.sends }
		case <-intake.Done():
			leave()
			return nil, errStopping
		}
	}
	select {
	case e.slots <- struct{}{}:
		return sync.OnceFunc(func() { <-e.slots; leave() }), nil
	case <-intake.Done():
		leave()
		return nil, errStopping
	}
}

// attempt is one request to the channel.
type attempt func(context.Context) (Receipt, error)

// send makes one attempt. A place among MaxInFlight is held for the attempt, or its
// first two seconds, but not during other waits.
func (r *delivering) send(intake, work context.Context, attempt attempt, timeout time.Duration) (Receipt, error) {
	e := r.egress
	release, err := e.place(intake, r.claim().awaited, r.chat)
	if err != nil {
		return Receipt{}, err
	}
	defer release()
	defer time.AfterFunc(slowSend, release).Stop()
	ctx, cancel := context.WithTimeout(work, timeout)
	defer cancel()
	failpoint.Hit("P9") // P10, between writing and reading, is the adapter's
	receipt, err := e.contained(ctx, attempt)
	if err == nil {
		failpoint.Hit("P11")
	}
	return receipt, err
}

// contained turns an adapter's panic into an attempt of unknown effect.
func (e *Egress) contained(ctx context.Context, attempt attempt) (r Receipt, err error) {
	if p := panics.Catch(func() { r, err = attempt(ctx) }); p != nil {
		e.opt.Log.Error().Str("channel", e.opt.Channel.Name()).Bytes("stack", p.Stack).Msg("the channel panicked while sending")
		return r, &SendError{Class: SendAmbiguous, Err: p}
	}
	return r, err
}

func (e *Egress) log(info DeliveryInfo) *zerolog.Logger {
	l := e.opt.Log.With().
		Str("channel", e.opt.Channel.Name()).
		Str("account", e.opt.Channel.Account()).
		Str("chat", info.Outbound.Address.Chat).
		Str("outbound", info.Outbound.ID).
		Logger()
	return &l
}

package tools

import (
	"context"
	"strconv"

	"parley/pkg/tools/internal/callclock"
	"parley/pkg/tools/internal/isolate"
)

// Invocation says for whom a call runs. Background goroutines keep it.
type Invocation struct {
	Channel, Account, Chat, Thread string
	// Sender is the platform's user id of the person with the least rights in the turn.
	Sender string
	// Session and Turn are the engine's ids.
	Session, Turn string
	// Space is the absolute path of the folder that holds the chat's files.
	Space string
	// Level is the most that the turn may use: the lowest right among its senders.
	Level Level
	// CallID is the model's id of the call.
	CallID string
	// Key is the idempotency key: unique to this call, and the same when it is resumed.
	Key string
	// Watch, when set, hears of the goroutines of calls.
	Watch Watch
}

// Watch hears that the goroutine of a call, or of its background work, begins and ends: also of a call that was
// given up.
type Watch interface{ Began() (ended func()) }

// began tells so.
func began(ctx context.Context) (ended func()) {
	if w := InvocationFrom(ctx).Watch; w != nil {
		return w.Began()
	}
	return func() {}
}

// Owner is the chat as one that shares places with other chats: all its threads and
// background agents are one owner.
func (i Invocation) Owner() string {
	return strconv.Quote(i.Channel) + strconv.Quote(i.Account) + strconv.Quote(i.Chat)
}

type invocationKey struct{}

// scope is the value in ctx: the invocation, and the leases of the calls around this
// one, so that a nested call of a leased tool is refused instead of waiting for ever.
type scope struct {
	inv   Invocation
	lease *isolate.Lease
	hooks *hooks
	// asks decides on calls that no loop makes, or is nil.
	asks Gate
	// deaf: the end of work in the background could not be reported.
	deaf bool
}

// gate decides on the call, or is nil.
func (s *scope) gate() Gate {
	h := s.hooks
	switch {
	case h != nil && h.detached:
		return unattended{}
	case h == nil || h.loop == nil:
		return s.asks
	default:
		return h.loop.Gate
	}
}

func scopeFrom(ctx context.Context) *scope {
	s, ok := ctx.Value(invocationKey{}).(*scope)
	if !ok {
		return &scope{}
	}
	return s
}

func (s *scope) into(ctx context.Context) context.Context {
	return context.WithValue(ctx, invocationKey{}, s)
}

// WithInvocation puts inv into ctx; it is the only value that Parley puts there.
func WithInvocation(ctx context.Context, inv Invocation) context.Context {
	s := *scopeFrom(ctx)
	s.inv = inv
	return s.into(ctx)
}

// WithGate puts the gate into ctx that decides on calls which no loop makes: those
// of [ToolRegistry.Execute] and [ToolRegistry.ExecuteWithContext], and the calls that
// these make. Without one, no person is asked about them.
func WithGate(ctx context.Context, g Gate) context.Context {
	s := *scopeFrom(ctx)
	s.asks = g
	return s.into(ctx)
}

// InvocationFrom returns the invocation of a call; the zero value outside one.
func InvocationFrom(ctx context.Context) Invocation { return scopeFrom(ctx).inv }

// Progress shows the progress of a call to the person: one short line. It does not
// wait, and outside a loop the line is dropped.
func Progress(ctx context.Context, line string) {
	scopeFrom(ctx).hooks.progress(line)
}

// Waiting says that the call of ctx waits for a place that all chats share: until over
// is called, once, the call's time and that of the calls around it stand still. The
// caller bounds the wait. Outside a call it has no effect.
func Waiting(ctx context.Context) (over func()) { return callclock.Pause(ctx) }

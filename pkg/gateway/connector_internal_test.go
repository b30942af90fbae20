package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/slack"
	"parley/pkg/channels/web"
	"parley/pkg/gateway/linking"
	"parley/pkg/gateway/screens"
	"parley/pkg/policy"
	"parley/pkg/session"
)

var theApp = slack.Identity{Team: "T1", User: "U0", Bot: "B0"}

// ears is a channel of the account that was identified; it ends at once with fails.
type ears struct {
	channels.Channel

	name, account string
	fails         error
}

func (e *ears) Name() string { return cmp.Or(e.name, slack.Name) }
func (e *ears) Run(context.Context, *channels.Ingress) error {
	return e.fails
}
func (e *ears) Account() string       { return e.account }
func (*ears) Limits() channels.Limits { return channels.Limits{} }

// asking is a connector on a platform that answers with these errors, one after
// another, and then tells; at notes when it was asked.
func asking(at *[]time.Duration, answers ...error) *Connector {
	start := time.Now()
	return &Connector{
		name: slack.Name, log: zerolog.Nop(), state: channels.Health{State: healthConnecting},
		identify: func(context.Context) (slack.Identity, error) {
			*at = append(*at, time.Since(start))
			if n := len(*at); n <= len(answers) {
				return slack.Identity{}, answers[n-1]
			}
			return theApp, nil
		},
		open: func(me slack.Identity) (channels.Channel, error) { return &ears{account: me.Team}, nil },
	}
}

// TestJoinerAsksUntilItIsTold: at growing pauses, which grow further after refusals.
// A refusal that is repeated is one that a person has to end.
func TestJoinerAsksUntilItIsTold(t *testing.T) {
	t.Parallel()
	down := errors.New("connection refused")
	refused := fmt.Errorf("%w: invalid_auth", slack.ErrRefused)
	for name, tc := range map[string]struct {
		answers []error
		pauses  []time.Duration
		state   channels.HealthState
		reason  string
	}{
		"at once": {nil, nil, healthConnecting, ""},
		"down": {
			[]error{down, down, down, down, down, down, down}, []time.Duration{1, 2, 4, 8, 16, 30, 30}, healthConnecting, "connection refused",
		},
		"refused": {
			[]error{refused, refused, refused, refused, refused, refused, refused},
			[]time.Duration{1, 5, 30, 60, 120, 240, 300},
			channels.HealthAuth,
			"invalid_auth: install the app in the workspace again",
		},
		"refused, then down": {[]error{refused, down, down}, []time.Duration{1, 1, 2}, healthConnecting, "connection refused"},
		"refused once":       {[]error{refused}, []time.Duration{1}, healthConnecting, "invalid_auth"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var at []time.Duration
				j := asking(&at, tc.answers...)
				c, err := j.run(t.Context())
				if err != nil || c.Account() != theApp.Team {
					t.Fatalf("%v, %v", c, err)
				}
				if len(at) != len(tc.pauses)+1 {
					t.Fatalf("asked at %v", at)
				}
				for i, p := range tc.pauses {
					if got := at[i+1] - at[i]; got < p*time.Second || got > p*time.Second*5/4 {
						t.Errorf("pause %d is %v, want %ds and up to a quarter more", i, got, p)
					}
				}
				h, waits := j.health()
				if h.State != tc.state || !strings.Contains(h.Reason, tc.reason) || !waits {
					t.Errorf("health %+v", h)
				}
			})
		})
	}
	if _, waits := (*Connector)(nil).health(); waits {
		t.Error("no joiner waits")
	}
}

// TestJoinerEndsWithTheGateway, whether it waits or asks, and gives up an attempt that hangs.
func TestJoinerEndsWithTheGateway(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context) (slack.Identity, error) {
		<-ctx.Done()
		return slack.Identity{}, ctx.Err()
	}
	for name, tc := range map[string]struct {
		identify func(context.Context) (slack.Identity, error)
		stop     time.Duration
		asked    int
		state    channels.HealthState
	}{
		"while it asks":       {hang, joinTime / 2, 1, healthConnecting},
		"while it waits":      {hang, joinTime + joinPause/2, 1, healthConnecting},
		"while it asks again": {hang, 2*joinTime + joinPause*3/2, 2, healthConnecting},
		"while the token is no token": {
			func(context.Context) (slack.Identity, error) { return slack.Identity{}, slack.ErrRefused },
			5 * time.Second, 2, channels.HealthAuth,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var at []time.Duration
				j := asking(&at)
				asked := 0
				j.identify = func(ctx context.Context) (slack.Identity, error) {
					asked++
					return tc.identify(ctx)
				}
				start := time.Now()
				ctx, cancel := context.WithTimeoutCause(t.Context(), tc.stop, ErrStopLimit)
				defer cancel()
				if c, err := j.run(ctx); c != nil || !errors.Is(err, ErrStopLimit) {
					t.Errorf("%v, %v", c, err)
				}
				if took := time.Since(start); took != tc.stop {
					t.Errorf("it ended after %v, want %v", took, tc.stop)
				}
				if h, waits := j.health(); h.State != tc.state || !waits || asked != tc.asked {
					t.Errorf("asked %d times, want %d; health %+v", asked, tc.asked, h)
				}
			})
		})
	}
}

// TestJoinedChannelIsFoundWhileOthersLook: bindings join while others look.
func TestJoinedChannelIsFoundWhileOthersLook(t *testing.T) {
	t.Parallel()
	var at []time.Duration
	c := newChannels(channels.EgressOptions{Log: zerolog.Nop(), Redact: policy.NewRedactor().Redact})
	c.pending = asking(&at)
	c.bind(&ears{account: "T0"})
	there := channels.Address{Channel: slack.Name, Account: theApp.Team, Chat: "C1"}
	if c.channel(there) != nil || c.expected() != 2 {
		t.Fatal("it is there before it joined")
	}
	all := surfaces{c, screens.New(screens.Options{Links: linking.New(linking.Options{Channel: web.Name}), Redactor: policy.NewRedactor()})}
	var looking sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for range 4 {
		looking.Go(func() {
			for ctx.Err() == nil {
				all.At(there)
				c.pending.health()
			}
		})
	}
	b, err := c.connect(ctx)
	stop()
	looking.Wait()
	if err != nil || c.channel(there) != b.channel || len(c.all()) != 2 {
		t.Errorf("%v is not bound: %v", b.channel, err)
	}
	if _, waits := c.pending.health(); waits {
		t.Error("it still waits")
	}

	c.pending = asking(&at)
	c.pending.open = func(slack.Identity) (channels.Channel, error) { return nil, ErrStopLimit }
	if _, err := c.connect(t.Context()); !errors.Is(err, ErrStopLimit) || len(c.all()) != 2 {
		t.Errorf("a channel that cannot be made joins: %v", err)
	}
	if h, waits := c.pending.health(); h.State != healthEnded || !waits {
		t.Errorf("health %+v", h)
	}
}

// quiet is an outbox without messages.
type quiet struct{ session.Outbox }

// RunOutbox implements [channels.Outbox].
func (quiet) RunOutbox(ctx context.Context, _, _ string, _ func(context.Context, channels.Delivery) error) error {
	<-ctx.Done()
	return nil
}

// TestAnotherAccountsTokenSendsNothing: when Slack says that the token is not the
// channel's any more, no message leaves by it, and the next start asks for its owner. A
// channel of another kind that ends goes on sending.
func TestAnotherAccountsTokenSendsNothing(t *testing.T) {
	t.Parallel()
	fails := errors.New("it belongs to another workspace")
	for name, want := range map[string]struct{ sends, known bool }{slack.Name: {false, false}, "telegram": {true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			kept := keptIdentity{dir: dir}
			if err := kept.write("token", theApp); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				c := newChannels(channels.EgressOptions{Outbox: quiet{}, Log: zerolog.Nop(), Redact: policy.NewRedactor().Redact})
				b := c.bind(&ears{name: name, account: "T1", fails: fails})
				sent := make(chan error, 1)
				go func() { sent <- b.send(ctx) }()
				synctest.Wait()
				if err := (&supervisor{channels: c, disown: kept.forget}).takeIn(ctx, b); !errors.Is(err, fails) {
					t.Errorf("it ended with %v", err)
				}
				synctest.Wait()
				if got := len(sent) == 0; got != want.sends {
					t.Errorf("sends: %t", got)
				}
				if h := b.health(); h.State != healthEnded || h.Reason != fails.Error() {
					t.Errorf("health %+v", h)
				}
				if _, err := kept.read("token"); (err == nil) != want.known {
					t.Errorf("known: %v", err)
				}
				stop()
				synctest.Wait()
				if err := <-sent; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

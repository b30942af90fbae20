package loopchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/internal/test/fakehttp"
	"parley/pkg/channels"
)

// Name is the channel's word in an address.
const Name = "loop"

const (
	maxPollBytes = 8 << 20
	maxSendBytes = 64 << 10
	pollGrace    = 10 * time.Second
)

// Options say where the platform is and how it is spoken to. Zero values have defaults.
type Options struct {
	// URL is the server's base, such as http://127.0.0.1:4000.
	URL string
	// Account is the bot's own identity; default "bot".
	Account string
	// PollTimeout is how long the server may hold a poll; default 25 s.
	PollTimeout time.Duration
	// SendTimeout bounds one Send; default 10 s.
	SendTimeout time.Duration
	// MinPause and MaxPause bound the pause after a poll that failed; default 100 ms and 5 s.
	MinPause, MaxPause time.Duration
	// MaxConns bounds the connections that Send uses; default 32.
	MaxConns int
	// Limits are the limits of the platform; default 4096 code points and no rate.
	Limits channels.Limits
	Logger zerolog.Logger
}

// Channel is one bot on the loopback platform.
type Channel struct {
	opt  Options
	poll *http.Client
	send *http.Client
}

var (
	_ channels.Channel  = (*Channel)(nil)
	_ channels.Buttoner = (*Channel)(nil)
)

// New returns a channel that is not running yet.
func New(opt Options) *Channel {
	opt = opt.withDefaults()
	return &Channel{
		opt:  opt,
		poll: newClient(opt.PollTimeout+pollGrace, 1),
		send: newClient(opt.SendTimeout, opt.MaxConns),
	}
}

func (o Options) withDefaults() Options {
	if o.Account == "" {
		o.Account = "bot"
	}
	o.PollTimeout = orDefault(o.PollTimeout, 25*time.Second)
	o.SendTimeout = orDefault(o.SendTimeout, 10*time.Second)
	o.MinPause = orDefault(o.MinPause, 100*time.Millisecond)
	o.MaxPause = orDefault(o.MaxPause, 5*time.Second)
	o.MaxConns = orDefault(o.MaxConns, 32)
	o.Limits.MaxLen = orDefault(o.Limits.MaxLen, 4096)
	return o
}

func orDefault[T int | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}

// newClient has a transport of its own, so that sends that hang do not keep a poll
// waiting.
func newClient(timeout time.Duration, conns int) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			MaxConnsPerHost:     conns,
			MaxIdleConnsPerHost: conns,
			IdleConnTimeout:     30 * time.Second,
			DisableCompression:  true,
		},
	}
}

// Name implements [channels.Channel].
func (c *Channel) Name() string { return Name }

// Account implements [channels.Channel].
func (c *Channel) Account() string { return c.opt.Account }

// Limits implements [channels.Channel].
func (c *Channel) Limits() channels.Limits { return c.opt.Limits }

// Buttons implements [channels.Buttoner].
func (c *Channel) Buttons(channels.Address) bool { return true }

// Run implements [channels.Channel]. Everything that goes wrong is tried again
// from the stored position, after a pause that grows.
func (c *Channel) Run(ctx context.Context, in *channels.Ingress) error {
	defer c.poll.CloseIdleConnections()
	pause := c.opt.MinPause
	for {
		err := c.follow(ctx, in, func() { pause = c.opt.MinPause })
		if ctx.Err() != nil {
			return nil // updates that were not stored come again
		}
		c.opt.Logger.Warn().Err(err).Str("account", c.opt.Account).Dur("pause", pause).Msg("poll failed")
		if !fakehttp.Pause(ctx, jitter(pause)) {
			return nil
		}
		pause = min(2*pause, c.opt.MaxPause)
	}
}

// follow polls from the stored position on, and calls ok after every delivery, until something fails.
func (c *Channel) follow(ctx context.Context, in *channels.Ingress, ok func()) error {
	cursor := Name + "/" + c.opt.Account + "/updates"
	from, err := in.Position(ctx, cursor)
	if err != nil {
		return fmt.Errorf("read position: %w", err)
	}
	confirms := false
	for {
		updates, err := c.getUpdates(ctx, from)
		if err != nil {
			return err
		}
		if confirms {
			failpoint.Hit("P3")
		}
		ok()
		if confirms = len(updates) > 0; !confirms {
			continue
		}
		to := strconv.FormatInt(updates[len(updates)-1].ID+1, 10)
		items := make([]channels.Inbound, len(updates))
		for i := range updates {
			items[i] = c.inbound(&updates[i])
		}
		if err := in.Deliver(ctx, items, &channels.Cursor{Name: cursor, From: from, To: to}); err != nil {
			return fmt.Errorf("deliver: %w", err)
		}
		from = to
	}
}

func (c *Channel) getUpdates(ctx context.Context, offset string) ([]Update, error) {
	if offset == "" {
		offset = "0"
	}
	secs := strconv.FormatFloat(c.opt.PollTimeout.Seconds(), 'f', -1, 64)
	url := c.opt.URL + "/updates?offset=" + offset + "&timeout=" + secs
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	resp, err := c.poll.Do(req)
	if err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := readLimited(resp.Body, maxPollBytes)
	if err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("poll: status %d", resp.StatusCode)
	}
	var u Updates
	if err := json.Unmarshal(body, &u); err != nil {
		return nil, fmt.Errorf("poll: %w", err)
	}
	return u.Updates, nil
}

func (c *Channel) inbound(u *Update) channels.Inbound {
	kind, text := channels.KindMessage, u.Text
	if u.Press != "" {
		kind, text = channels.KindButton, u.Press
	}
	return channels.Inbound{
		ID:        strconv.FormatInt(u.ID, 10),
		Kind:      kind,
		Address:   channels.Address{Channel: Name, Account: c.opt.Account, Chat: u.Chat, Thread: u.Thread},
		Sender:    channels.Sender{ID: u.Sender},
		Text:      text,
		Direct:    Direct(u.Chat),
		Mentioned: u.Mentioned,
		MessageID: u.MessageID,
		Time:      u.Time,
	}
}

// errTooLarge says that the server sent more than it ever may.
var errTooLarge = errors.New("answer is too large")

func readLimited(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = errTooLarge
	}
	return b, err
}

// jitter keeps pollers that failed together from coming back together.
func jitter(d time.Duration) time.Duration {
	return d + rand.N(d/4+1) //nolint:gosec // spreads load; no secret depends on it
}

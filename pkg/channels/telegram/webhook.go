package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/internal/failpoint"
	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

const (
	secretHeader = "X-Telegram-Bot-Api-Secret-Token" //nolint:gosec // the name of a header
	// That is far beyond what Telegram sends; what is larger is never read.
	maxUpdate = 4 << 20
	// How many updates Telegram sends at once, and how many are worked on.
	hookConns = 40
	maxHooks  = 64
	// How long an update waits for the bot's name where it matters.
	nameWait = 5 * time.Second
)

// serve takes updates in over HTTP until ctx ends. An address that cannot be had
// is tried again.
func (c *Channel) serve(ctx context.Context, in *channels.Ingress) {
	pause := newPauses(time.Second)
	for {
		err := c.listen(ctx, in)
		if ctx.Err() != nil {
			return
		}
		c.ail(err)
		wait := pause.after(err)
		c.log.Error().Err(err).Dur("pause", wait).Msg("the webhook's address cannot be listened on")
		if !wire.Sleep(ctx, wait) {
			return
		}
	}
}

func (c *Channel) listen(ctx context.Context, in *channels.Ingress) error {
	public, err := url.Parse(c.opt.Webhook.PublicURL)
	if err != nil {
		return errors.New("the public URL cannot be read")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	h := &hook{Channel: c, in: in, path: public.Path, slots: make(chan struct{}, maxHooks)}
	h.pressed = func(callback string) { c.answer(ctx, callback) }
	if h.path == "" {
		h.path = "/"
	}
	server := wire.Server{
		Listen: c.opt.Webhook.Listen, Handler: h, TrustedProxies: c.opt.Webhook.TrustedProxies, Log: c.log,
		Started: func(net.Addr) { c.work.Go(func() { c.setWebhook(ctx) }) },
	}
	return server.Serve(ctx)
}

// errAddress says what an operator can do about a webhook that Telegram refuses.
var errAddress = errors.New("the webhook's address is refused by Telegram: write as webhook.public_url an https address that Telegram reaches " +
	"from outside, on port 443, 80, 88 or 8443, and start the gateway again; or take webhook out to poll")

// setWebhook tells Telegram where we are. It stays set when the channel stops:
// Telegram keeps what it cannot deliver.
func (c *Channel) setWebhook(ctx context.Context) {
	pause := newPauses(time.Second)
	for {
		err := c.client.call(ctx, "setWebhook", tgbotapi.Params{
			"url":             c.opt.Webhook.PublicURL,
			"secret_token":    c.opt.Webhook.Secret(),
			"max_connections": strconv.Itoa(hookConns),
			"allowed_updates": allowedUpdates,
		}, nil)
		if err == nil {
			c.recovered()
			return
		}
		if ctx.Err() != nil {
			return
		}
		err = c.confirm(ctx, err)
		if ae, ok := errors.AsType[*apiError](err); ok && ae.Code == http.StatusBadRequest {
			err = fmt.Errorf("%w (%w)", errAddress, err)
		}
		wait := pause.after(err)
		c.interrupted(err, wait, "the webhook is not set yet")
		if !wire.Sleep(ctx, wait) {
			return
		}
	}
}

// hook answers Telegram's calls.
type hook struct {
	*Channel
	in    *channels.Ingress
	path  string
	slots chan struct{}
	// pressed answers a button press, which outlives the call that told it.
	pressed func(callback string)
}

// ServeHTTP looks at the secret before it reads a byte of the body, and answers
// 200 only when the update is stored or never can be.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	switch {
	case r.URL.Path != h.path:
		status = http.StatusNotFound
	case !h.knows(r.Header.Values(secretHeader)):
		status = http.StatusUnauthorized
	case r.Method != http.MethodPost:
		status = http.StatusMethodNotAllowed
	}
	if status != http.StatusOK {
		wire.Refuse(w, status)
		return
	}
	wire.Proven(r) // Telegram alone knows the secret
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		wire.Later(w)
		return
	}
	h.receive(w, r)
}

// knows compares in constant time, whatever the lengths. There is one secret or none.
func (h *hook) knows(given []string) bool {
	if len(given) != 1 {
		return false
	}
	want, got := sha256.Sum256([]byte(h.opt.Webhook.Secret())), sha256.Sum256([]byte(given[0]))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

func (h *hook) receive(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpdate))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		h.log.Error().Msg("an update is too large: it is skipped")
		return // 200: it would come for ever
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ctx := r.Context()
	ev := h.read(raw, h.me.read())
	if ev.needsName {
		waiting, cancel := context.WithTimeout(ctx, nameWait)
		defer cancel()
		if h.me.wait(waiting) != nil {
			wire.Later(w)
			return
		}
		ev = h.read(raw, h.me.read())
	}
	if err := h.keep(ctx, ev); err != nil {
		h.ail(err)
		h.log.Error().Err(err).Msg("what arrived is not stored: Telegram will send it again")
		wire.Later(w)
		return
	}
	h.recovered()
	w.WriteHeader(http.StatusOK)
	failpoint.Hit("P3")
}

// keep stores one update.
func (h *hook) keep(ctx context.Context, ev *event) error {
	if ev.moved != nil && h.opt.Moved != nil {
		if err := h.opt.Moved(ctx, h.chat(ev.moved.from), h.chat(ev.moved.to)); err != nil {
			return err
		}
	}
	h.keepUnread(ev)
	if ev.item != nil {
		in := ev.inbound()
		in.Group = ev.album().group // the store joins the parts: the next comes when this one is confirmed
		if err := h.in.Deliver(ctx, []channels.Inbound{in}, nil); err != nil {
			return err
		}
	}
	if ev.callback != "" {
		h.pressed(ev.callback)
	}
	return nil
}

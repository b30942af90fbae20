package inbound

import (
	"cmp"
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
	"sync"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/update"
	"parley/pkg/channels/wire"
)

const (
	secretHeader = "X-Telegram-Bot-Api-Secret-Token" //nolint:gosec // the name of a header
	// That is far beyond Telegram's updates; a larger body is not read.
	maxUpdate = 4 << 20
	// How many updates Telegram sends at once, and how many are worked on.
	hookConns = 40
	maxHooks  = 64
	// How long an update waits for the bot's name where it matters.
	nameWait = 5 * time.Second
)

// errAddress names the cure for a webhook that Telegram refuses.
var errAddress = errors.New("the webhook's address is refused by Telegram: " +
	"write as webhook.public_url an https address that Telegram reaches from outside, on port 443, 80, 88 or 8443, and start " +
	"the gateway again; or take webhook out to poll")

// hook answers Telegram's calls.
type hook struct {
	opt    Webhook
	client *api.Client
	intake *intake
	status *status
	log    zerolog.Logger
	work   *sync.WaitGroup
	path   string
	slots  chan struct{}
	// pressed answers a button press, which outlives the call that told it.
	pressed func(callback string)
}

// run takes updates in over HTTP until ctx ends. An address that cannot be had
// is tried again.
func (h *hook) run(ctx context.Context) {
	pauses := wire.NewPauses(time.Second, maxPause)
	for {
		err := h.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		h.status.fails(err)
		wait := after(pauses, err)
		h.log.Error().Err(err).Dur("pause", wait).Msg("the webhook's address cannot be listened on")
		if !backoff.Sleep(ctx, wait) {
			return
		}
	}
}

func (h *hook) listen(ctx context.Context) error {
	public, err := url.Parse(h.opt.PublicURL)
	if err != nil {
		return errors.New("the public URL cannot be read")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	h.path, h.slots = cmp.Or(public.Path, "/"), make(chan struct{}, maxHooks)
	h.pressed = func(callback string) { h.intake.presses.answer(ctx, callback) }
	started := func(net.Addr) { h.work.Go(func() { h.setWebhook(ctx) }) }
	if h.opt.Serve != nil {
		return h.opt.Serve(ctx, h, started)
	}
	server := wire.Server{Listen: h.opt.Listen, Handler: h, TrustedProxies: h.opt.TrustedProxies, Log: h.log, Started: started}
	return server.Serve(ctx)
}

// setWebhook tells Telegram where we are. It stays set when the channel stops: Telegram
// keeps the updates that it cannot deliver.
func (h *hook) setWebhook(ctx context.Context) {
	pauses := wire.NewPauses(time.Second, maxPause)
	for {
		err := h.client.Call(ctx, "setWebhook", tgbotapi.Params{
			"url":             h.opt.PublicURL,
			"secret_token":    h.opt.Secret(),
			"max_connections": strconv.Itoa(hookConns),
			"allowed_updates": allowedUpdates,
		}, nil)
		if err == nil {
			h.status.works()
			return
		}
		if ctx.Err() != nil {
			return
		}
		err = confirm(ctx, h.client, err)
		if ae, ok := errors.AsType[*api.Error](err); ok && ae.Code == http.StatusBadRequest {
			err = fmt.Errorf("%w (%w)", errAddress, err)
		}
		wait := after(pauses, err)
		h.status.interrupted(err, wait, "the webhook is not set yet")
		if !backoff.Sleep(ctx, wait) {
			return
		}
	}
}

// ServeHTTP looks at the secret before it reads a byte of the body, and answers 200
// only when the update is stored or can be skipped for good.
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

// knows compares in constant time, whatever the lengths. A call has at most one secret.
func (h *hook) knows(given []string) bool {
	if len(given) != 1 {
		return false
	}
	want, got := sha256.Sum256([]byte(h.opt.Secret())), sha256.Sum256([]byte(given[0]))
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
	ev := h.intake.read(raw, h.intake.me.read())
	if ev.NeedsName {
		waiting, cancel := context.WithTimeout(ctx, nameWait)
		defer cancel()
		if h.intake.me.wait(waiting) != nil {
			wire.Later(w)
			return
		}
		ev = h.intake.read(raw, h.intake.me.read())
	}
	if err := h.keep(ctx, ev); err != nil {
		h.status.fails(err)
		h.log.Error().Err(err).Msg("what arrived is not stored: Telegram will send it again")
		wire.Later(w)
		return
	}
	h.status.works()
	w.WriteHeader(http.StatusOK)
	failpoint.Hit("P3")
}

// keep stores one update.
func (h *hook) keep(ctx context.Context, ev *update.Event) error {
	if ev.Moved != nil {
		if err := h.intake.move(ctx, ev.Moved); err != nil {
			return err
		}
	}
	h.intake.unread.Keep(ev.Unread, ev.Raw)
	if ev.Item != nil {
		in := ev.Inbound()
		in.Group = ev.Album().Group // the store joins the parts: the next comes when this one is confirmed
		if err := h.intake.in.Deliver(ctx, []channels.Inbound{in}, nil); err != nil {
			return err
		}
	}
	if ev.Callback != "" {
		h.pressed(ev.Callback)
	}
	return nil
}

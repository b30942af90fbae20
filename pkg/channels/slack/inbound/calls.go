package inbound

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/slack/event"
	"parley/pkg/channels/wire"
)

// The limits and headers of a call over HTTP
// (docs.slack.dev/authentication/verifying-requests-from-slack).
const (
	// EventsPath is the path of a call.
	EventsPath = "/slack/events"

	signatureHeader = "X-Slack-Signature"
	timeHeader      = "X-Slack-Request-Timestamp"
	signatureAge    = 5 * time.Minute
	// That is far beyond Slack's calls; a larger body is not read.
	maxCall = 4 << 20
	// How many calls are worked on at once, and how long a call may take to bring its
	// body: a stranger's cannot be told from Slack's before.
	maxCalls = 64
	bodyWait = 3 * time.Second
	// Larger than Slack's calls mostly are. A call that is larger still, or does not tell
	// its size, shares few places: strangers must not fill the memory.
	smallCall = 64 << 10
	// How long a call waits for the commit; Slack gives it 3 s.
	commitWait = 2500 * time.Millisecond
)

// hook answers Slack's calls.
type hook struct {
	opt    Calls
	reader *reader
	to     *intake
	status *status
	log    zerolog.Logger
	slots  chan struct{}
}

// run takes events in over HTTP until ctx ends. Where the address cannot be had, it
// tries again.
func (h *hook) run(ctx context.Context) {
	h.slots = make(chan struct{}, maxCalls)
	pauses := backoff.New(minPause, maxPause)
	for {
		err := h.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		h.status.fails(linking, channels.HealthDegraded, err.Error())
		wait := backoff.Spread(pauses.Next())
		h.log.Error().Err(err).Dur("pause", wait).Msg("the address for events cannot be listened on")
		if !backoff.Sleep(ctx, wait) {
			return
		}
	}
}

func (h *hook) listen(ctx context.Context) error {
	started := func(net.Addr) { h.status.works(linking) }
	if h.opt.Serve != nil {
		return h.opt.Serve(ctx, h, started)
	}
	server := wire.Server{Listen: h.opt.Listen, Handler: h, TrustedProxies: h.opt.TrustedProxies, Log: h.log, Started: started}
	return server.Serve(ctx)
}

// ServeHTTP reads a call that may be Slack's, believes it if it is signed, and answers
// 200 only when its event is stored or can be skipped for good.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	switch {
	case r.URL.Path != EventsPath:
		status = http.StatusNotFound
	case r.Method != http.MethodPost:
		status = http.StatusMethodNotAllowed
	case len(r.Header.Values(signatureHeader)) != 1 || !fresh(r.Header.Values(timeHeader)):
		status = http.StatusUnauthorized
	case r.ContentLength > maxCall:
		status = http.StatusRequestEntityTooLarge
	}
	if status != http.StatusOK {
		wire.Refuse(w, status)
		return
	}
	body, status := readCall(w, r)
	switch {
	case status != http.StatusOK:
		wire.Refuse(w, status)
	case !h.signed(r.Header.Get(signatureHeader), r.Header.Get(timeHeader), body):
		wire.Refuse(w, http.StatusUnauthorized)
	default:
		wire.Proven(r)
		h.receive(w, r, body)
	}
}

// fresh says that a call tells its time once, and that it is now. Slack's clock and
// ours may differ by five minutes, in both directions.
func fresh(told []string) bool {
	if len(told) != 1 {
		return false
	}
	at, err := strconv.ParseInt(told[0], 10, 64)
	if err != nil || strconv.FormatInt(at, 10) != told[0] {
		return false
	}
	return time.Since(time.Unix(at, 0)).Abs() <= signatureAge
}

// readCall reads a call's body, within bounds of size and time; the server bounds
// their number.
func readCall(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	if r.ContentLength < 0 || r.ContentLength > smallCall {
		wire.Large(r)
	}
	// Where the connection has no deadlines, the server's own holds.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyWait))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return nil, http.StatusBadRequest
	}
	return body, http.StatusOK
}

// signed compares the signature of a call in constant time.
func (h *hook) signed(signature, at string, body []byte) bool {
	mac := hmac.New(sha256.New, []byte(h.opt.SigningSecret()))
	mac.Write([]byte("v0:" + at + ":"))
	mac.Write(body)
	want := "v0=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(want), []byte(signature))
}

// receive takes a call that is Slack's.
func (h *hook) receive(w http.ResponseWriter, r *http.Request, body []byte) {
	envelopeType, payload := event.OpenCall(r.Header.Get("Content-Type"), body)
	if challenge, asked := event.Challenge(envelopeType, payload); asked {
		h.challenged(w, challenge)
		return
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		wire.Later(w)
		return
	}
	ev := h.reader.payload(envelopeType, payload)
	ctx, cancel := context.WithTimeout(r.Context(), commitWait)
	defer cancel()
	told := make(chan bool, 1)
	h.to.take(ctx, ev, func(stored bool) {
		select {
		case told <- stored:
		default: // it was told before
		}
	})
	select {
	case stored := <-told:
		if stored {
			h.answered(w, ev)
			return
		}
	case <-ctx.Done():
	}
	wire.Later(w)
}

// answered says that an event is stored.
func (h *hook) answered(w http.ResponseWriter, ev *event.Event) {
	if ev.Answer != nil {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(http.StatusOK)
	if _, err := w.Write(ev.Answer); err != nil { //nolint:gosec // a constant of package event
		h.log.Debug().Err(err).Msg("a call was not there any more when it was answered")
	}
	failpoint.Hit("P3")
}

// challenged answers Slack's question whether it has reached the app.
func (h *hook) challenged(w http.ResponseWriter, challenge string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if _, err := io.WriteString(w, challenge); err != nil { //nolint:gosec // plain text, without content sniffing, to Slack alone
		h.log.Debug().Err(err).Msg("Slack's question is not answered")
	}
}

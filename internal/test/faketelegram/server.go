package faketelegram

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/test/fakehttp"
)

// Options shape a [Server]. Zero values have defaults.
type Options struct {
	// Addr is where it listens; default 127.0.0.1 on a free port.
	Addr string
	// Listener, when set, is the listener in place of its own; it closes it.
	Listener net.Listener
	// Limits are the sending rates; the zero value is no limit.
	Limits Limits
	// MaxPoll bounds how long a poll is held, whatever the bot asks for; 0 means
	// the Bot API's 50 s.
	MaxPoll time.Duration
	// WebhookRetry is the first pause after a failed webhook delivery; it doubles
	// up to a minute. Default 50 ms.
	WebhookRetry time.Duration
	// Handed, when set, is told of each update when a poll first gets it. It must
	// not call the server.
	Handed func(update json.RawMessage)
}

// Server is the platform. It has one bot from the start; see [Server.AddBot].
type Server struct {
	*fakehttp.Ledger[Request]

	opt      Options
	http     *fakehttp.Server
	methods  map[string]*Method // by name in lower case
	handlers map[string]handler
	cancel   context.CancelFunc                // ends the webhooks
	spawn    func(f func(ctx context.Context)) // runs f until cancel; Close waits for it
	running  sync.WaitGroup
	changed  fakehttp.Changes // tells of everything that happens

	mu     sync.Mutex
	bots   []*Bot
	users  map[int64]User
	nextID int64 // of users and chats
	files  map[string]*file
	told   map[lane]wait
	rules  *fakehttp.Rules[Request, Fault]
	// callbacks are the answers to presses.
	callbacks []Callback
}

// Start starts a server that ends with Close; ctx bounds the start and the
// deliveries to webhooks.
func Start(ctx context.Context, opt Options) (*Server, error) {
	if opt.WebhookRetry == 0 {
		opt.WebhookRetry = 50 * time.Millisecond
	}
	live, cancel := context.WithCancel(ctx)
	s := &Server{
		opt: opt, methods: map[string]*Method{}, handlers: handlers(),
		cancel: cancel, nextID: 1000, users: map[int64]User{}, told: map[lane]wait{},
		files: map[string]*file{},
	}
	s.rules = fakehttp.NewRules[Request, Fault](&s.mu)
	s.Ledger = fakehttp.NewLedger(&s.mu, &s.changed, func(r *Request) string { return r.Method })
	s.spawn = func(f func(ctx context.Context)) { s.running.Go(func() { f(live) }) }
	for _, m := range Methods() {
		s.methods[strings.ToLower(m.Name)] = &m
	}
	s.AddBot("parley_test_bot")
	if opt.Listener != nil {
		s.http = fakehttp.Serve(opt.Listener, http.HandlerFunc(s.serve))
		return s, nil
	}
	var err error
	if s.http, err = fakehttp.Start(ctx, opt.Addr, http.HandlerFunc(s.serve)); err != nil {
		cancel()
		return nil, err
	}
	return s, nil
}

// New starts a server for a test. It is closed at the end of the test, which
// fails if there were violations.
func New(tb testing.TB, opts ...Options) *Server {
	tb.Helper()
	var opt Options
	if len(opts) > 0 {
		opt = opts[0]
	}
	s, err := Start(context.WithoutCancel(tb.Context()), opt)
	if err != nil {
		tb.Fatal(err)
	}
	fakehttp.CloseAfter(tb, s, "the Bot API")
	return s
}

// Close ends the server, its webhooks and every connection.
func (s *Server) Close() error {
	s.mu.Lock()
	s.spawn = func(func(context.Context)) {}
	s.mu.Unlock()
	s.cancel()
	err := s.http.Close()
	s.running.Wait()
	return err
}

// URL is the base that takes the place of https://api.telegram.org.
func (s *Server) URL() string { return s.http.URL() }

// Drained waits until everything had its effect that a process wrote which has ended.
func (s *Server) Drained(ctx context.Context) error { return s.http.Drained(ctx) }

// Until waits until cond holds. It is looked at again whenever something
// happened; it may call the server's other methods.
func (s *Server) Until(ctx context.Context, cond func() bool) error {
	return s.changed.Until(ctx, cond)
}

// serve answers everything that comes in.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if rest, ok := strings.CutPrefix(r.URL.Path, "/file/bot"); ok {
		s.download(w, r, rest)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/bot")
	token, name, found := strings.Cut(rest, "/")
	if !ok || !found || !tokenShaped(token) {
		refuse(w, &refusal{Code: http.StatusNotFound, Description: wordNotFound})
		return
	}
	bot := s.botOf(token)
	if bot == nil {
		refuse(w, &refusal{Code: http.StatusUnauthorized, Description: wordUnauthorized})
		return
	}
	params, files, err := readParams(r)
	if errors.Is(err, errTooLarge) {
		refuse(w, &refusal{Code: http.StatusRequestEntityTooLarge, Description: wordEntityTooLong})
		return
	}
	if errors.Is(err, errGone) {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		s.violation(name + ": " + err.Error())
		refuse(w, bad("can't parse request"))
		return
	}
	m := s.methods[strings.ToLower(name)]
	if m == nil {
		s.violation("unknown method " + name)
		refuse(w, &refusal{Code: http.StatusNotFound, Description: wordNoMethod})
		return
	}
	for _, wrong := range m.check(params, files) {
		s.violation(wrong)
	}
	c := &call{srv: s, bot: bot, req: &Request{
		Bot: bot.user.ID, Method: m.Name, Params: params, Files: files, Time: time.Now(),
	}}
	c.req.Chat = c.req.Int("chat_id")
	s.answer(w, r, c)
}

// begin books a request and lets the rules harm it; ok says that it is to have an effect.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, req *Request) (fault Fault, ok bool) {
	fault = s.book(req)
	if !fakehttp.Pause(r.Context(), fault.Delay) {
		s.answered(req, 0, "")
		return fault, false
	}
	if fault.prevents() {
		s.refused(req, fault.refusal())
		fault.instead(w, r)
		return fault, false
	}
	return fault, true
}

// answer handles a request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c *call) {
	fault, ok := s.begin(w, r, c.req)
	if !ok {
		return
	}
	result, err := s.handlers[strings.ToLower(c.req.Method)](r.Context(), c)
	if fault.DropAfter {
		s.answered(c.req, 0, "")
		panic(http.ErrAbortHandler)
	}
	if !fakehttp.Pause(r.Context(), fault.Hold) {
		return
	}
	var no *refusal
	switch {
	case errors.Is(err, context.Canceled): // the client has gone
		s.answered(c.req, 0, "")
	case errors.As(err, &no):
		s.refused(c.req, no)
		refuse(w, no)
	case err != nil:
		s.violation(c.req.Method + ": " + err.Error())
		refuse(w, &refusal{Code: http.StatusInternalServerError, Description: "Internal Server Error"})
	default:
		s.answered(c.req, http.StatusOK, "")
		fakehttp.WriteJSON(w, http.StatusOK, map[string]any{"ok": true, "result": result}, fault.Cut)
	}
}

func refuse(w http.ResponseWriter, r *refusal) {
	answer := map[string]any{"ok": false, "error_code": r.Code, "description": r.Description}
	extra := map[string]any{}
	if r.RetryAfter > 0 {
		extra["retry_after"] = r.RetryAfter
		w.Header().Set("Retry-After", strconv.Itoa(r.RetryAfter))
	}
	if r.MigrateTo != 0 {
		extra["migrate_to_chat_id"] = r.MigrateTo
	}
	if len(extra) > 0 {
		answer["parameters"] = extra
	}
	fakehttp.WriteJSON(w, r.Code, answer, 0)
}

package fakeslack

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/test/fakehttp"
)

// Options shape a [Server]. Zero values have defaults.
type Options struct {
	// Addr is where it listens; default 127.0.0.1 on a free port.
	Addr string
	// Listener, when set, is the listener in place of its own; it closes it.
	Listener net.Listener
	// Team is the workspace's id; default T0PARLEY01.
	Team string
	// AckWait is how long a copy of an envelope waits for its acknowledgement before
	// it comes again; default Slack's 3 s.
	AckWait time.Duration
	// Retries bounds how often an event comes again through a socket; 0 sets no bound.
	Retries int
	// PushRetries are the pauses before an event is pushed again over HTTP; default
	// Slack's: 0, 1 min, 5 min.
	PushRetries []time.Duration
	// Ping is the pause between two pings, default 10 s, and PingWait how long a
	// socket may leave them unanswered before it is dropped, default 30 s.
	Ping, PingWait time.Duration
	// Linger passes between a disconnect frame and the end of its socket; default
	// 300 ms. Slack's own warning comes some 10 s ahead.
	Linger time.Duration
	// StreamIdle is the longest silence of a stream before it ends by itself and takes
	// no further text; default 5 min. Slack does not say how long; such streams were
	// seen to be over after five minutes.
	StreamIdle time.Duration
	// Limits are the posting rates; the zero value is no limit.
	Limits Limits
	// NoEcho keeps the bot's posts from coming back to it as events.
	NoEcho bool
	// MentionFirst delivers the app_mention of a post before its message.
	MentionFirst bool
	// Handed, when set, is told of each envelope's payload when its first copy is
	// written to a socket or pushed. It must not call the server.
	Handed func(payload json.RawMessage)
}

func (o Options) withDefaults() Options {
	if o.Team == "" {
		o.Team = "T0PARLEY01"
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&o.AckWait, 3 * time.Second},
		{&o.Ping, 10 * time.Second},
		{&o.PingWait, 30 * time.Second},
		{&o.StreamIdle, 5 * time.Minute},
		{&o.Linger, 300 * time.Millisecond},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if o.PushRetries == nil {
		o.PushRetries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	return o
}

// Server is the platform: one workspace with one app.
type Server struct {
	*fakehttp.Ledger[Request]

	opt     Options
	http    *fakehttp.Server
	pushes  *http.Client
	methods map[string]*method
	cancel  context.CancelFunc                // ends the goroutines
	spawn   func(f func(ctx context.Context)) // runs f until cancel; Close waits for it
	running sync.WaitGroup
	changed fakehttp.Changes // tells of everything that happens

	mu       sync.Mutex
	bot      *User
	users    map[string]*User
	rooms    map[string]*room
	files    map[string]*file
	notified []string
	last     int64 // microseconds of the last ts
	next     int   // of ids
	told     map[lane]wait
	rules    *fakehttp.Rules[Request, Fault]
	hub      hub
}

// Start starts a server that ends with Close; ctx bounds the start and everything
// that the server does by itself.
func Start(ctx context.Context, opt Options) (*Server, error) {
	opt = opt.withDefaults()
	live, cancel := context.WithCancel(ctx)
	s := &Server{
		opt: opt, methods: methods(), cancel: cancel, pushes: newPushClient(),
		users: map[string]*User{}, rooms: map[string]*room{}, files: map[string]*file{},
		told: map[lane]wait{},
		hub: hub{
			tickets: map[string]bool{}, refusals: map[string]int{},
			settled: map[string]outcome{}, conns: map[*websocket.Conn]bool{},
		},
	}
	s.rules = fakehttp.NewRules[Request, Fault](&s.mu)
	s.Ledger = fakehttp.NewLedger(&s.mu, &s.changed, func(r *Request) string { return r.Method })
	s.bot = s.newUser("parley", opt.Team)
	s.spawn = func(f func(ctx context.Context)) { s.running.Go(func() { f(live) }) }
	s.spawn(s.redeliver)
	if opt.Listener != nil {
		s.http = fakehttp.Serve(opt.Listener, http.HandlerFunc(s.serve))
		return s, nil
	}
	var err error
	if s.http, err = fakehttp.Start(ctx, opt.Addr, http.HandlerFunc(s.serve)); err != nil {
		cancel()
		s.running.Wait()
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
	fakehttp.CloseAfter(tb, s, "Slack's rules")
	return s
}

// Close ends the server, its sockets and every connection. A second call has no effect.
func (s *Server) Close() error {
	s.mu.Lock()
	s.spawn = func(func(context.Context)) {}
	s.mu.Unlock()
	s.cancel()
	err := s.http.Close()
	s.hangUp()
	s.running.Wait()
	s.pushes.CloseIdleConnections()
	return err
}

// URL is the base that takes the place of https://slack.com/api/; it ends in /api/.
func (s *Server) URL() string { return s.http.URL() + "/api/" }

// BotToken is the token for every method but apps.connections.open.
func (s *Server) BotToken() string { return "xoxb-" + strings.Repeat("fake-", 4) + "bot" }

// AppToken is the token for apps.connections.open alone.
func (s *Server) AppToken() string { return "xapp-" + strings.Repeat("fake-", 4) + "app" }

// SigningSecret is the secret of the signatures of pushed requests.
func (s *Server) SigningSecret() string { return strings.Repeat("5ec4e7", 5) }

// Identity is the answer of auth.test: the ids of the workspace, of the bot as a user,
// and of the bot.
func (s *Server) Identity() (team, botUser, bot string) { return s.opt.Team, s.bot.ID, botID }

// Mention is the text that mentions the bot.
func (s *Server) Mention() string { return "<@" + s.bot.ID + ">" }

// Drained waits until everything had its effect that a process wrote which has
// ended: its requests and its acknowledgements.
func (s *Server) Drained(ctx context.Context) error {
	if err := s.http.Drained(ctx); err != nil {
		return err
	}
	return s.Until(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.hub.open == 0
	})
}

// Until waits until cond holds. It is looked at again whenever something
// happened; it may call the server's other methods.
func (s *Server) Until(ctx context.Context, cond func() bool) error {
	return s.changed.Until(ctx, cond)
}

// serve answers everything that comes in.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == linkPath {
		s.link(w, r)
		return
	}
	for prefix, answer := range map[string]func(http.ResponseWriter, *http.Request, string){
		"/api/": s.api, uploadPath: s.upload, downloadPath: s.download, respondPath: s.respond,
	} {
		if rest, ok := strings.CutPrefix(r.URL.Path, prefix); ok {
			answer(w, r, rest)
			return
		}
	}
	if r.URL.Path == "/" && r.Method == http.MethodGet { // a page for people
		return
	}
	s.violation("nothing is at " + r.URL.Path)
	http.NotFound(w, r)
}

package httpd

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"parley/pkg/channels/wire"
)

// maxConns is how many connections the server keeps: streams last.
const maxConns = 2048

// Options are the parts of a [Server].
type Options struct {
	// Listen is the local address, HOST:PORT.
	Listen string
	// Public are the addresses under which clients reach the server from outside.
	Public []*url.URL
	// TrustedProxies are the addresses with a trusted header X-Forwarded-For, which names
	// a client for the share of connections and gives no rights.
	TrustedProxies []netip.Prefix
	Keyring        Keyring
	// Healthy and Ready answer the probes.
	Healthy, Ready func(context.Context) State
	// Rest, if it is not nil, gives memory back that the requests of many streams took.
	Rest func()
	Log  zerolog.Logger
}

// Server answers at one address. [New] makes it; routes may be added at any time.
type Server struct {
	opt Options
	mux *http.ServeMux
	// streams are the streams of each person, plain all other requests.
	streams, plain shares
	// left are the requests under way whose connections the server does not have any more.
	left sync.WaitGroup
	// crowd are the streams that wait without their requests.
	crowd crowd

	mu     sync.RWMutex
	routes map[string]*Route

	// names are known once the server listens: the port may be chosen then.
	names atomic.Pointer[names]
	// ctx is that of Serve, and nil before.
	ctx context.Context //nolint:containedctx // the streams that go on without their requests end with it
	// listens is closed then.
	listens chan struct{}
	once    sync.Once
}

// names are the port and the hosts of a server that listens.
type names struct {
	port  string
	hosts hosts
}

// New makes a server with the addresses for probes.
func New(o Options) *Server {
	s := &Server{opt: o, mux: http.NewServeMux(), routes: map[string]*Route{}, listens: make(chan struct{}), crowd: crowd{rest: o.Rest}}
	_, port, _ := net.SplitHostPort(o.Listen)
	s.name(port)
	s.probes()
	return s
}

func (s *Server) name(port string) {
	s.names.Store(&names{port: port, hosts: newHosts(port, s.opt.Public)})
}

func (s *Server) hosts() hosts { return s.names.Load().hosts }

func (s *Server) port() string { return s.names.Load().port }

// Address is the one that people are told: the first public one, or that of this machine.
func (s *Server) Address() string {
	if len(s.opt.Public) > 0 {
		u := s.opt.Public[0]
		return u.Scheme + "://" + u.Host
	}
	host, _, _ := net.SplitHostPort(s.opt.Listen)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, s.port())
}

// Handle adds a route. It panics where [http.ServeMux] does: for a pattern that cannot be
// read, or that clashes with another.
func (s *Server) Handle(at Route) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mux.Handle(at.Pattern, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, &at) }))
	s.routes[at.Pattern] = &at
}

// Routes are the routes of the server, in the order of their patterns.
func (s *Server) Routes() []Route {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []Route
	for _, pattern := range slices.Sorted(maps.Keys(s.routes)) {
		all = append(all, *s.routes[pattern])
	}
	return all
}

// Serve answers until ctx ends, and says why it cannot. Started is called once the server
// listens. The contexts of requests end with ctx.
func (s *Server) Serve(ctx context.Context, started func(net.Addr)) error {
	s.ctx = ctx
	server := wire.Server{
		Listen: s.opt.Listen, Handler: s, TrustedProxies: s.opt.TrustedProxies, MaxConns: maxConns, Log: s.opt.Log,
		Started: func(at net.Addr) {
			if _, port, err := net.SplitHostPort(at.String()); err == nil {
				s.name(port)
			}
			s.once.Do(func() { close(s.listens) })
			started(at)
		},
	}
	err := server.Serve(ctx)
	s.left.Wait() // a WebSocket says goodbye
	s.crowd.end()
	return err
}

// ServeHTTP leads a request through the guard to its route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own := &answer{ResponseWriter: w, leaves: &s.left}
	w = own
	defer own.end()
	defer s.recovered(w, r)
	secure(w.Header())
	body := bodyOf(r)
	if _, pattern := s.mux.Handler(r); s.route(pattern) == nil || !clean(r.URL.Path) {
		s.astray(w, r)
	} else {
		s.mux.ServeHTTP(w, r)
	}
	own.sendAll(r, body)
}

// clean says that a path is written in one way: the mux would redirect others before the
// guard sees them.
func clean(p string) bool {
	c := path.Clean(p)
	return p == c || p == c+"/"
}

func (s *Server) route(pattern string) *Route {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.routes[pattern]
}

// astray answers a request without a route: 405 where another method has one.
func (s *Server) astray(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if _, known := s.hosts().origin(r.Host); !known {
		Refuse(w, *refused(http.StatusMisdirectedRequest, "unknown_host", textHost))
		return
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); s.route(pattern) != nil && clean(r.URL.Path) {
			w.Header().Add("Allow", method)
		}
	}
	if w.Header().Get("Allow") != "" {
		Refuse(w, *refused(http.StatusMethodNotAllowed, "method_not_allowed", textMethod))
		return
	}
	Refuse(w, *refused(http.StatusNotFound, "not_found", textNotFound))
}

// recovered makes an answer 500 of a panic. Where the answer has begun, the connection
// breaks, so that half an answer is not taken for a whole one.
func (s *Server) recovered(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	s.opt.Log.Error().Interface("panic", cause).Str("method", r.Method).Str("route", r.Pattern).Bytes("stack", debug.Stack()).
		Msg("a request has made the gateway panic")
	if begun, ok := w.(*answer); ok && begun.begun {
		panic(http.ErrAbortHandler)
	}
	Refuse(w, *refused(http.StatusInternalServerError, "internal_error", textInternal))
}

package wire

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/rs/zerolog"
)

// stopGrace is how long calls under way may go on once a server is told to stop.
const stopGrace = 5 * time.Second

// Server answers a platform's calls at a local address. It speaks plain HTTP: TLS
// ends in front of it. Slow and idle callers are bounded, the size of headers too.
// It keeps at most MaxConns connections, of which 16 may send a large body: where one
// more comes, an unproven one is closed for it, and the handler tells with [Proven]
// and [Large] which ones those are. The size of bodies is the handler's to bound.
type Server struct {
	// Listen is the local address, HOST:PORT.
	Listen  string
	Handler http.Handler
	// TrustedProxies are the addresses with a trusted header X-Forwarded-For. It names
	// the client, and only clients that hold many connections lose some.
	TrustedProxies []netip.Prefix
	// MaxConns is how many connections are kept; 0 is 256.
	MaxConns int
	Log      zerolog.Logger
	// Started is called once the server listens.
	Started func(net.Addr)
}

// Serving answers a platform's calls by h until ctx ends, and says why it cannot. Started is
// called once it listens. [Server] has one, with a listener of its own; where several share
// an address, its owner gives each of them one.
type Serving func(ctx context.Context, h http.Handler, started func(net.Addr)) error

// Serve answers until ctx ends, and says why it cannot. The context of a request
// ends with ctx.
func (s *Server) Serve(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	crowd := newCrowd(listener, s)
	server := &http.Server{
		Handler:           crowd.introduce(s.Handler),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext:       withMember,
		ConnState:         crowd.changed,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		// The handler refuses OPTIONS * as it refuses all that it does not know.
		DisableGeneralOptionsHandler: true,
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		if server.Shutdown(grace) != nil {
			Drop(server)
		}
	}()
	s.Started(listener.Addr())
	err = server.Serve(crowd)
	stop()
	<-stopped
	return err
}

// Refuse answers with a status and stops reading the request.
func Refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

// Later asks a platform to call again soon.
func Later(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}

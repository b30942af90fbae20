package wire

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// stopGrace is how long calls under way may go on once a server is told to stop.
const stopGrace = 5 * time.Second

// Serve answers a platform's calls at a local address until ctx ends, and says why
// it cannot. It speaks plain HTTP: TLS ends in front of it. Slow and idle callers are
// bounded, the size of headers too; bodies and the number of calls are the handler's.
// The context of a request ends with ctx; started is called once it listens.
func Serve(ctx context.Context, listen string, h http.Handler, started func(net.Addr)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
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
	started(listener.Addr())
	err = server.Serve(listener)
	stop()
	<-stopped
	return err
}

// Refuse answers with a status and lets nothing more of the request be read.
func Refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

// Later asks a platform to call again soon.
func Later(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
}

package httpd

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"parley/pkg/channels/wire"
)

// Platform gives the calls of a platform at a path to its adapter, which would listen by
// itself otherwise. While the adapter does not run, calls are told to come again.
func (s *Server) Platform(path string) wire.Serving {
	p := &platform{}
	s.Handle(Route{Pattern: path, Access: AccessPlatform, Handler: p})
	return func(ctx context.Context, h http.Handler, started func(net.Addr)) error {
		select {
		case <-s.listens:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		p.lend(ctx, h)
		started(nil)
		<-ctx.Done()
		p.reclaim()
		return context.Cause(ctx)
	}
}

// platform hands calls to an adapter while that runs.
type platform struct {
	mu  sync.RWMutex    // held for reading during a call
	ctx context.Context //nolint:containedctx // the adapter's life
	h   http.Handler
}

// lend gives the calls to an adapter until ctx ends.
func (p *platform) lend(ctx context.Context, h http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.h = ctx, h
}

// reclaim returns when no call is with the adapter any more: their context has ended.
func (p *platform) reclaim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.h = nil, nil
}

// ServeHTTP implements [http.Handler]. The context of a call ends with its adapter too.
func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.h == nil {
		wire.Later(w)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(p.ctx, func() { //nolint:contextcheck // the call ends with its adapter too
		cancel()
		// a stranger that sends its body slowly must not hold up the end of the adapter
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(endWait))
	})()
	p.h.ServeHTTP(w, r.WithContext(ctx))
}

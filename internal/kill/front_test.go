package kill_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// front stands between the gateway and a fake platform and counts connections.
// It ends one only when the platform has: once the gateway's process has died and
// no connection is left, all that it wrote had its effect.
type front struct {
	url string
	to  string

	mu      sync.Mutex
	open    int
	changed chan struct{} // closed and replaced when open changes
}

func newFront(t *testing.T, to string) *front {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &front{url: "http://" + ln.Addr().String(), to: to, changed: make(chan struct{})}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return // the listener is closed
			}
			f.count(1)
			running.Go(func() {
				defer f.count(-1)
				f.forward(client)
			})
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		running.Wait()
	})
	return f
}

// forward passes on everything of one connection until the platform ends it.
func (f *front) forward(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", f.to)
	if err != nil {
		return // the platform is gone
	}
	defer func() { _ = server.Close() }()
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(server, client) // however it ended, this is what the client wrote
		_ = server.(*net.TCPConn).CloseWrite()
	})
	_, _ = io.Copy(client, server)     // a client that has gone reads nothing
	_, _ = io.Copy(io.Discard, server) // and what it wrote still counts
	_ = client.Close()
	up.Wait()
}

func (f *front) count(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open += n
	close(f.changed)
	f.changed = make(chan struct{})
}

// idle waits until no connection is open.
func (f *front) idle(ctx context.Context) error {
	for {
		f.mu.Lock()
		open, changed := f.open, f.changed
		f.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%d connections are open: %w", open, context.Cause(ctx))
		}
	}
}

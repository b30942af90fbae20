package httpd_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"parley/pkg/httpd"
)

// TestPlatformSharesThePort: calls come to an adapter while it runs, and are told to come
// again before and after that.
func TestPlatformSharesThePort(t *testing.T) {
	t.Parallel()
	var serve func(context.Context, http.Handler, func(net.Addr)) error
	w := newWorld(t, func(s *httpd.Server) { serve = s.Platform("/telegram") })
	resp := w.ask(http.MethodPost, "/telegram", nil)
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("before: %d", resp.StatusCode)
	}
	ctx, stop := context.WithCancel(t.Context())
	began, started, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	hook := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			close(began)
			<-r.Context().Done()
		}
		_, _ = io.WriteString(w, "hook")
	})
	go func() { ended <- serve(ctx, hook, func(net.Addr) { close(started) }) }()
	<-started
	if resp := w.ask(http.MethodPost, "/telegram", nil); resp.StatusCode != http.StatusOK {
		t.Errorf("meanwhile: %d", resp.StatusCode)
	}
	if resp := w.ask(http.MethodPost, "/telegram", func(r *http.Request) { r.Host = "evil.example" }); resp.StatusCode != 421 {
		t.Errorf("a foreign name: %d", resp.StatusCode)
	}
	answered := make(chan int, 1)
	go func() { answered <- w.ask(http.MethodPut, "/telegram", nil).StatusCode }()
	<-began
	stop()
	<-ended
	if status := <-answered; status != http.StatusOK {
		t.Errorf("a call under way at the stop: %d", status)
	}
	if resp := w.ask(http.MethodPost, "/telegram", nil); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after: %d", resp.StatusCode)
	}
}

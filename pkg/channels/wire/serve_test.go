package wire_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// served runs a server until stop, and returns its address and its result.
func served(t *testing.T, s wire.Server) (addr string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	at, done := make(chan net.Addr, 1), make(chan error, 1)
	s.Listen, s.Started = "127.0.0.1:0", func(a net.Addr) { at <- a }
	go func() { done <- s.Serve(ctx) }()
	select {
	case a := <-at:
		return a.String(), func() error { cancel(); return <-done }
	case err := <-done:
		cancel()
		t.Fatal(err)
		return "", nil
	}
}

// TestServeEndsItsRequests: one that is under way is told, and has its time to end.
func TestServeEndsItsRequests(t *testing.T) {
	t.Parallel()
	under, told := make(chan struct{}), make(chan struct{})
	addr, stop := served(t, wire.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(under)
		<-r.Context().Done()
		close(told)
		fmt.Fprint(w, "ended")
	})})
	conn := dial(t, addr)
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-under
	_ = stop()
	<-told
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // the connection is closed
	if err != nil {
		t.Fatal(err)
	}
	defer wire.Drop(resp.Body)
	if resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
	if c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr); err == nil {
		wire.Drop(c)
		t.Error("it still listens")
	}
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { wire.Drop(conn) })
	return conn
}

func TestServeBoundsHeaders(t *testing.T) {
	t.Parallel()
	reached := false
	addr, stop := served(t, wire.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })})
	conn := dial(t, addr)
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n", strings.Repeat("x", 64<<10))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // the connection is closed
	if err != nil {
		t.Fatal(err)
	}
	wire.Drop(resp.Body)
	_ = stop()
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge || reached {
		t.Errorf("status %d, reached %v", resp.StatusCode, reached)
	}
}

func TestServeSaysWhyItCannot(t *testing.T) {
	t.Parallel()
	addr, stop := served(t, wire.Server{Handler: http.NotFoundHandler()})
	second := wire.Server{Listen: addr, Handler: http.NotFoundHandler(), Started: func(net.Addr) { t.Error("it listens") }}
	err := second.Serve(t.Context())
	if err == nil || !strings.Contains(err.Error(), "listen") {
		t.Errorf("the error is %v", err)
	}
	_ = stop()
}

func TestHealthRemembersSinceWhen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := wire.NewHealth()
		<-time.After(time.Minute)
		h.Set(channels.HealthAuth, "one")
		since := time.Now()
		<-time.After(time.Minute)
		h.Set(channels.HealthAuth, "two")
		if got := h.Read(); got.State != channels.HealthAuth || got.Reason != "two" || !got.Since.Equal(since) {
			t.Errorf("it says %+v", got)
		}
	})
}

func TestPaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p wire.Paces[string]
		began := time.Now()
		for i := range 3 {
			if err := p.Wait(t.Context(), "a", time.Second, time.Minute); err != nil || time.Since(began) != time.Duration(i)*time.Second {
				t.Errorf("showing %d after %v: %v", i, time.Since(began), err)
			}
		}
		p.Hold("a", time.Hour)
		if err := p.Wait(t.Context(), "a", time.Second, time.Minute); err != wire.ErrPaused { //nolint:errorlint // it is the very one
			t.Errorf("Wait: %v", err)
		}
		if err := p.Wait(t.Context(), "b", time.Second, 0); err != nil {
			t.Errorf("another one waits: %v", err)
		}
		if left := p.Left("a"); left != time.Hour {
			t.Errorf("%v are left", left)
		}
		for i := range 10_000 {
			p.Hold(fmt.Sprint(i), time.Second)
			if i%100 == 0 {
				<-time.After(time.Minute)
			}
		}
		if n := p.Len(); n > 1000 {
			t.Errorf("%d are remembered", n)
		}
	})
}

func TestFloods(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f wire.Floods
		for i, chat := range []string{"a", "a", "b", "b", "c"} {
			if got := f.Global(chat, 10*time.Second); got != (i == 4) {
				t.Errorf("refusal %d is the account's: %v", i, got)
			}
		}
		<-time.After(time.Minute)
		for _, chat := range []string{"a", "b", "c", "d"} {
			if f.Global(chat, time.Second) {
				t.Error("short waits are the account's")
			}
		}
		for i, chat := range []string{"a", "b", "c", "d"} {
			if f.Global(chat, time.Duration(10+5*i)*time.Second) {
				t.Error("different moments are the account's")
			}
		}
	})
}

package fakehttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley/internal/test/fakehttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnswersAreWholeOrCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cut  int
		want string
		err  error
	}{{0, `{"n":1}`, nil}, {3, `{"n`, io.ErrUnexpectedEOF}, {7, `{"n":1}`, nil}} {
		srv, err := fakehttp.Start(t.Context(), "", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fakehttp.WriteJSON(w, http.StatusTeapot, map[string]int{"n": 1}, c.cut)
		}))
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: &http.Transport{}}
		resp, err := client.Get(srv.URL())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if string(got) != c.want || !errors.Is(err, c.err) || resp.StatusCode != http.StatusTeapot {
			t.Errorf("cut %d: %d %q, %v", c.cut, resp.StatusCode, got, err)
		}
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		client.CloseIdleConnections()
	}
}

// A client may be gone before its connection is accepted, and its bytes count.
func TestDrainedWaitsForWhatIsNotYetAccepted(t *testing.T) {
	t.Parallel()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const clients = 20
	for range clients {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
	var read atomic.Int64
	srv := fakehttp.Serve(ln, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if b, err := io.ReadAll(r.Body); err == nil && string(b) == "hi" {
			read.Add(1)
		}
	}))
	defer func() { _ = srv.Close() }()
	if err := srv.Drained(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := read.Load(); n != clients {
		t.Errorf("%d of %d requests had their effect", n, clients)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for _, c := range []struct{ d, took time.Duration }{{-1, 0}, {time.Second, time.Second}, {time.Hour, time.Minute - time.Second}} {
			start := time.Now()
			whole := fakehttp.Pause(ctx, c.d)
			if took := time.Since(start); took != c.took || whole != (c.d <= c.took) {
				t.Errorf("a pause of %v took %v: %t", c.d, took, whole)
			}
		}
	})
}

func TestNobodyMissesAChange(t *testing.T) {
	t.Parallel()
	var changes fakehttp.Changes
	var n atomic.Int64
	go func() {
		for range 1000 {
			n.Add(1)
			changes.Wake()
		}
	}()
	if err := changes.Until(t.Context(), func() bool { return n.Load() == 1000 }); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := changes.Until(ctx, func() bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

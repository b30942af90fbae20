package fakeslack_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/test/fakehttp"
	"parley/internal/test/fakeslack"
)

// TestFakeTime checks that a server without a network lives in fake time: default waits
// pass, and no goroutine is left running.
func TestFakeTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pipes := fakehttp.NewPipes()
		srv, err := fakeslack.Start(t.Context(), fakeslack.Options{Listener: pipes})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := srv.Close(); err != nil {
				t.Error(err)
			}
		}()
		transport := &http.Transport{DialContext: pipes.Dial}
		defer transport.CloseIdleConnections()
		w := &world{t: t, srv: srv, http: &http.Client{Transport: transport}, ann: srv.User("ann")}
		w.dm = srv.DM(w.ann)
		dialer := &websocket.Dialer{NetDialContext: pipes.Dial}
		conn, resp, err := dialer.DialContext(t.Context(), w.call("apps.connections.open", nil).URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = resp.Body.Close()
		l := &link{t: t, conn: conn}
		l.next()
		w.dm.Say("x")
		start := time.Now()
		for want := range 4 {
			if f := l.next(); f.Attempt != want {
				t.Errorf("got %s", f.raw)
			}
		}
		if took := time.Since(start); took != 9*time.Second {
			t.Errorf("three retries took %s", took)
		}
	})
}

package fakeslack_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"parley/internal/fakeslack"
)

func TestEnvelopesComeInOrderAndAreAcked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.connect()
	var events []fakeslack.Event
	for i := range 20 {
		events = append(events, w.dm.Say(fmt.Sprint(i)))
	}
	for _, e := range events {
		f := l.next()
		if f.ID != e.Envelopes[0] || f.Attempt != 0 || f.Type != "events_api" {
			t.Errorf("got %s, want envelope %s", f.raw, e.Envelopes[0])
		}
		l.ack(f)
	}
	if err := w.srv.AwaitAcked(soon(t)); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if !w.srv.Acked(e) {
			t.Errorf("%v is not acked", e.Envelopes)
		}
	}
}

func TestUnackedComesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{AckWait: 20 * time.Millisecond})
	l := w.connect()
	e := w.dm.Say("hello")
	for want := range 3 {
		f := l.next()
		reason := "timeout"
		if want == 0 {
			reason = ""
		}
		if f.ID != e.Envelopes[0] || f.Attempt != want || f.RetryReason != reason {
			t.Errorf("copy %d: %s", want, f.raw)
		}
	}
	if w.srv.Acked(e) {
		t.Error("acked by nobody")
	}
}

func TestTicketsAreGoodForOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.call("apps.connections.open", nil)
	for i := range 2 {
		conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), r.URL, nil)
		if resp != nil {
			_ = resp.Body.Close()
		}
		if got, want := err == nil, i == 0; got != want {
			t.Errorf("socket %d opens: %v, want %v", i, got, want)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
}

func TestPostAndUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{NoEcho: true})
	r := w.say(w.dm, "one &lt;two&gt;")
	if u := w.call("chat.update", map[string]string{"channel": w.dm.ID(), "ts": r.TS, "text": "three"}); !u.OK {
		t.Fatal(u.Error)
	}
	if diff := cmp.Diff([]string{"one <two>", "three"}, w.dm.Messages()[0].Versions); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"three"}, w.dm.Texts()); diff != "" {
		t.Error(diff)
	}
}

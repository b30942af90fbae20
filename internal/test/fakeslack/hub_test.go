package fakeslack_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"parley/internal/test/fakeslack"
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

func TestRoundRobin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	links := []*link{w.connect(), w.connect(), w.connect()}
	if n := w.srv.Sockets(); n != 3 {
		t.Fatalf("%d sockets", n)
	}
	for range 6 {
		w.dm.Say("x")
	}
	seen := map[string]bool{}
	for i, l := range links {
		for range 2 {
			f := l.next()
			if seen[f.ID] {
				t.Errorf("socket %d got %s again", i, f.ID)
			}
			seen[f.ID] = true
			l.ack(f)
		}
	}
	if err := w.srv.AwaitAcked(soon(t)); err != nil {
		t.Fatal(err)
	}
}

func TestTheEleventhSocketIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 10 {
		w.connect()
	}
	conn, err := w.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	l := &link{t: t, conn: conn}
	if f := l.next(); f.Type != "disconnect" || f.Reason != "too_many_websockets" {
		t.Errorf("got %s", f.raw)
	}
	if _, err := l.read(); err == nil {
		t.Error("the socket stays")
	}
	if n := w.srv.Sockets(); n != 10 {
		t.Errorf("%d sockets", n)
	}
}

func TestWithoutASocketTheFirstCopyIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.dm.Say("nobody listens")
	press := w.dm.Command("help")
	if !w.srv.Failed(press) || w.srv.Failed(e) {
		t.Error("a command fails at once, a message does not")
	}
	l := w.connect()
	f := l.next()
	if f.ID != e.Envelopes[0] || f.Attempt != 1 || f.RetryReason != "connection_failed" {
		t.Errorf("got %s", f.raw)
	}
}

func TestABrokenSocketsEnvelopesComeElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.connect()
	e := w.dm.Say("x")
	first.next()
	second := w.connect()
	_ = first.conn.Close()
	if f := second.next(); f.ID != e.Envelopes[0] || f.Attempt != 1 || f.RetryReason != "connection_failed" {
		t.Errorf("got %s", f.raw)
	}
}

func TestRetriesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{AckWait: time.Millisecond, Retries: 2})
	l := w.connect()
	e := w.dm.Say("x")
	for range 3 {
		l.next()
	}
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Failed(e) }); err != nil {
		t.Fatal(err)
	}
}

func TestRefreshHandsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{Linger: 2 * time.Second}) // a busy machine acknowledges within that
	older := w.connect()
	w.srv.Disconnect("refresh_requested")
	if f := older.next(); f.Type != "disconnect" || f.Reason != "refresh_requested" {
		t.Errorf("got %s", f.raw)
	}
	before := w.dm.Say("before the newer one")
	if f := older.next(); f.ID != before.Envelopes[0] {
		t.Errorf("got %s", f.raw)
	}
	newer := w.connect()
	older.ack(wire{ID: before.Envelopes[0]})
	for range 2 {
		after := w.dm.Say("after it")
		if f := newer.next(); f.ID != after.Envelopes[0] || f.Attempt != 0 {
			t.Errorf("got %s", f.raw)
		}
		newer.ack(wire{ID: after.Envelopes[0]})
	}
	if _, err := older.read(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the older socket ends with %v", err)
	}
	if err := w.srv.AwaitAcked(soon(t)); err != nil {
		t.Fatal(err)
	}
}

func TestLinkDisabledAndRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.connect()
	w.srv.Disconnect("link_disabled")
	if f := l.next(); f.Reason != "link_disabled" {
		t.Errorf("got %s", f.raw)
	}
	if _, err := l.read(); err == nil {
		t.Error("the socket stays")
	}
	w.srv.Refuse("link_disabled", 1)
	conn, err := w.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if f := (&link{t: t, conn: conn}).next(); f.Type != "disconnect" || f.Reason != "link_disabled" {
		t.Errorf("got %s", f.raw)
	}
	w.srv.Refuse("internal_error", 1)
	if r := w.call("apps.connections.open", nil); r.Error != "internal_error" {
		t.Errorf("got %+v", r)
	}
	w.connect()
}

// TestSilence checks the server's side of a half-open socket: the frames sent into it
// come again, and elsewhere once the socket is known to be dead.
func TestSilence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{AckWait: 10 * time.Millisecond, Ping: 10 * time.Millisecond, PingWait: 30 * time.Millisecond})
	dead := w.connect()
	w.srv.Silence()
	e := w.dm.Say("into the void")
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Sockets() == 0 }); err != nil {
		t.Fatal(err)
	}
	alive := w.connect()
	if f := alive.next(); f.ID != e.Envelopes[0] || f.Attempt == 0 {
		t.Errorf("got %s", f.raw)
	}
	_ = dead.conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if _, _, err := dead.conn.ReadMessage(); err == nil || websocket.IsUnexpectedCloseError(err) {
		t.Errorf("the dead one reads %v", err)
	}
}

func TestASocketThatDoesNotAnswerPingsIsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{Ping: 5 * time.Millisecond, PingWait: 20 * time.Millisecond})
	l := w.connect()
	l.conn.SetPingHandler(func(string) error { return nil })
	if _, err := l.read(); err == nil {
		t.Error("still open")
	}
}

func TestPingsAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.connect()
	pong := make(chan string, 1)
	l.conn.SetPongHandler(func(data string) error { pong <- data; return nil })
	if err := l.conn.WriteControl(websocket.PingMessage, []byte("are you there"), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = l.read() // pongs are taken while something is read
	}()
	if got := <-pong; got != "are you there" {
		t.Errorf("got %q", got)
	}
	_ = l.conn.Close()
	<-read
}

func TestAnyFrame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{AckWait: 20 * time.Millisecond})
	l := w.connect()
	w.srv.SendRaw("{no JSON")
	if f := l.next(); string(f.raw) != "{no JSON" {
		t.Errorf("got %s", f.raw)
	}
	e := w.srv.SendRaw(`{"envelope_id":"e-1","type":"events_api","payload":{"event":5}}`)
	for range 2 {
		if f := l.next(); f.ID != "e-1" {
			t.Errorf("got %s", f.raw)
		}
	}
	l.ack(wire{ID: "e-1"})
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Acked(e) }); err != nil {
		t.Fatal(err)
	}
	unknown := w.srv.Send("a_new_type", map[string]any{"x": 1})
	for f := l.next(); f.ID != unknown.Envelopes[0] || f.Type != "a_new_type"; f = l.next() {
		if f.ID != "e-1" {
			t.Errorf("got %s", f.raw)
		}
	}
}

func TestAFrameThatAcknowledgesNothingIsAViolation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.connect()
	if err := l.conn.WriteMessage(websocket.TextMessage, []byte("ok")); err != nil {
		t.Fatal(err)
	}
	if err := w.srv.Until(soon(t), func() bool { return len(w.srv.Violations()) == 1 }); err != nil {
		t.Fatal(err)
	}
	w.srv.ForgetViolations()
}

func TestRepeatAndUnheard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.connect()
	lost := w.dm.Unheard("first")
	edit := w.dm.Edit(lost.TS, "changed")
	f := l.next()
	if f.ID != edit.Envelopes[0] {
		t.Errorf("got %s", f.raw)
	}
	l.ack(f)
	again := w.srv.Repeat(lost)
	if f := l.next(); f.ID != again.Envelopes[0] || f.Attempt != 1 || string(f.Payload) != string(lost.Raw) {
		t.Errorf("got %s, want %s", f.raw, lost.Raw)
	}
}

func TestDrained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.connect()
	var frames []wire
	var events []fakeslack.Event
	for range 200 {
		events = append(events, w.dm.Say("x"))
		frames = append(frames, l.next())
	}
	for _, f := range frames {
		l.ack(f)
	}
	_ = l.conn.Close()
	w.http.CloseIdleConnections()
	if err := w.srv.Drained(soon(t)); err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if !w.srv.Acked(e) {
			t.Fatalf("acknowledgement %d was written and had no effect", i)
		}
	}
}

func TestHandedIsToldOnce(t *testing.T) {
	t.Parallel()
	handed := make(chan string, 10)
	w := newWorld(t, fakeslack.Options{
		AckWait: 5 * time.Millisecond,
		Handed:  func(payload json.RawMessage) { handed <- string(payload) },
	})
	l := w.connect()
	e := w.dm.Say("x")
	l.next()
	l.ack(l.next())
	if got := <-handed; got != string(e.Raw) {
		t.Errorf("got %s", got)
	}
	if len(handed) != 0 {
		t.Error("told again")
	}
}

package fakeslack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/test/fakehttp"
)

// linkPath is where sockets are opened.
const linkPath = "/link/"

// Bounds of a socket.
const (
	maxFrame  = 1 << 20
	writeWait = 5 * time.Second
)

// socket is one connection of the app.
type socket struct {
	srv  *Server
	conn *websocket.Conn
	more chan struct{} // something is queued

	// The server's mutex guards the fields below.
	frames  []frame
	leaving bool // a disconnect frame was sent
	silent  bool // half open: no frame gets through, and the ends are not told
	answer  time.Time
}

// frame is a frame to be written.
type frame struct {
	data     []byte
	envelope *envelope
	control  int // the type of a control message; 0 is a text
}

// closing is the frame that ends a socket.
func closing() frame {
	return frame{control: websocket.CloseMessage, data: websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")}
}

// queue puts a frame at the end. The lock is held.
func (k *socket) queue(f frame) {
	k.frames = append(k.frames, f)
	select {
	case k.more <- struct{}{}:
	default:
	}
}

// link answers a handshake with a socket, and reads it until it is over.
func (s *Server) link(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	valid := s.hub.tickets[ticket]
	delete(s.hub.tickets, ticket)
	s.hub.open++
	closed := s.hub.closed
	s.mu.Unlock()
	var conn *websocket.Conn
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hub.open--
		delete(s.hub.conns, conn)
		s.changed.Wake()
	}()
	if !valid || closed {
		http.Error(w, "the ticket is none, or was used", http.StatusForbidden)
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	var err error
	conn, err = upgrader.Upgrade(w, r, nil)
	if err != nil {
		if _, broken := errors.AsType[websocket.HandshakeError](err); broken { // else the client left meanwhile
			s.violation("handshake: " + err.Error())
		}
		return
	}
	k := &socket{srv: s, conn: conn, more: make(chan struct{}, 1), answer: time.Now()}
	s.mu.Lock()
	s.hub.conns[conn] = true
	s.mu.Unlock()
	s.changed.Wake()
	conn.SetReadLimit(maxFrame)
	conn.SetPongHandler(func(string) error { k.answered(); return nil })
	conn.SetPingHandler(func(data string) error {
		k.answered()
		s.mu.Lock()
		defer s.mu.Unlock()
		k.queue(frame{control: websocket.PongMessage, data: []byte(data)})
		return nil
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	var writing sync.WaitGroup
	writing.Go(func() { k.write(ctx) })
	if k.greet() {
		writing.Go(func() { k.ping(ctx) })
	}
	k.read()
	cancel()
	k.over()
	_ = conn.Close()
	writing.Wait()
}

// greet says hello, or why there is no place for the socket.
func (k *socket) greet() bool {
	s := k.srv
	s.mu.Lock()
	defer s.mu.Unlock()
	reason := ""
	for name, left := range s.hub.refusals {
		if left > 0 {
			reason = name
			s.hub.refusals[name]--
			break
		}
	}
	if reason == "" && len(s.hub.sockets) >= maxSockets {
		reason = reasonTooMany
	}
	if reason != "" {
		k.queue(frame{data: disconnectFrame(reason)})
		k.queue(closing())
		return false
	}
	s.hub.sockets = append(s.hub.sockets, k)
	s.hub.opened++
	k.queue(frame{data: encode(map[string]any{
		"type": "hello", "num_connections": len(s.hub.sockets), "connection_info": map[string]any{"app_id": appID},
		"debug_info": map[string]any{"host": "applink-1", "build_number": 1, "approximate_connection_time": 3600},
	})})
	s.resend()
	s.changed.Wake()
	return true
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// read takes acknowledgements until the connection ends.
func (k *socket) read() {
	for {
		_, data, err := k.conn.ReadMessage()
		if err != nil {
			return
		}
		k.srv.mu.Lock()
		silent := k.silent
		k.srv.mu.Unlock()
		if silent {
			continue
		}
		var ack struct {
			ID string `json:"envelope_id"`
		}
		if err := json.Unmarshal(data, &ack); err != nil || ack.ID == "" {
			k.srv.violation(fmt.Sprintf("a frame of %d bytes acknowledges nothing", len(data)))
			continue
		}
		k.srv.acknowledge(ack.ID)
	}
}

// write writes the queued frames until ctx or the connection ends.
func (k *socket) write(ctx context.Context) {
	for {
		f, ok := k.take()
		if !ok {
			select {
			case <-k.more:
				continue
			case <-ctx.Done():
				return
			}
		}
		if !k.put(f) {
			_ = k.conn.Close()
			return
		}
	}
}

// take is the next frame, with its time running.
func (k *socket) take() (frame, bool) {
	k.srv.mu.Lock()
	defer k.srv.mu.Unlock()
	if len(k.frames) == 0 {
		return frame{}, false
	}
	f := k.frames[0]
	k.frames = k.frames[1:]
	if f.envelope == nil {
		return f, true
	}
	f.envelope.due = time.Now().Add(k.srv.opt.AckWait)
	if !f.envelope.handed && !k.silent {
		f.envelope.handed = true
		if k.srv.opt.Handed != nil {
			k.srv.opt.Handed(f.envelope.payload)
		}
	}
	k.srv.changed.Wake()
	return f, true
}

// put writes one frame; false ends the connection.
func (k *socket) put(f frame) bool {
	k.srv.mu.Lock()
	silent := k.silent
	k.srv.mu.Unlock()
	deadline := time.Now().Add(writeWait)
	switch {
	case silent:
		return true
	case f.control != 0:
		return k.conn.WriteControl(f.control, f.data, deadline) == nil && f.control != websocket.CloseMessage
	}
	return k.conn.SetWriteDeadline(deadline) == nil && k.conn.WriteMessage(websocket.TextMessage, f.data) == nil
}

// answered says that the other side is alive.
func (k *socket) answered() {
	k.srv.mu.Lock()
	defer k.srv.mu.Unlock()
	if !k.silent {
		k.answer = time.Now()
	}
}

// ping asks whether the other side is alive, and drops a socket that does not answer.
func (k *socket) ping(ctx context.Context) {
	for fakehttp.Pause(ctx, k.srv.opt.Ping) {
		k.srv.mu.Lock()
		dead := time.Since(k.answer) > k.srv.opt.PingWait
		silent := k.silent
		if !dead {
			k.queue(frame{control: websocket.PingMessage, data: []byte("fakeslack")})
		}
		k.srv.mu.Unlock()
		if !dead {
			continue
		}
		k.over()
		if !silent {
			_ = k.conn.Close()
		}
		return
	}
}

// over takes the socket out of the hub: its envelopes come again elsewhere.
func (k *socket) over() {
	s := k.srv
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub.sockets = slices.DeleteFunc(s.hub.sockets, func(other *socket) bool { return other == k })
	for _, env := range slices.Clone(s.hub.waiting) {
		if env.on == k {
			s.lost(env, reasonFailed)
		}
	}
	s.resend()
	s.changed.Wake()
}

// hangUp ends every socket, and waits until they have ended.
func (s *Server) hangUp() {
	s.mu.Lock()
	s.hub.closed = true
	s.mu.Unlock()
	for {
		changed := s.changed.Next()
		s.mu.Lock()
		open := s.hub.open
		for conn := range s.hub.conns {
			_ = conn.Close()
		}
		s.mu.Unlock()
		if open == 0 {
			return
		}
		<-changed
	}
}

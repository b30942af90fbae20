package inbound

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/failpoint"
	"parley/pkg/channels/slack/event"
	"parley/pkg/channels/wire"
)

// The limits of waiting and reading on a socket.
const (
	// Slack pings every few seconds; its own libraries give a silent socket 30 s.
	silence = 30 * time.Second
	// Our pings make sure that something comes back, however rarely Slack pings.
	pingEvery = 10 * time.Second
	writeWait = 5 * time.Second
	// A larger frame ends the socket.
	maxHuge = 64 << 20
	// How many acknowledgements wait to be written.
	maxAcks = 1024
)

// socket is one WebSocket of Socket Mode. Its reader and its writer end with ctx,
// with the connection, or with close.
type socket struct {
	conn *websocket.Conn
	acks chan []byte
	// hello is closed when Slack has greeted, gone when reading has ended.
	hello, gone, quit chan struct{}
	greet, leave      sync.Once
	// left has the reason of the first disconnect frame.
	left chan string
}

func newSocket(conn *websocket.Conn) *socket {
	return &socket{
		conn: conn, acks: make(chan []byte, maxAcks), left: make(chan string, 1),
		hello: make(chan struct{}), gone: make(chan struct{}), quit: make(chan struct{}),
	}
}

// close ends the socket, after the acknowledgements that wait.
func (s *socket) close() { s.leave.Do(func() { close(s.quit) }) }

// why is the reason that Slack gave for the end of a socket that is gone, or else
// the given one.
func (s *socket) why(otherwise error) error {
	select {
	case why := <-s.left:
		return disconnected(why)
	default:
		return otherwise
	}
}

// alive moves the time at which the socket counts as dead.
func (s *socket) alive() { _ = s.conn.SetReadDeadline(time.Now().Add(silence)) }

// read hands on frames until the connection ends.
func (s *socket) read(ctx context.Context, handle func(ctx context.Context, s *socket, f event.Frame)) {
	defer close(s.gone)
	s.conn.SetReadLimit(maxHuge)
	s.conn.SetPingHandler(func(data string) error {
		s.alive()
		_ = s.conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(writeWait))
		return nil // a dead connection shows in reading
	})
	s.conn.SetPongHandler(func(string) error {
		s.alive()
		return nil
	})
	for ctx.Err() == nil {
		s.alive()
		_, r, err := s.conn.NextReader()
		if err != nil {
			return
		}
		f, err := event.ReadFrame(r)
		if err != nil {
			return
		}
		handle(ctx, s, f)
	}
}

// write writes acknowledgements and pings until the socket ends, and closes it.
func (s *socket) write(ctx context.Context) {
	defer wire.Drop(s.conn)
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var err error
		select {
		case ack := <-s.acks:
			err = s.put(ack)
		case <-ping.C:
			err = s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWait))
		case <-s.gone:
			return
		case <-s.quit:
			s.finish()
			return
		case <-ctx.Done():
			s.finish()
			return
		}
		if err != nil {
			return
		}
	}
}

// put writes one acknowledgement.
func (s *socket) put(ack []byte) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return err
	}
	if err := s.conn.WriteMessage(websocket.TextMessage, ack); err != nil {
		return err
	}
	failpoint.Hit("P3")
	return nil
}

// finish writes the waiting frames and says goodbye.
func (s *socket) finish() {
	for {
		select {
		case ack := <-s.acks:
			if s.put(ack) != nil {
				return
			}
			continue
		default:
		}
		break
	}
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = s.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(time.Second))
}

// ack acknowledges an envelope, with a payload where there is one. Where the socket
// is gone or too much waits, Slack sends the envelope again: the store knows it.
func (s *socket) ack(envelope string, payload json.RawMessage) {
	text, err := json.Marshal(struct {
		ID      string          `json:"envelope_id"`
		Payload json.RawMessage `json:"payload,omitempty"`
	}{envelope, payload})
	if err != nil {
		return
	}
	select {
	case s.acks <- text:
	default:
	}
}

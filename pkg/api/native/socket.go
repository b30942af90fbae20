package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/policy"
)

// The bounds of a socket.
const (
	maxFrame = httpd.MaxBody
	// A write that takes longer ends the socket, and a client that is silent for longer than silence,
	// though it is asked every pingEvery.
	socketWait = 30 * time.Second
	pingEvery  = 25 * time.Second
	silence    = 60 * time.Second
	// How long the end of a socket may take, on its way out.
	byeWait = 300 * time.Millisecond
	// Answers to the client's frames that wait to be written: one more waits for them.
	maxReplies = 16
)

// socket is a chat over a WebSocket: its events as objects, and the results of the client's
// tools. The goroutine of the request reads, one writes, and one fetches the events.
type socket struct {
	api      *API
	place    *place
	conn     *websocket.Conn
	thoughts bool
	reader   *events.Reader
	replies  chan []byte
	gathered gathered
}

// socketOf is the route of the sockets.
func socketOf(a *API) inChat {
	return func(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal { return connect(a, w, r, p) }
}

// connect answers a request for a WebSocket. The guard of the server has looked at the
// Origin: with a cookie it is ours, and a browser sends no token of a program.
func connect(a *API, w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		return &httpd.Refusal{Status: http.StatusUpgradeRequired, Code: "bad_request", Message: textUpgrade}
	}
	reader, err := a.o.Hub.Follow(p.at, r.URL.Query().Get("after"))
	if err != nil && !errors.Is(err, events.ErrReset) {
		return a.fault(err)
	}
	up := websocket.Upgrader{
		CheckOrigin: func(*http.Request) bool { return true },
		Error: func(w http.ResponseWriter, _ *http.Request, status int, reason error) {
			httpd.Refuse(w, httpd.Refusal{Status: status, Code: "bad_request", Message: reason.Error()})
		},
	}
	conn, err := up.Upgrade(w, r, w.Header().Clone())
	if err != nil {
		if reader != nil {
			reader.Close()
		}
		return nil // it is answered
	}
	s := &socket{
		api: a, place: p, conn: conn, reader: reader, replies: make(chan []byte, maxReplies),
		thoughts: p.caller.Level.Allows(policy.LevelWrite),
	}
	s.run(r.Context())
	return nil
}

// run serves the socket until the client leaves, or ctx ends.
func (s *socket) run(ctx context.Context) {
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	batches := make(chan []byte)
	var parts sync.WaitGroup
	parts.Go(func() { s.fetch(ctx, batches); stop() })
	parts.Go(func() { s.write(ctx, outer, batches); stop() })
	s.read(ctx)
	stop()
	parts.Wait()
	_ = s.conn.Close() // a client that is gone
}

// fetch hands the events of the chat to the writer, who takes them when he can: the hub keeps
// them meanwhile, and a reader that is too late reads reset.
func (s *socket) fetch(ctx context.Context, to chan<- []byte) {
	defer func() {
		if s.reader != nil {
			s.reader.Close()
		}
	}()
	for ctx.Err() == nil {
		var frames [][]byte
		var err error
		if s.reader == nil {
			frames, err = s.reset()
		} else {
			frames, err = s.next(ctx)
		}
		if err != nil {
			return
		}
		for _, frame := range frames {
			select {
			case to <- frame:
			case <-ctx.Done():
				return
			}
		}
	}
}

// next waits for events.
func (s *socket) next(ctx context.Context) ([][]byte, error) {
	batch, err := s.reader.Next(ctx)
	if errors.Is(err, events.ErrReset) {
		s.reader.Close()
		s.reader = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var frames [][]byte
	for i := range batch {
		if _, thought := batch[i].Data.(events.Reasoning); thought && !s.thoughts {
			continue
		}
		frame, err := frameOf(batch[i].Name(), batch[i].ID, batch[i].Data)
		if err != nil {
			return nil, err
		}
		frames = append(frames, frame)
	}
	return frames, nil
}

// reset tells the client to read the chat anew, and goes on from the running turn.
func (s *socket) reset() ([][]byte, error) {
	mark := s.api.o.Hub.Mark(s.place.at)
	reader, err := s.api.o.Hub.Follow(s.place.at, mark)
	if err != nil {
		return nil, err
	}
	s.reader = reader
	frame, err := frameOf("reset", mark, struct{}{})
	return [][]byte{frame}, err
}

// frameOf is an object with its type and, for an event, its place.
func frameOf(name, seq string, data any) ([]byte, error) {
	head, err := json.Marshal(struct {
		Type string `json:"type"`
		Seq  string `json:"seq,omitempty"`
	}{name, seq})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(data)
	if err != nil || len(body) <= len("{}") {
		return head, err
	}
	return append(append(bytes.TrimSuffix(head, []byte("}")), ','), body[1:]...), nil
}

// write is the one goroutine that writes frames.
func (s *socket) write(ctx, outer context.Context, batches <-chan []byte) {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		var err error
		select {
		case frame := <-batches:
			err = s.put(frame)
		case frame := <-s.replies:
			err = s.put(frame)
		case <-ping.C:
			err = s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(socketWait))
		case <-ctx.Done():
			s.bye(outer)
			return
		}
		if err != nil {
			s.bye(outer)
			return
		}
	}
}

func (s *socket) put(frame []byte) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(socketWait)); err != nil {
		return err
	}
	return s.conn.WriteMessage(websocket.TextMessage, frame)
}

// bye says why the socket ends, and lets the reading end soon.
func (s *socket) bye(ctx context.Context) {
	code, why := websocket.CloseNormalClosure, ""
	switch {
	case errors.Is(context.Cause(ctx), httpd.ErrRevoked):
		code, why = websocket.ClosePolicyViolation, httpd.ErrRevoked.Error()
	case ctx.Err() != nil:
		code = websocket.CloseGoingAway
	}
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, why), time.Now().Add(byeWait))
	_ = s.conn.SetReadDeadline(time.Now().Add(byeWait)) // one that is gone ends by itself
}

// read takes the frames of the client in, one after the other, until it is gone.
func (s *socket) read(ctx context.Context) {
	s.conn.SetReadLimit(maxFrame)
	alive := func(string) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.conn.SetReadDeadline(time.Now().Add(silence))
	}
	s.conn.SetPongHandler(alive)
	for alive("") == nil {
		kind, frame, err := s.conn.ReadMessage()
		if err != nil || ctx.Err() != nil {
			return
		}
		for _, reply := range s.take(ctx, kind, frame) {
			select {
			case s.replies <- reply:
			case <-ctx.Done():
				return
			}
		}
	}
}

// sent is a frame of the client.
type sent struct {
	Type   string          `json:"type"`
	CallID string          `json:"tool_call_id"`
	Body   json.RawMessage `json:"body"`
	Failed bool            `json:"is_error"`
}

// told is an answer to one.
type told struct {
	CallID  string `json:"tool_call_id,omitempty"`
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
}

// take acts on a frame of the client.
func (s *socket) take(ctx context.Context, kind int, frame []byte) [][]byte {
	var in sent
	if kind != websocket.TextMessage || json.Unmarshal(frame, &in) != nil || in.Type != typeResult || in.CallID == "" || len(in.Body) == 0 {
		return replies("error", told{CallID: in.CallID, Code: "bad_request", Message: textFrame})
	}
	item, ids, f := gather(ctx, s.api, s.place, &s.gathered, result{in.CallID, textOf(in.Body), in.Failed})
	if f != nil {
		return replies("error", told{CallID: in.CallID, Code: f.Code, Message: f.Message})
	}
	var all [][]byte
	for _, id := range ids {
		all = append(all, replies(typeAccepted, told{CallID: id, Message: item})...)
	}
	return all
}

// The types of frames beside those of events.
const (
	typeResult   = "tool_result"
	typeAccepted = "tool_result_accepted"
)

func replies(name string, what told) [][]byte {
	frame, err := frameOf(name, "", what)
	if err != nil {
		return nil
	}
	return [][]byte{frame}
}

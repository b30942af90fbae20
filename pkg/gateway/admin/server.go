package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/gateway/socket"
	"parley/pkg/session/bolt"
)

// The protocol: the client posts a message, and the server answers lines of JSON: one
// for each value of the answer, and a last one that ends the answer or tells its error.
const (
	// Both sides speak this version, or they refuse each other.
	protocol = 3
	// The path of the operations.
	operationsPath = "/operations"
	// The bounds of a request, of the operations under way, and of the connections: a console has
	// one for its events, one while it waits for its last answer, and one for a moment with each
	// message.
	maxRequest     = 1 << 20
	maxOperations  = 16
	maxConnections = 512
	// How long requests under way may go on after the end.
	lastWords = time.Second
	// The longest that reading a request or connecting may take.
	requestTime = 5 * time.Second
	// The longest that writing one line of an answer may take.
	writeTime = 30 * time.Second
)

// message is a request on the wire.
type message struct {
	Protocol int     `json:"protocol"`
	Op       string  `json:"op"`
	Args     Request `json:"args"`
}

// answerLine is a line of an answer.
type answerLine struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
	// Code is the exit code of an error that has one.
	Code int  `json:"code,omitempty"`
	Done bool `json:"done,omitempty"`
}

// Server does the operations that commands ask for over the socket.
type Server struct {
	listener net.Listener
	// busy has one for each operation, so that consoles keep room.
	busy     chan struct{}
	release  func()
	consoles http.Handler
	do       func(ctx context.Context, name string, r *Request, emit Emit) error
	redact   func(string) string
	log      zerolog.Logger
	// open counts the connections with an operation that has not ended.
	open sync.WaitGroup
}

// Listen opens the socket in the state folder. The caller holds the store, so that a
// socket left there is a dead gateway's.
func Listen(stateDir string, g *Gateway) (*Server, error) {
	l, err := socket.Listen(socket.Options{StateDir: stateDir, Group: g.Consoles.Group, Most: maxConnections, Note: g.Note, Log: g.Log})
	switch {
	case errors.Is(err, socket.ErrGroup):
		return nil, WithCode(CodeUsage, err)
	case err != nil:
		return nil, StoreError(bolt.DirError(stateDir, err))
	}
	return &Server{
		listener: l, busy: make(chan struct{}, maxOperations), release: l.Release, consoles: g.Consoles.Handler,
		do: g.Do, redact: g.Redact, log: g.Log,
	}, nil
}

// Serve answers until ctx ends; then it waits for the operations under way, which are
// cancelled too.
func (s *Server) Serve(ctx context.Context) {
	defer s.release()
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+operationsPath, s.answer)
	if s.consoles != nil {
		mux.Handle(ConsolePath+"/", s.consoles)
	}
	srv := &http.Server{
		Handler: mux, ReadHeaderTimeout: requestTime,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: socket.WithPeer, ConnState: s.count,
	}
	srv.SetKeepAlivesEnabled(false)
	defer context.AfterFunc(ctx, func() { shut(ctx, srv) })()
	if err := srv.Serve(s.listener); ctx.Err() == nil {
		s.log.Error().Err(err).Msg("the admin socket ended")
	}
	_ = s.listener.Close()
	s.open.Wait()
}

// shut ends the server: requests under way have a moment for their last words.
func shut(ctx context.Context, srv *http.Server) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		_ = srv.Close() // its listener is closed already
	}
}

// count follows a connection to its end.
func (s *Server) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.open.Done()
	case http.StateActive, http.StateIdle:
	}
}

// answer does the operation of a request and writes its values as they come.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	default:
		http.Error(w, textBusy, http.StatusServiceUnavailable)
		return
	}
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(requestTime)) // until net/http has the whole request; a failure shows at the read
	var m message
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&m); err != nil {
		s.log.Warn().Err(err).Msg("an admin request cannot be read")
		http.Error(w, textBadRequest, http.StatusBadRequest)
		return
	}
	enc := json.NewEncoder(w)
	write := func(l answerLine) error {
		_ = conn.SetWriteDeadline(time.Now().Add(writeTime)) // a failure shows at the write
		if err := enc.Encode(l); err != nil {
			return err
		}
		return conn.Flush()
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	if err := s.run(r.Context(), &m, write); err != nil {
		line := answerLine{Error: s.redact(err.Error())}
		if e, ok := errors.AsType[*ExitError](err); ok {
			line.Code = e.Code
		}
		_ = write(line) // the other side went away
		return
	}
	_ = write(answerLine{Done: true}) // the other side went away
}

func (s *Server) run(ctx context.Context, m *message, write func(answerLine) error) error {
	if m.Protocol != protocol {
		return fmt.Errorf(textOtherProtocol, protocol, m.Protocol)
	}
	s.log.Info().Str("op", m.Op).Msg("admin")
	return s.do(ctx, m.Op, &m.Args, EmitTo(func(raw json.RawMessage) error { return write(answerLine{Value: raw}) }))
}

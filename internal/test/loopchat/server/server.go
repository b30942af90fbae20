package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"parley/internal/test/fakehttp"
	"parley/internal/test/loopchat"
)

const (
	defaultBatch = 100
	maxBody      = 1 << 20
)

// Options shape a [Server]. Zero values have defaults.
type Options struct {
	// Addr is where it listens; default 127.0.0.1 on a free port.
	Addr string
	// Batch is how many updates one poll gives; default 100.
	Batch int
	// MaxPoll bounds how long a poll is held, whatever the client asks for; 0 means no bound.
	MaxPoll time.Duration
	// OnSend chooses the fault of a send; nil means that all is well. n counts from 1.
	// It may be called from many goroutines at once.
	OnSend func(n int, req loopchat.SendRequest) Fault
	// OnPoll does the same for polls.
	OnPoll func(n int) Fault
}

// Server is the platform. It listens from [New] on until Close.
type Server struct {
	// URL is the base for clients.
	URL string

	opt  Options
	http *fakehttp.Server
	// arrived tells of updates, changed of everything that is booked.
	arrived, changed fakehttp.Changes

	mu      sync.Mutex
	pending []loopchat.Update
	nextID  int64
	poller  chan struct{} // closed when a newer poll takes over
	polls   int
	sends   int
	ledger  ledger
}

// New starts a server; ctx bounds no more than the start.
func New(ctx context.Context, opt Options) (*Server, error) {
	if opt.Batch == 0 {
		opt.Batch = defaultBatch
	}
	s := &Server{opt: opt, nextID: 1000, ledger: newLedger()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /updates", s.updates)
	mux.HandleFunc("POST /send", s.send)
	var err error
	if s.http, err = fakehttp.Start(ctx, opt.Addr, mux); err != nil {
		return nil, err
	}
	s.URL = s.http.URL()
	return s, nil
}

// Drained waits until everything had its effect that a process wrote which has ended.
func (s *Server) Drained(ctx context.Context) error { return s.http.Drained(ctx) }

// Close ends the server and cuts every connection.
func (s *Server) Close() error { return s.http.Close() }

// Say puts a plain message of a chat's one person in line and returns its update id.
func (s *Server) Say(chat, text string) int64 {
	return s.Push(loopchat.Update{Chat: chat, Text: text})[0]
}

// Press lets sender press the button of a message that has that label, and returns
// the update's id; 0 where the message has no such button by now.
func (s *Server) Press(messageID, sender, label string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.ledger.messages {
		m := &s.ledger.messages[i]
		for _, b := range m.Buttons {
			if m.ID == messageID && b.Label == label {
				return s.push([]loopchat.Update{{Chat: m.Chat, Thread: m.Thread, Sender: sender, MessageID: m.ID, Press: b.Data}})[0]
			}
		}
	}
	return 0
}

// Push puts updates in line, all at once, and returns their ids. It fills in the id,
// the time, of a message its own id, and a missing sender.
func (s *Server) Push(updates ...loopchat.Update) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.push(updates)
}

func (s *Server) push(updates []loopchat.Update) []int64 {
	now := time.Now()
	ids := make([]int64, len(updates))
	for i := range updates {
		u := updates[i]
		s.nextID++
		u.ID, u.Time = s.nextID, now
		if u.Press == "" {
			u.MessageID = "u" + strconv.FormatInt(s.nextID, 10)
		}
		if u.Sender == "" {
			u.Sender = u.Chat
		}
		ids[i] = u.ID
		s.pending = append(s.pending, u)
	}
	s.arrived.Wake()
	return ids
}

// updates is the long poll: it confirms the updates below the offset and gives the
// oldest of the rest.
func (s *Server) updates(w http.ResponseWriter, r *http.Request) {
	offset, err := strconv.ParseInt(r.URL.Query().Get("offset"), 10, 64)
	secs, err2 := strconv.ParseFloat(r.URL.Query().Get("timeout"), 64)
	if err := errors.Join(err, err2); err != nil || secs < 0 || secs > 300 {
		http.Error(w, "offset and timeout are numbers", http.StatusBadRequest)
		return
	}
	hold := time.Duration(secs * float64(time.Second))
	if s.opt.MaxPoll > 0 {
		hold = min(hold, s.opt.MaxPoll)
	}
	n, mine := s.takeOver(offset)
	defer s.leave(mine)
	if s.opt.OnPoll != nil && !s.opt.OnPoll(n).before(w, r) {
		return
	}
	timer := time.NewTimer(hold)
	defer timer.Stop()
	for {
		batch, arrived := s.batch()
		if len(batch) > 0 {
			fakehttp.WriteJSON(w, http.StatusOK, loopchat.Updates{Updates: batch}, 0)
			return
		}
		select {
		case <-arrived:
		case <-timer.C:
			fakehttp.WriteJSON(w, http.StatusOK, loopchat.Updates{Updates: []loopchat.Update{}}, 0)
			return
		case <-mine:
			http.Error(w, "another poll took over", http.StatusConflict)
			return
		case <-r.Context().Done():
			return
		}
	}
}

// takeOver ends an older poll and confirms the updates below offset.
func (s *Server) takeOver(offset int64) (n int, mine chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poller != nil {
		close(s.poller)
	}
	mine = make(chan struct{})
	s.poller = mine
	confirmed := 0
	for confirmed < len(s.pending) && s.pending[confirmed].ID < offset {
		confirmed++
	}
	s.pending = s.pending[confirmed:]
	s.polls++
	s.ledger.report.Polls = s.polls
	s.changed.Wake()
	return s.polls, mine
}

// leave says that a poll has ended, unless a newer one took over.
func (s *Server) leave(mine chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poller == mine {
		s.poller = nil
		s.changed.Wake()
	}
}

// Polling says whether a poll is open.
func (s *Server) Polling() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poller != nil
}

func (s *Server) batch() ([]loopchat.Update, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := s.pending[:min(len(s.pending), s.opt.Batch)]
	s.ledger.handed(batch)
	return append([]loopchat.Update(nil), batch...), s.arrived.Next()
}

func (s *Server) send(w http.ResponseWriter, r *http.Request) {
	var req loopchat.SendRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		fakehttp.WriteJSON(w, http.StatusBadRequest, loopchat.SendResponse{Error: "body is not a message"}, 0)
		return
	}
	if req.Chat == "" || req.Text == "" {
		fakehttp.WriteJSON(w, http.StatusBadRequest, loopchat.SendResponse{Error: "chat and text must not be empty"}, 0)
		return
	}
	s.mu.Lock()
	s.sends++
	n := s.sends
	s.mu.Unlock()
	var fault Fault
	if s.opt.OnSend != nil {
		fault = s.opt.OnSend(n, req)
	}
	if !fault.before(w, r) {
		return
	}
	s.mu.Lock()
	id := s.ledger.sent(req)
	s.mu.Unlock()
	s.changed.Wake()
	if fault.CutAfter {
		panic(http.ErrAbortHandler)
	}
	if !fakehttp.Pause(r.Context(), fault.Hold) {
		return
	}
	fakehttp.WriteJSON(w, http.StatusOK, loopchat.SendResponse{MessageID: id}, 0)
}

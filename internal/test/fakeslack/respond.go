package fakeslack

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"parley/internal/test/fakehttp"
)

// A response_url is good for five answers within half an hour, also where the app is no
// member (docs.slack.dev/interactivity/handling-user-interaction).
const (
	respondPath = "/respond/"
	maxResponds = 5
	respondTime = 30 * time.Minute
)

// respondURL is one response_url.
type respondURL struct {
	chat, user string
	made       time.Time
	used       int
}

// Response is an answer that the app gave at a response_url.
type Response struct {
	// Chat is where the person acted, and User the person, who alone reads an answer that
	// is not InChannel.
	Chat, User, Text string
	InChannel        bool
}

// respondAt makes a response_url. The lock is held.
func (s *Server) respondAt(r *room, u *User) string {
	if s.hub.responds == nil {
		s.hub.responds = map[string]*respondURL{}
	}
	id := s.id("R")
	s.hub.responds[id] = &respondURL{chat: r.id, user: u.ID, made: time.Now()}
	return s.http.URL() + respondPath + id
}

// respond takes an answer at a response_url.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, id string) {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	var body struct {
		Type string `json:"response_type"`
		Text string `json:"text"`
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Wake()
	at := s.hub.responds[id]
	kind := r.Header.Get("Content-Type")
	switch {
	case r.Method != http.MethodPost, !strings.HasPrefix(kind, "application/json"), json.Unmarshal(data, &body) != nil, body.Text == "":
		s.Note("no answer for a response_url: " + r.Method + " " + kind)
		fakehttp.WriteJSON(w, http.StatusBadRequest, answer{"ok": false, "error": "invalid_payload"}, 0)
		return
	case at == nil, time.Since(at.made) > respondTime, at.used == maxResponds:
		fakehttp.WriteJSON(w, http.StatusNotFound, answer{"ok": false, "error": "used_url"}, 0)
		return
	}
	if r.Header.Get("Authorization") != "" {
		s.Note("a token went to a response_url")
	}
	at.used++
	s.hub.responses = append(s.hub.responses, Response{Chat: at.chat, User: at.user, Text: body.Text, InChannel: body.Type == "in_channel"})
	_, _ = io.WriteString(w, "ok")
}

// Responses are the answers that came at response_urls.
func (s *Server) Responses() []Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Response(nil), s.hub.responses...)
}

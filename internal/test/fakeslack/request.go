package fakeslack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/test/fakehttp"
)

// maxBody bounds a request to a method.
const maxBody = 4 << 20

// Request is one request that came in.
type Request struct {
	// N counts from 1.
	N int
	// Method is that of the Web API; "upload" and "download" are those of files.
	Method string
	// Chat and Thread are the channel and thread_ts that it names.
	Chat, Thread string
	// Params are the arguments but the token; those of a JSON body that are no
	// strings are as they were written.
	Params map[string]string
	// JSON says that the body was JSON.
	JSON bool
	// Faulty says that a [Rule] harmed it, Early that it came before the wait was
	// over which a refusal had asked for.
	Faulty, Early bool
	Time, Done    time.Time
	// Status is that of the answer, 0 without one; Error is Slack's name.
	Status int
	Error  string
}

// call is a request that is being answered. The server's mutex is held.
type call struct {
	srv *Server
	req *Request
}

// param is an argument, or empty.
func (c *call) param(name string) string { return c.req.Params[name] }

var errGone = errors.New("the client left in the middle of its body")

// api answers a method of the Web API.
func (s *Server) api(w http.ResponseWriter, r *http.Request, name string) {
	req, token, err := readRequest(r, name)
	if errors.Is(err, errGone) {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		s.violation(name + ": " + err.Error())
		refuse(w, no("invalid_form_data", "%s", err.Error()))
		return
	}
	m := s.methods[name]
	if m == nil {
		s.violation("unknown method " + name)
		refuse(w, no("unknown_method", ""))
		return
	}
	fault, ok := s.begin(w, r, req)
	if !ok {
		return
	}
	result, wrong := s.do(m, req, token)
	s.end(w, r, req, fault, result, wrong)
}

// begin books a request and lets the rules harm it; ok says that it is to have an effect.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, req *Request) (fault Fault, ok bool) {
	fault = s.book(req)
	if !fakehttp.Pause(r.Context(), fault.Delay) {
		s.answered(req, 0, "")
		return fault, false
	}
	if fault.prevents() {
		s.refused(req, fault.refusal())
		fault.instead(w, r)
		return fault, false
	}
	return fault, true
}

// do is the effect of a request.
func (s *Server) do(m *method, req *Request, token string) (answer, *refusal) {
	if wrong := s.authorise(m, token); wrong != nil {
		return nil, wrong
	}
	if wrong := m.check(req.Params); wrong != nil {
		s.violation(req.Method + ": " + strings.Join(wrong.messages, ", "))
		return nil, wrong
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	result, err := m.handle(&call{srv: s, req: req})
	s.changed.Wake()
	var wrong *refusal
	if err != nil && !errors.As(err, &wrong) {
		wrong = no("internal_error", "%s", err.Error())
	}
	return result, wrong
}

// authorise checks the token: only apps.connections.open takes the app's.
func (s *Server) authorise(m *method, token string) *refusal {
	want, other := s.BotToken(), s.AppToken()
	if m.app {
		want, other = other, want
	}
	switch token {
	case want:
		return nil
	case "":
		return no("not_authed", "")
	case other:
		return no("not_allowed_token_type", "")
	}
	return no("invalid_auth", "")
}

// end answers a request that has had its effect.
func (s *Server) end(w http.ResponseWriter, r *http.Request, req *Request, fault Fault, result answer, wrong *refusal) {
	if fault.DropAfter {
		s.answered(req, 0, "")
		panic(http.ErrAbortHandler)
	}
	if !fakehttp.Pause(r.Context(), fault.Hold) {
		s.answered(req, 0, "")
		return
	}
	if wrong != nil {
		s.refused(req, wrong)
		refuse(w, wrong)
		return
	}
	s.answered(req, http.StatusOK, "")
	body := answer{"ok": true}
	maps.Copy(body, result)
	fakehttp.WriteJSON(w, http.StatusOK, body, fault.Cut)
}

// readRequest reads the arguments and the token of a request: form, JSON, or query.
func readRequest(r *http.Request, name string) (*Request, string, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", errGone, err)
	}
	if len(data) > maxBody {
		return nil, "", errors.New("the body is too large")
	}
	req := &Request{Method: name, Params: map[string]string{}, Time: time.Now()}
	values := r.URL.Query()
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case len(data) == 0:
	case err != nil:
		return nil, "", errors.New("the body has no type")
	case kind == "application/json":
		req.JSON = true
		if err := req.readJSON(data); err != nil {
			return nil, "", err
		}
	case kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(data))
		if err != nil {
			return nil, "", fmt.Errorf("form: %w", err)
		}
		for name, value := range form {
			values[name] = append(values[name], value...)
		}
	default:
		return nil, "", errors.New("a body of type " + kind)
	}
	for name, value := range values {
		if len(value) > 1 {
			return nil, "", errors.New(name + " is given more than once")
		}
		req.Params[name] = value[0]
	}
	token := req.Params["token"]
	delete(req.Params, "token")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		token = bearer
	}
	req.Chat, req.Thread = req.Params["channel"], req.Params["thread_ts"]
	if req.Chat == "" {
		req.Chat = req.Params["channel_id"]
	}
	return req, token, nil
}

func (req *Request) readJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	for name, raw := range fields {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		req.Params[name] = text
	}
	return nil
}

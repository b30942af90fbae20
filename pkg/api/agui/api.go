package agui

import (
	"net/http"
	"strconv"

	"github.com/rs/zerolog"

	"parley/pkg/api/native"
	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// Options are the parts that an [API] works with; all are required.
type Options struct {
	// Native has the chats and their rules.
	Native *native.API
	Hub    *events.Hub
	// Bodies bound the memory of large bodies.
	Bodies *httpd.Bodies
	// CallOf is the id under which a call runs that a person has allowed.
	CallOf func(*session.Approval) string
	Redact func(string) string
	Log    zerolog.Logger
}

// API is AG-UI over HTTP.
type API struct{ o Options }

// New returns the API.
func New(o Options) *API { return &API{o} }

// route is where runs are posted.
const route = "POST /agui"

// Routes are its routes, for programs alone: a page of a foreign site has no token.
func (a *API) Routes() []httpd.Route {
	return []httpd.Route{{
		Pattern: route, Access: httpd.AccessProgram, MaxBody: maxBody, Streams: true, Handler: http.HandlerFunc(a.ServeHTTP),
	}}
}

// ServeHTTP serves a run. A request that is no run of a chat is refused by its status, and
// one that its thread does not take by RUN_ERROR.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	caller := httpd.CallerFrom(r.Context())
	if caller == nil {
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusNotFound, Code: "not_found"})
		return
	}
	one, f := a.begun(r, caller)
	if f != nil && (one == nil || !ofThread(f)) {
		httpd.Refuse(w, *f)
		return
	}
	stream, err := httpd.OpenStream(r.Context(), w)
	if err != nil {
		return // the client is gone
	}
	one.stream = stream
	one.put(&frame{Type: typeRunStarted, ThreadID: one.thread, RunID: one.id, ProtocolVersion: protocolVersion})
	if f != nil {
		one.fail(f.Message, f.Code)
		_ = one.flush() // the client is gone otherwise
		return
	}
	if err := one.follow(r.Context()); err != nil && r.Context().Err() == nil {
		a.o.Log.Debug().Err(err).Msg("a run of AG-UI has lost its client")
	}
}

// begun reads a run and stores what it brings. The run keeps none of its body, whose conversation
// may be long: a turn takes long.
func (a *API) begun(r *http.Request, caller *httpd.Caller) (*run, *httpd.Refusal) {
	var in input
	free, f := a.o.Bodies.Decode(r, &in)
	defer free()
	if f == nil {
		f = in.check()
	}
	if f != nil {
		return nil, f
	}
	one := a.newRun(caller, &in)
	f = one.begin(r.Context(), &in)
	return one, f
}

// ofThread says whether a refusal is about the state of a thread.
func ofThread(f *httpd.Refusal) bool {
	switch f.Status {
	case http.StatusConflict, http.StatusNotFound:
		return true
	default:
		return f.Code == "token_scope_insufficient"
	}
}

// newRun is a run of a caller.
func (a *API) newRun(caller *httpd.Caller, in *input) *run {
	r := &run{api: a, thread: in.ThreadID, id: in.RunID, wants: map[string]bool{}}
	id := chatOf(in.ThreadID, func(id string) bool { _, ok := a.o.Native.ChatOf(caller, id); return ok })
	r.chat, _ = a.o.Native.ChatOf(caller, id)
	r.enc = encoder{
		put: r.put, thoughts: caller.Level.Allows(policy.LevelWrite), held: r.held,
	}
	return r
}

func itoa(n int) string { return strconv.Itoa(n) }

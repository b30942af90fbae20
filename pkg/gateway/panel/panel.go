package panel

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/rs/zerolog"

	"parley/pkg/agent/job"
	"parley/pkg/agent/trust"
	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// Tasks are the background tasks of chats; see package task.
type Tasks interface {
	Of(ctx context.Context, chat string) (running, recent []session.Task, err error)
	Find(ctx context.Context, chat, id string) (session.Task, error)
	Cancel(ctx context.Context, t *session.Task, by string, shape func(*session.Completion, *session.Task)) (bool, error)
}

// Store is the part of the engine that the panels read.
type Store interface {
	Lookup(ctx context.Context, a channels.Address) (session.Info, error)
	JobList(ctx context.Context, chat string) ([]session.Job, error)
	Shares(ctx context.Context, chat, from, to string, f func(session.Share)) error
	TurnUses(ctx context.Context, chat string, f func(session.TurnUse) bool) error
}

// Options are the parts of the panels; all are required.
type Options struct {
	// Place is the chat of a person with an id; false for what is no id.
	Place func(c *httpd.Caller, id string) (channels.Address, bool)
	Store Store
	Tasks Tasks
	// RemoveJob removes a schedule. [job.ErrConfigured] is its error for those that stay.
	RemoveJob func(ctx context.Context, id string) error
	// Describe puts the specification of a schedule in words.
	Describe func(spec json.RawMessage) string
	// Today is the day that counts in a chat now.
	Today    func(ctx context.Context, chat string, at channels.Address) string
	Currency string
	// Views are the values that owners read under a name. Decide answers a question of any chat
	// in the name of the operator.
	Views  func(ctx context.Context, name string, take admin.Emit) (known bool, err error)
	Decide func(ctx context.Context, d session.Decision, who string) error
	Redact func(string) string
	Log    zerolog.Logger
}

// Panels serve the routes.
type Panels struct{ o Options }

// New returns the panels.
func New(o Options) *Panels { return &Panels{o} }

// Routes are those of the page.
func (p *Panels) Routes() []httpd.Route {
	const chat = "/page/chats/{chat}"
	all := []httpd.Route{
		{Pattern: "GET " + chat + "/work", Handler: p.inChat(p.work)},
		{Pattern: "POST " + chat + "/tasks/{id}/cancel", Handler: p.inChat(p.cancel)},
		{Pattern: "POST " + chat + "/jobs/{id}/remove", Handler: p.inChat(p.remove)},
		{Pattern: "GET /page/owner/{what}", Handler: p.forOwner(p.view)},
		{Pattern: "POST /page/owner/approvals/{id}", Handler: p.forOwner(p.decide)},
	}
	for i := range all {
		all[i].Access = httpd.AccessPage
	}
	return all
}

// request is one of a person about a chat, which may have no words yet.
type request struct {
	*http.Request

	caller *httpd.Caller
	chat   session.Info
}

// principal is for whom the request is made, as the person's own message would be.
func (r *request) principal() trust.Principal {
	return trust.Principal{
		Sender: channels.Sender{ID: r.caller.Person.String()}, Level: r.caller.Level, Owner: r.caller.Owner, Person: true, Direct: true,
	}
}

// lateError is a decision that does not count any more.
type lateError struct{ error }

func (e *lateError) Unwrap() error { return e.error }

type serve = func(r *request) (any, error)

// errNotYours refuses the end of somebody else's work.
var errNotYours = errors.New("panel: somebody else's")

// errDecision refuses a word that is no decision.
var errDecision = errors.New("panel: no decision")

func (p *Panels) inChat(f serve) http.Handler {
	return p.handler(func(r *request) (any, error) {
		at, ok := p.o.Place(r.caller, r.PathValue("chat"))
		if !ok {
			return nil, session.ErrNotFound
		}
		info, err := p.o.Store.Lookup(r.Context(), at)
		if err != nil && !errors.Is(err, session.ErrNotFound) {
			return nil, err
		}
		info.Address, r.chat = at, info
		return f(r)
	})
}

func (p *Panels) forOwner(f serve) http.Handler {
	return p.handler(func(r *request) (any, error) {
		if !r.caller.Owner {
			return nil, session.ErrNotFound
		}
		return f(r)
	})
}

func (p *Panels) handler(f serve) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := f(&request{Request: r, caller: httpd.CallerFrom(r.Context())})
		if err != nil {
			httpd.Refuse(w, p.refusal(err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(v) // a browser that is gone needs no answer
	})
}

func (p *Panels) refusal(err error) httpd.Refusal {
	late, isLate := errors.AsType[*lateError](err)
	switch {
	case isLate:
		return httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: p.o.Redact(late.Error())}
	case errors.Is(err, session.ErrNotFound):
		return httpd.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: textNotFound}
	case errors.Is(err, errNotYours):
		return httpd.Refusal{Status: http.StatusForbidden, Code: "not_allowed", Message: textNotYours}
	case errors.Is(err, job.ErrConfigured):
		return httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textConfigured}
	case errors.Is(err, errDecision):
		return httpd.Refusal{Status: http.StatusBadRequest, Code: "bad_request", Message: textDecision, Param: "decision"}
	}
	p.o.Log.Error().Err(err).Msg("a request of the page failed")
	return httpd.Refusal{Status: http.StatusInternalServerError, Code: "internal_error", Message: textInternal}
}

// view answers an owner with the values of a view.
func (p *Panels) view(r *request) (any, error) {
	values := []json.RawMessage{}
	known, err := p.o.Views(r.Context(), r.PathValue("what"), func(v any) error {
		raw, ok := v.(json.RawMessage)
		if ok {
			values = append(values, raw)
		}
		return nil
	})
	if err == nil && !known {
		err = session.ErrNotFound
	}
	return map[string]any{"values": values}, err
}

// decide answers a question of any chat. Its chat carries the answer out.
func (p *Panels) decide(r *request) (any, error) {
	var d struct {
		Decision string `json:"decision"`
	}
	if f := httpd.Decode(r.Request, &d); f != nil || !slices.Contains([]string{"allow_once", "allow_here", "deny"}, d.Decision) {
		return nil, errDecision
	}
	decision := session.Decision{Approval: r.PathValue("id"), Allow: d.Decision != "deny", Here: d.Decision == "allow_here"}
	if err := p.o.Decide(r.Context(), decision, r.caller.Person.String()); err != nil {
		return nil, &lateError{err} // it is decided or over: the error says which
	}
	return struct{}{}, nil
}

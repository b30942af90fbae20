package fakeslack

import (
	"net/http"
	"time"

	"parley/internal/test/fakehttp"
)

// Rule says which requests are harmed, and how. Zero fields match everything.
type Rule struct {
	// Method is the name of a method, "upload" or "download".
	Method string
	// Chat is the channel's id.
	Chat string
	// If looks at the request itself. It must not call the server.
	If func(Request) bool
	// Skip lets so many matching requests pass first; Times bounds how many are
	// harmed after that, 0 means all.
	Skip, Times int

	Fault
}

// Fault is the fault of one request. The zero value is no fault.
type Fault struct {
	// Delay comes before everything else. A client that leaves meanwhile takes
	// its request with it.
	Delay time.Duration
	// DropBefore ends the connection without effect, DropAfter with it.
	DropBefore, DropAfter bool
	// HalfOpen has no effect and no answer, and keeps the connection until the client
	// leaves.
	HalfOpen bool
	// Error, when not empty, refuses by Slack's name for it, without effect.
	Error string
	// Status, when not 0, is the status of the refusal; without Error or Body it
	// says internal_error.
	Status int
	// RetryAfter, in seconds, makes the refusal a 429.
	RetryAfter int
	// Body, when not empty, is sent instead of Slack's form, as HTML, with Status.
	Body string
	// Hold passes between effect and answer.
	Hold time.Duration
	// Cut, when above 0, ends the connection after so many bytes of the answer.
	Cut int
}

// RateLimited is 429 with Retry-After.
func RateLimited(seconds int) Fault { return Fault{RetryAfter: seconds} }

// BadGateway is 502 with the HTML body of a proxy.
func BadGateway() Fault {
	return Fault{
		Status: http.StatusBadGateway,
		Body:   "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\r\n",
	}
}

// InternalError is 500 in Slack's form.
func InternalError() Fault { return Fault{Status: http.StatusInternalServerError} }

// Refusal is an error by its name, such as channel_not_found or token_revoked.
func Refusal(name string) Fault { return Fault{Error: name} }

// Harm adds a rule; the newest that matches wins. The returned function takes it away.
func (s *Server) Harm(r Rule) (heal func()) { return s.rules.Add(r.matches, r.Skip, r.Times, r.Fault) }

func (r *Rule) matches(req *Request) bool {
	return (r.Method == "" || r.Method == req.Method) &&
		(r.Chat == "" || r.Chat == req.Chat) &&
		(r.If == nil || r.If(*req))
}

// prevents says whether the request has no effect.
func (f *Fault) prevents() bool {
	return f.HalfOpen || f.DropBefore || f.Error != "" || f.Status != 0 || f.RetryAfter != 0
}

// instead acts in the place of effect and answer.
func (f *Fault) instead(w http.ResponseWriter, r *http.Request) {
	switch {
	case f.HalfOpen:
		<-r.Context().Done()
	case f.DropBefore:
		panic(http.ErrAbortHandler)
	case f.Body != "":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.refusal().status)
		fakehttp.WriteBody(w, []byte(f.Body), 0)
	default:
		refuse(w, f.refusal())
	}
}

func (f *Fault) refusal() *refusal {
	if f.HalfOpen || f.DropBefore {
		return &refusal{}
	}
	r := &refusal{name: f.Error, status: f.Status, retryAfter: f.RetryAfter}
	if r.retryAfter > 0 && r.status == 0 {
		r.status = http.StatusTooManyRequests
	}
	switch {
	case r.name != "":
	case r.retryAfter > 0:
		r.name = "ratelimited"
	case r.status != 0:
		r.name = "internal_error"
	}
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r
}

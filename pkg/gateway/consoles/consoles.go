package consoles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/user"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/pkg/audit"
	"parley/pkg/channels/console"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/socket"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/visible"
)

// Person is the person of all consoles.
const Person = "local"

// The bounds of one gateway: one user has half of the places at most.
const (
	maxStreams  = 256 // events of consoles, and consoles that wait for their last answer
	maxRequests = 128 // others under way
	bodyTime    = 30 * time.Second
)

// Options are the parts of a handler.
type Options struct {
	// Routes are those of the chats, below [admin.ConsolePath].
	Routes []httpd.Route
	// Quiet waits until nothing is under way in a chat, and then tells its readers a text.
	Quiet func(ctx context.Context, chat, text string) error
	// Passing says that a console runs the gateway: it ends with that.
	Passing bool
	// Note writes a row to the audit log.
	Note func(audit.Row)
}

// New serves the routes of chats to consoles.
func New(o Options) http.Handler {
	mux := http.NewServeMux()
	streams, others := newPlaces(maxStreams), newPlaces(maxRequests)
	for _, route := range append(slices.Clip(o.Routes), quiet(o)) {
		places := others
		if route.Streams {
			places = streams
		}
		mux.Handle(route.Pattern, attached(o, route, places))
	}
	return spoken(o, mux)
}

// spoken serves consoles that speak the protocol of this gateway, and tells them how long that lasts.
func spoken(o Options, served http.Handler) http.Handler {
	lasts := admin.LastsLong
	if o.Passing {
		lasts = admin.LastsPassing
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(admin.HeaderLasts, lasts)
		if version := r.Header.Get(admin.HeaderProtocol); version != admin.ConsoleProtocol {
			httpd.Refuse(w, httpd.Refusal{
				Status: http.StatusUpgradeRequired, Code: "protocol",
				Message: fmt.Sprintf(textProtocol, cmp.Or(visible.Text(version), textNone), admin.ConsoleProtocol),
			})
			return
		}
		served.ServeHTTP(w, r)
	})
}

// quiet is the route of a console that leaves when all is said.
func quiet(o Options) httpd.Route {
	return httpd.Route{
		Pattern: "POST " + admin.ConsolePath + "/chats/{chat}/quiet", Streams: true,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := o.Quiet(r.Context(), r.PathValue("chat"), r.URL.Query().Get("text")); err != nil {
				httpd.Refuse(w, httpd.Refusal{Status: http.StatusServiceUnavailable, Code: "not_now", Message: textNotNow})
				return
			}
			_, _ = io.WriteString(w, "{}") // a client that is gone needs no answer
		}),
	}
}

// attached is a route with its caller, as many at a time as there are places.
func attached(o Options, route httpd.Route, places *places) http.Handler {
	limit := route.MaxBody
	if limit == 0 {
		limit = httpd.MaxBody
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uid, ok := socket.PeerOf(r.Context())
		if !ok {
			httpd.Refuse(w, httpd.Refusal{Status: http.StatusForbidden, Code: "forbidden", Message: textNoUser})
			return
		}
		if !places.take(uid) {
			httpd.Refuse(w, httpd.Refusal{Status: http.StatusTooManyRequests, Code: "too_many", Message: textTooMany})
			return
		}
		defer places.leave(uid)
		note := func(outcome, detail string) {
			o.Note(audit.Row{
				Kind: audit.KindOperator, Channel: console.Name, Chat: r.PathValue("chat"), Sender: socket.Name(uid),
				Outcome: outcome, Detail: detail,
			})
		}
		switch {
		case !route.Streams:
			until := time.Now().Add(bodyTime)
			conn := http.NewResponseController(w)
			_ = errors.Join(conn.SetReadDeadline(until), conn.SetWriteDeadline(until.Add(bodyTime))) // a failure shows at the read
		case r.Method == http.MethodGet:
			note("attached", "")
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		answer := &watched{ResponseWriter: w}
		route.Handler.ServeHTTP(answer, r.WithContext(httpd.WithCaller(r.Context(), caller(uid))))
		if question := r.PathValue("approval"); question != "" && answer.status < http.StatusMultipleChoices {
			note("answered", "approval "+question)
		}
	})
}

// watched knows the status of an answer.
type watched struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *watched) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap serves [http.ResponseController].
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// places are those of requests under way.
type places struct {
	most int

	mu  sync.Mutex
	all int
	of  map[int]int // of users, by their ids
}

func newPlaces(most int) *places { return &places{most: most, of: map[int]int{}} }

// take takes a place for a user, if there is one: half of them are left to the others.
func (p *places) take(uid int) bool {
	const half = 2
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= p.most || p.of[uid] >= p.most/half {
		return false
	}
	p.all++
	p.of[uid]++
	return true
}

// leave gives a place back.
func (p *places) leave(uid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.of[uid]--; p.of[uid] == 0 {
		delete(p.of, uid)
	}
}

// caller is the person of the console, under the name of the machine's user.
func caller(uid int) *httpd.Caller {
	id := strconv.Itoa(uid)
	name := "uid " + id
	if u, err := user.LookupId(id); err == nil {
		name = u.Username
	}
	return &httpd.Caller{
		Person: policy.Person{Channel: console.Name, ID: Person}, Name: name, Level: policy.LevelExec, Owner: true,
		Credential: socket.Name(uid),
	}
}

package consoles

import (
	"context"
	"io"
	"net/http"
	"os/user"
	"slices"
	"strconv"
	"time"

	"parley/pkg/audit"
	"parley/pkg/channels/console"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/socket"
	"parley/pkg/httpd"
	"parley/pkg/policy"
)

// Person is the person of all consoles.
const Person = "local"

// The bounds of one gateway.
const (
	maxStreams  = 128 // events of consoles
	maxRequests = 64  // others under way
	bodyTime    = 30 * time.Second
)

// Options are the parts of a handler.
type Options struct {
	// Routes are those of the chats, below [admin.ConsolePath].
	Routes []httpd.Route
	// Quiet waits until nothing is under way in a chat, and then tells its readers a text.
	Quiet func(ctx context.Context, chat, text string) error
	// Note writes a row to the audit log.
	Note func(audit.Row)
}

// New serves the routes of chats to consoles.
func New(o Options) http.Handler {
	mux := http.NewServeMux()
	streams, others := make(chan struct{}, maxStreams), make(chan struct{}, maxRequests)
	for _, route := range append(slices.Clip(o.Routes), quiet(o)) {
		places := others
		if route.Streams {
			places = streams
		}
		mux.Handle(route.Pattern, attached(o, route, places))
	}
	return mux
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
func attached(o Options, route httpd.Route, places chan struct{}) http.Handler {
	limit := route.MaxBody
	if limit == 0 {
		limit = httpd.MaxBody
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uid, ok := socket.Peer(r.Context())
		if !ok {
			httpd.Refuse(w, httpd.Refusal{Status: http.StatusForbidden, Code: "forbidden", Message: textNoUser})
			return
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			httpd.Refuse(w, httpd.Refusal{Status: http.StatusTooManyRequests, Code: "too_many", Message: textTooMany})
			return
		}
		c := caller(uid)
		if !route.Streams {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // a failure shows at the read
		} else if r.Method == http.MethodGet {
			o.Note(audit.Row{
				Kind: audit.KindOperator, Channel: console.Name, Chat: r.PathValue("chat"), Sender: c.Credential,
				Outcome: "attached",
			})
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		route.Handler.ServeHTTP(w, r.WithContext(httpd.WithCaller(r.Context(), c)))
	})
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
		Credential: "uid/" + id,
	}
}

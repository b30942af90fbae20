package httpd

import (
	"context"
	"net/http"
)

// State is how the gateway does, for probes.
type State string

// The states of a gateway.
const (
	StateOK       State = "ok"
	StateDegraded State = "degraded"
	StateDown     State = "down"
)

// probes adds the two addresses for probes: healthz says that the process answers and its
// store can be written, readyz that it takes messages in.
func (s *Server) probes() {
	s.Handle(Route{Pattern: "GET /healthz", Access: AccessProbe, Handler: probe(s.opt.Healthy)})
	s.Handle(Route{Pattern: "GET /readyz", Access: AccessProbe, Handler: probe(s.opt.Ready)})
}

// probe answers with one word. Only a gateway that is down fails a probe: restarting or
// bypassing one that works in part would make it worse.
func probe(ask func(context.Context) State) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		state := ask(r.Context())
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if state == StateDown {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte(string(state) + "\n"))
	})
}

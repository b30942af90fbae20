package fakeslack

import (
	"context"
	"strconv"

	"parley/internal/test/fakehttp"
)

// Reasons of disconnect frames (docs.slack.dev/apis/events-api/using-socket-mode).
const (
	reasonWarning      = "warning"
	reasonRefresh      = "refresh_requested"
	reasonLinkDisabled = "link_disabled"
	reasonTooMany      = "too_many_websockets"
)

func disconnectFrame(reason string) []byte {
	return encode(map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]any{"host": "applink-1"}})
}

// Disconnect sends every socket a disconnect frame. With warning and refresh_requested
// the sockets stay for Options.Linger, and events go to newer ones as soon as there are
// some; with every other reason they end at once.
func (s *Server) Disconnect(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.hub.sockets {
		k.queue(frame{data: disconnectFrame(reason)})
		if reason != reasonWarning && reason != reasonRefresh {
			k.queue(closing())
			continue
		}
		k.leaving = true
		s.spawn(func(ctx context.Context) {
			if fakehttp.Pause(ctx, s.opt.Linger) {
				s.mu.Lock()
				k.queue(closing())
				s.mu.Unlock()
			}
		})
	}
	s.changed.Wake()
}

// Refuse makes the next times attempts to open a socket fail. With link_disabled and
// too_many_websockets the socket opens and gets a disconnect frame instead of a
// hello; every other reason is an error of apps.connections.open.
func (s *Server) Refuse(reason string, times int) {
	if reason != reasonLinkDisabled && reason != reasonTooMany {
		s.Harm(Rule{Method: "apps.connections.open", Times: times, Fault: Fault{Error: reason}})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub.refusals[reason] = times
}

// Cut ends every socket without a frame.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.hub.sockets {
		_ = k.conn.NetConn().Close()
	}
}

// Silence makes every open socket half open: no frame gets through in either direction,
// pings included, and the ends are not told.
func (s *Server) Silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.hub.sockets {
		k.silent = true
	}
}

// open answers apps.connections.open with a ticket that is good for one socket.
func (c *call) openSocket() (answer, error) {
	s := c.srv
	s.next++
	ticket := "ticket-" + strconv.Itoa(s.next)
	s.hub.tickets[ticket] = true
	return answer{"url": "ws" + s.http.URL()[len("http"):] + linkPath + "?ticket=" + ticket + "&app_id=" + appID}, nil
}

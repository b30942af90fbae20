package fakeslack

// pusher takes events to a URL instead of sockets.
type pusher struct{ url string }

// PushTo takes events over HTTP to url instead of through sockets, signed; see
// [Options].PushRetries. An empty url goes back to sockets.
func (s *Server) PushTo(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub.push = &pusher{url: url}
	if url == "" {
		s.hub.push = nil
	}
}

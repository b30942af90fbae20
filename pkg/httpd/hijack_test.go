package httpd_test

import (
	"net/http"
	"testing"
	"time"

	"parley/pkg/httpd"
)

// TestATakenConnectionEndsWithItsCredential: a handler that took the connection of a stream, and
// begins a write when the credential has ended, has no more time for it than one under way.
func TestATakenConnectionEndsWithItsCredential(t *testing.T) {
	t.Parallel()
	for name, bound := range map[string]func(deadlines, time.Time) error{
		"writes": deadlines.SetWriteDeadline, "reads and writes": deadlines.SetDeadline,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken, ended := make(chan struct{}), make(chan error, 1)
			w := newWorld(t, func(s *httpd.Server) {
				s.Handle(httpd.Route{
					Pattern: "GET /stream", Access: httpd.AccessProgram, Streams: true,
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						conn, _, err := http.NewResponseController(w).Hijack()
						if err != nil {
							ended <- err
							return
						}
						defer func() { _ = conn.Close() }()
						close(taken)
						<-r.Context().Done()
						err = bound(conn, time.Now().Add(time.Minute))
						if err == nil {
							_, err = conn.Write(make([]byte, 64<<20)) // more than the buffers between us take
						}
						ended <- err
					}),
				})
			})
			w.raw("GET /stream HTTP/1.1")
			<-taken
			w.revoke()
			select {
			case err := <-ended:
				if err == nil {
					t.Error("all was written")
				}
			case <-time.After(soon):
				t.Error("the write goes on")
			}
		})
	}
}

// deadlines are those of a connection.
type deadlines interface {
	SetDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

package native_test

import (
	"net/http"
	"testing"

	"parley/internal/test/apidoc"
)

// TestBodiesAreThoseOfTheDocument: each field of it is taken, and each value that it does not allow
// is refused.
func TestBodiesAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hello, look())
	for path, served := range map[string]int{"/chats/main/messages": http.StatusAccepted, "/chats/main/stop": http.StatusAccepted} {
		for _, b := range apidoc.Load(t).Bodies(t, http.MethodPost, "/api"+path) {
			want := served
			if !b.Takes {
				want = http.StatusBadRequest
			}
			if status, answer := w.do("ada", http.MethodPost, path, b.Text); status != want {
				t.Errorf("%s, %s: %d %v, want %d", path, b.About, status, answer, want)
			}
		}
	}
}

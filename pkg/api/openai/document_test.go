package openai_test

import (
	"net/http"
	"testing"

	"parley/internal/test/apidoc"
)

// TestBodiesAreThoseOfTheDocument of the gateway: each field of it is taken, and each value that it does not
// allow is refused.
func TestBodiesAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted, look())
	for _, path := range []string{"/chat/completions", "/responses"} {
		for _, b := range apidoc.Load(t).Bodies(t, http.MethodPost, "/v1"+path) {
			want := http.StatusOK
			if !b.Takes {
				want = http.StatusBadRequest
			}
			if status, answer := w.do("ada", http.MethodPost, path, b.Text); status != want {
				t.Errorf("%s, %s: %d %v, want %d", path, b.About, status, answer, want)
			}
		}
	}
}

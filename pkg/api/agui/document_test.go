package agui_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/apidoc"
)

// TestBodiesAreThoseOfTheDocument: each field of it is taken, and each value that it does not allow
// is refused.
func TestBodiesAreThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t, scripted)
	for i, b := range apidoc.Load(t).Bodies(t, http.MethodPost, "/agui") {
		want := http.StatusOK
		if !b.Takes {
			want = http.StatusBadRequest
		}
		resp := w.post(t.Context(), "ada", strings.Replace(b.Text, `"runId":"1"`, fmt.Sprintf(`"runId":"%d"`, i), 1))
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", b.About, resp.StatusCode, answer, want)
		}
	}
}

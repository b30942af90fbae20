package exchange_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// TestAPictureThatBecameABomb is sent to no model, though it was a small one when its message came.
func TestAPictureThatBecameABomb(t *testing.T) {
	t.Parallel()
	const head, small, huge, tail = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR", "\x00\x00\x00\x09", "\x00\x01\x00\x00", "\x08\x02\x00\x00\x00sum."
	for name, c := range map[string]struct {
		content string
		carried bool
	}{
		"a picture":      {head + small + small + tail, true},
		"a bomb":         {head + huge + huge + tail, false},
		"of a kind":      {"RIFF....HEIC", true}, // which a server may know
		"without a size": {"\x89PNG\r\n\x1a\nthe rest is missing", true},
	} {
		path := filepath.Join(t.TempDir(), "p.png")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		for kind, open := range map[string]func() (io.ReadCloser, int64, error){
			"a file": func() (io.ReadCloser, int64, error) {
				f, err := os.Open(path)
				return f, int64(len(c.content)), err
			},
			"a stream": func() (io.ReadCloser, int64, error) {
				return io.NopCloser(strings.NewReader(c.content)), int64(len(c.content)), nil
			},
		} {
			m := []providers.Message{{Role: providers.RoleUser, Content: "look", Images: []providers.Image{{Path: "p.png", Open: open}}}}
			p := exchange.Choose(m, true)
			if _, ok := p.Carried(&m[0].Images[0]); ok != c.carried || strings.Contains(p.Text(&m[0]), "not there any more") == ok {
				t.Errorf("%s, %s: carried: %v, %q", name, kind, ok, p.Text(&m[0]))
			}
		}
	}
}

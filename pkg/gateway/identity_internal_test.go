package gateway

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/pkg/channels/slack"
)

// TestKeptIdentity: a description counts for its own token, is kept privately, and any
// other content of the file is ignored.
func TestKeptIdentity(t *testing.T) {
	t.Parallel()
	k := keptIdentity{dir: t.TempDir()}
	const token, other = "xoxb" + "-canary", "xoxb" + "-new"
	if _, err := k.read(token); !errors.Is(err, errNoIdentity) {
		t.Errorf("known before it was told: %v", err)
	}
	for _, me := range []slack.Identity{{Team: "T1", User: "U1", Bot: "B1"}, theApp} {
		if err := k.write(token, me); err != nil {
			t.Fatal(err)
		}
		if got, err := k.read(token); got != me || err != nil {
			t.Errorf("%+v, %v; want %+v", got, err, me)
		}
	}
	if _, err := k.read(other); !errors.Is(err, errNoIdentity) {
		t.Errorf("known of another token: %v", err)
	}
	raw, err := os.ReadFile(k.path())
	if err != nil || strings.Contains(string(raw), "canary") || !strings.Contains(string(raw), fingerprint(token)) {
		t.Errorf("%s, %v", raw, err)
	}
	if st, err := os.Stat(k.path()); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if entries, err := os.ReadDir(k.dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	for _, text := range []string{
		"", "{", "[]", `{"token_sha256":"` + fingerprint(token) + `"}`,
		`{"token_sha256":"` + fingerprint(token) + `","is":{"team":"T1"}}`,
		strings.Replace(string(raw), fingerprint(token), token, 1),
	} {
		if err := os.WriteFile(k.path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := k.read(token); !errors.Is(err, errNoIdentity) {
			t.Errorf("%q tells %+v, %v", text, got, err)
		}
	}
	if err := (keptIdentity{dir: filepath.Join(k.dir, "none")}).write(token, theApp); err == nil {
		t.Error("written nowhere")
	}
	if err := errors.Join(k.forget(), k.forget(), os.Mkdir(k.path(), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := k.read(token); err == nil || errors.Is(err, errNoIdentity) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

package gateway

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// TestTokensThatHold: one is good until its end and until it is revoked; a message without a
// token has its person's level.
func TestTokensThatHold(t *testing.T) {
	t.Parallel()
	store, err := local.Open(t.Context(), local.Options{Dir: filepath.Join(t.TempDir(), "state"), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for i, one := range []session.Token{
		{ID: "good", Level: "read"},
		{ID: "lasting", Level: "write", Expires: time.Now().Add(time.Hour)},
		{ID: "over", Level: "write", Expires: time.Now().Add(-time.Second)},
		{ID: "revoked", Level: "exec"},
	} {
		one.Person = "web:ada"
		if err := store.Tokens().PutToken(t.Context(), session.TokenHash{byte(i)}, one); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Tokens().RevokeToken(t.Context(), "revoked"); err != nil {
		t.Fatal(err)
	}
	keys := keyring{tokens: store.Tokens()}
	for name, want := range map[string]policy.Level{
		"token/good": policy.LevelRead, "token/lasting": policy.LevelWrite, "session/1": "", "": "",
	} {
		if level, ok := keys.holds(name); level != want || !ok {
			t.Errorf("%s: %q, %v", name, level, ok)
		}
	}
	for _, name := range []string{"token/over", "token/revoked", "token/unknown", "token/"} {
		if level, ok := keys.holds(name); ok {
			t.Errorf("%s holds with %q", name, level)
		}
	}
}

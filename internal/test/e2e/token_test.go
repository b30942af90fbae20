package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/test/rig"
	"parley/pkg/gateway/admin"
)

// makesToken makes a token on the command line while the gateway runs.
func (w *world) makesToken(words ...string) admin.TokenReport {
	w.t.Helper()
	var r admin.TokenReport
	if err := json.Unmarshal([]byte(w.verb(append([]string{"token", "create", "--json"}, words...)...)), &r); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// verb gives the output of a command.
func (w *world) verb(words ...string) string {
	w.t.Helper()
	out, err := w.gw.Command(w.ctx, nil, words...).Output()
	if err != nil {
		w.t.Fatalf("%v: %v", words, err)
	}
	return string(out)
}

// isReady waits until the gateway takes messages in.
func (w *world) isReady(addr string) {
	w.t.Helper()
	w.until("the HTTP server", func() bool {
		req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, "http://"+addr+"/readyz", http.NoBody)
		if err != nil {
			w.t.Error(err)
			return true
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// whoAmI asks the gateway with a token.
func whoAmI(t *testing.T, addr, secret string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/api/me", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(text))
}

// TestTokensOfPrograms: a token made beside the running gateway is good at once and after a
// kill, for what it was given; revoked or expired, it is not, nor is any other text.
func TestTokensOfPrograms(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	w := prepare(t, echoes, rig.Config{HTTP: addr})
	w.start()
	t.Cleanup(func() { w.process.Kill() })
	w.isReady(addr)
	made := w.makesToken("web:ada", "--level", "chat", "--right", "approve", "--expires", "12h")
	brief := w.makesToken("web:ben", "--expires", "1s")
	want := fmt.Sprintf(`{"person":"web:ada","level":"chat","models":[],"rights":["approve"],"expires":%q}`, made.Expires.Format(time.RFC3339))
	if status, body := whoAmI(t, addr, made.Secret); status != http.StatusOK || body != want {
		t.Errorf("%d %s, want %s", status, body, want)
	}
	w.until("the end of the brief token", func() bool { status, _ := whoAmI(t, addr, brief.Secret); return status == http.StatusUnauthorized })
	w.kill()
	w.start()
	w.isReady(addr)
	if status, body := whoAmI(t, addr, made.Secret); status != http.StatusOK || body != want {
		t.Errorf("after a kill: %d %s", status, body)
	}
	if out := w.verb("token", "list"); !strings.Contains(out, made.ID) || strings.Contains(out, made.Secret) {
		t.Errorf("the list is %s", out)
	}
	w.verb("token", "revoke", made.ID)
	for _, secret := range []string{made.Secret, made.ID, made.Secret[:len(made.Secret)-1], "x"} {
		if status, _ := whoAmI(t, addr, secret); status != http.StatusUnauthorized {
			t.Errorf("%q: %d", secret, status)
		}
	}
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil || strings.Contains(string(log), made.Secret) {
		t.Errorf("the log has the secret, or cannot be read: %v", err)
	}
}

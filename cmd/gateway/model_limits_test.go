package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTheTotalLimitOfAModelIsTheTotal: a server demands a pause that outlasts the total
// limit of its model. It is asked once, and the person is told.
func TestTheTotalLimitOfAModelIsTheTotal(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, http.StatusTooManyRequests)
	}))
	t.Cleanup(srv.Close)
	w := newWorld(t, "")
	text := fmt.Sprintf("state_dir: state\nmodels: {main: {model: m, base_url: %q, timeouts: {total: 1s}}}\n", srv.URL+"/v1")
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := w.command("chat")
	cmd.Stdin = strings.NewReader("hello\n")
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != 1 || len(out) == 0 {
		t.Errorf("code %d, %v: %q", code, err, out)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

package exchange_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"parley/pkg/providers/internal/exchange"
)

// TestAReplacedKeyStaysHidden replaces the key while a request is under way. The server
// tells both in its refusal.
func TestAReplacedKeyStaysHidden(t *testing.T) {
	t.Parallel()
	var keys atomic.Int32
	key := func() string { return "sk-canary" + strings.Repeat("-next", int(keys.Load())) }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		old := r.Header.Get("X-Key")
		keys.Add(1)
		http.Error(w, fmt.Sprintf(`{"error":{"message":"%s is not valid any more, %s is"}}`, old, key()), http.StatusUnauthorized)
	}))
	t.Cleanup(srv.Close)
	c := exchange.New(exchange.Options{BaseURL: srv.URL, Key: key})
	t.Cleanup(c.Close)
	for range 20 { // more than a client remembers
		_, err := adapter{c}.ask(t.Context(), false, &exchange.Body{})
		if text := fmt.Sprint(err); !strings.Contains(text, "[redacted] is not valid any more, [redacted] is") {
			t.Fatalf("the error is %s", text)
		}
	}
}

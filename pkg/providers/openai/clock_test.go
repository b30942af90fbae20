package openai_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestADateToWaitForCountsByTheServersClock has servers with clocks far from ours.
func TestADateToWaitForCountsByTheServersClock(t *testing.T) {
	t.Parallel()
	for _, years := range []int{-3, 3} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			now := time.Now().UTC().AddDate(years, 0, 0)
			w.Header().Set("Date", now.Format(http.TimeFormat))
			w.Header().Set("Retry-After", now.Add(37*time.Second).Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		t.Cleanup(srv.Close)
		for way, p := range bothWays(provider(t, srv.URL)) {
			if got := askFailure(t, p).RetryAfter; got != 37*time.Second {
				t.Errorf("%d years ahead, %s: the wait is %v, want 37s", years, way, got)
			}
		}
	}
}

package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"parley/pkg/providers"
)

// TestACrowdOfPartsTakesLittleMemory has answers that are a megabyte of empty parts, each of
// which takes many times the memory of its text. It runs alone, because it measures.
func TestACrowdOfPartsTakesLittleMemory(t *testing.T) { //nolint:paralleltest // it measures
	const parts = 1 << 20
	many := strings.Repeat("{},", parts) + "{}"
	for name, body := range map[string]string{
		"choices": `{"choices":[` + many + `]}`,
		"calls":   `{"choices":[{"message":{"tool_calls":[` + many + `]}}]}`,
		"frame":   "data: " + `{"choices":[` + many + `]}` + "\n\n",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if name == "frame" {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			io.WriteString(w, body)
		}))
		t.Cleanup(srv.Close)
		p := provider(t, srv.URL)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		failure := askFailure(t, p)
		runtime.ReadMemStats(&after)
		if failure.Kind != providers.KindInvalid {
			t.Errorf("%s: %v", name, failure)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 64 {
			t.Errorf("%s: %d MiB for an answer of %d", name, took, len(body)>>20)
		}
	}
}

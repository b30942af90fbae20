package telemetry_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"parley/internal/test/faces"
	"parley/pkg/agent/turn"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// TestWhoReadsTelemetry: a token with the right, for 1 to 90 days.
func TestWhoReadsTelemetry(t *testing.T) {
	t.Parallel()
	p := newProcess(t.TempDir())
	p.stats = []tools.Stats{calls("read", "m", 2)}
	silent := faces.Answers(func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse { return faces.Says("") })
	w := faces.Open(t, faces.Options{
		Models: turn.Model{Provider: silent, Name: "script"},
		Keyring: faces.Ring{
			"reader": faces.Of("ada", policy.LevelRead, "t1", httpd.RightTelemetry),
			"other":  faces.Of("ada", policy.LevelWrite, "t2", httpd.RightApprove, httpd.RightCallTools),
		},
		Routes: func(*faces.World) []httpd.Route { return p.Routes() },
	})
	for _, c := range []struct {
		token, query string
		status       int
	}{
		{"reader", "", http.StatusOK},
		{"reader", "?days=90", http.StatusOK},
		{"reader", "?days=0", http.StatusBadRequest},
		{"reader", "?days=91", http.StatusBadRequest},
		{"reader", "?days=x", http.StatusBadRequest},
		{"other", "", http.StatusForbidden},
		{"nobody", "", http.StatusUnauthorized},
	} {
		status, answer := w.Do(http.MethodGet, "/api/tools/telemetry"+c.query, c.token, "")
		if status != c.status {
			t.Errorf("%s, %q: %d %v", c.token, c.query, status, answer)
		}
		raw, _ := json.Marshal(answer["rows"])
		const want = `[{"day":"2026-11-23","denied":0,"errors":{"timeout":2},"memo":0,"model":"m","offered":4,"picks":2,"refused":{},"runs":2,` +
			`"tool":"read","total":2000000000}]`
		if status == http.StatusOK && string(raw) != want {
			t.Errorf("%q: %s", c.query, raw)
		}
	}
}

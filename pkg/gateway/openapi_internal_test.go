package gateway

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/apidoc"
	"parley/pkg/config"
	"parley/pkg/httpd"
	"parley/pkg/policy"
)

// newServed makes a gateway with an HTTP server and a model.
func newServed(t *testing.T, model string) *App {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "parley.yaml")
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("state_dir: %q\nworkspace: %q\nmodels: {main: %s}\ntools: {approval: side_effects}\n"+
		"http: {listen: %q}\n",
		filepath.Join(dir, "state"), filepath.Join(dir, "workspace"), model, free.Addr())
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	none := func(name string) (string, bool) { return "a key", name == "K" }
	cfg, err := config.Load(path, config.Options{LookupEnv: none})
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), cfg, Options{LookupEnv: none, Log: zerolog.Nop(), Redactor: &policy.Redactor{}, Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// forPrograms says whether the document has a route: those of programs and probes, and what is below /api.
func forPrograms(r *httpd.Route) bool {
	_, path, _ := strings.Cut(r.Pattern, " ")
	return r.Access == httpd.AccessProgram || r.Access == httpd.AccessProbe || strings.HasPrefix(path, "/api/")
}

// TestTheDocumentHasEachRoute that programs have, and no other.
func TestTheDocumentHasEachRoute(t *testing.T) {
	t.Parallel()
	a := newServed(t, "{provider: offline}")
	served := map[string]bool{}
	rest := regexp.MustCompile(`\.\.\.}$`)
	for _, r := range a.front.server.Routes() {
		if !forPrograms(&r) {
			continue
		}
		pattern := rest.ReplaceAllString(r.Pattern, "}")
		served[pattern] = r.Access == httpd.AccessProgram
	}
	described := map[string]bool{}
	for _, op := range apidoc.Load(t).Operations() {
		described[op.Method+" "+op.Path] = !op.Open
	}
	for route, token := range served {
		needs, ok := described[route]
		switch {
		case !ok:
			t.Errorf("%s is served, and the OpenAPI document does not have it: add it to the file of its room in pkg/api/spec/document, "+
				"with its parameters, its body and each status that it answers", route)
		case needs != token:
			t.Errorf("%s takes a token: %v; the document says %v (\"security\": [] means none)", route, token, needs)
		}
	}
	for route := range described {
		if _, ok := served[route]; !ok {
			t.Errorf("%s is in the OpenAPI document (pkg/api/spec/document), and the gateway does not serve it", route)
		}
	}
}

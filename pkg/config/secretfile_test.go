package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/pkg/config"
)

// TestASecretIsRenewed replaces the file of a key in the ways in which owners do it. A file
// that cannot be read leaves the key as it was.
func TestASecretIsRenewed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "token")
	write := func(at, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(at, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
	}
	rename := func(text string) {
		t.Helper()
		write(path+".new", text, 0o600)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	old := func() { // as one that was written long ago
		t.Helper()
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	write(path, "token-0\n", 0o600)
	file := filepath.Join(dir, "parley.yaml")
	write(file, "models: {main: {model: m, api_keys: [\"file:token\", \"env:KEY\"]}}", 0o600)
	o := options()
	o.LookupEnv = func(string) (string, bool) { return "constant", true }
	cfg, err := config.Load(file, o)
	if err != nil {
		t.Fatal(err)
	}
	key := cfg.Models["main"].Keys()[0]
	for _, step := range []struct {
		name   string
		change func()
		want   string
		fails  bool
	}{
		{"as it was", func() {}, "token-0", false},
		{"written", func() { write(path, "token-1\n", 0o600) }, "token-1", false},
		{"written again at once", func() { write(path, "token-2\n", 0o600) }, "token-2", false},
		{"older", old, "token-2", false},
		{"replaced", func() { rename("token-3") }, "token-3", false},
		{"replaced by an old file", func() { rename("token-4"); old() }, "token-4", false},
		{"overwritten", func() { write(path, "token-A", 0o600) }, "token-A", false},
		{"empty", func() { write(path, "", 0o600) }, "token-A", true},
		{"whole again", func() { write(path, "token-5", 0o600) }, "token-5", false},
		{"for others to read", func() { rename("token-6"); write(path, "token-6", 0o644) }, "token-5", true},
		{"several lines", func() { rename("token-7\ntoken-8\n") }, "token-5", true},
		{"gone", func() { os.Remove(path) }, "token-5", true},
		{"back", func() { rename("token-9") }, "token-9", false},
	} {
		step.change()
		for range 2 {
			if got, err := key.Renewed(); got != step.want || (err != nil) != step.fails {
				t.Errorf("%s: %q, %v; want %q", step.name, got, err, step.want)
			}
		}
	}
	if key.Reveal() != "token-0" {
		t.Error("the value of the start has changed")
	}
	if got, err := cfg.Models["main"].Keys()[1].Renewed(); got != "constant" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/workspace"
)

// tree lists the files below dir with their modes; files must not be empty.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		out[rel] = info.Mode().String()
		if !d.IsDir() && info.Size() == 0 {
			t.Errorf("%s is empty", rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNewFolders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(string) error
		want map[string]string
	}{
		{"Init", workspace.Init, map[string]string{
			".": "drwx------", "AGENT.md": "-rw-------", "skills": "drwx------", "skills/README.md": "-rw-------",
			"tools": "drwx------", "tools/README.md": "-rw-------",
			"tools/weather": "drwx------", "tools/weather/tool.yaml": "-rw-------", "tools/weather/run": "-rwx------",
			"tools/stock": "drwx------", "tools/stock/tool.yaml": "-rw-------",
			"tools/stock/run": "-rwx------", "tools/stock/stock.csv": "-rw-------",
		}},
		{"EnsureSpace", workspace.EnsureSpace, map[string]string{
			".": "drwx------", "USER.md": "-rw-------", "MEMORY.md": "-rw-------",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a", "b")
			for range 2 {
				if err := tt.make(dir); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, tree(t, dir)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestExistingFilesStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	write("AGENT.md", "mine")
	write("MEMORY.md", "")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Symlink(outside, filepath.Join(dir, "USER.md")); err != nil {
		t.Fatal(err)
	}
	for _, f := range []func(string) error{workspace.Init, workspace.EnsureSpace} {
		if err := f(dir); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"AGENT.md": "mine", "MEMORY.md": ""} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was made through a link")
	}
	if _, err := os.Stat(filepath.Join(dir, "skills", "README.md")); err != nil {
		t.Error(err)
	}
}

func TestMissingFileComesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := workspace.EnsureSpace(dir); err != nil {
		t.Fatal(err)
	}
	want := tree(t, dir)
	if err := os.Remove(filepath.Join(dir, "USER.md")); err != nil {
		t.Fatal(err)
	}
	if err := workspace.EnsureSpace(dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestDeletedExampleStaysDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := workspace.Init(dir); err != nil {
		t.Fatal(err)
	}
	weather := filepath.Join(dir, workspace.Tools, "weather")
	if err := os.RemoveAll(weather); err != nil {
		t.Fatal(err)
	}
	if err := workspace.Init(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(weather); err == nil {
		t.Error("the example came back")
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "space")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := workspace.EnsureSpace(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := tree(t, dir); len(got) != 3 {
		t.Error(got)
	}
}

func TestUnusableFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := workspace.EnsureSpace(filepath.Join(file, "space")); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v, want an error that names the folder", err)
	}
}

// TestAgentPrompt holds the prompt to the rules that the rest of the product relies on.
func TestAgentPrompt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := workspace.Init(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "AGENT.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Parley", "calculator", "USER.md", "MEMORY.md", "interrupted", "not orders", "refused"} {
		if !strings.Contains(string(text), word) {
			t.Errorf("AGENT.md does not mention %s", word)
		}
	}
}

// TestRemainsOfAKilledProcess are no whole files: they go, and a link in the place of one leads nowhere.
func TestRemainsOfAKilledProcess(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	if err := errors.Join(
		os.WriteFile(outside, []byte("mine"), 0o600), os.Symlink(outside, filepath.Join(dir, ".USER.md.part")),
		os.WriteFile(filepath.Join(dir, ".MEMORY.md.part"), nil, 0o600), os.WriteFile(filepath.Join(dir, ".AGENT.md.part"), nil, 0o600),
		os.MkdirAll(filepath.Join(dir, ".tools.part", "weather"), 0o700),
		os.WriteFile(filepath.Join(dir, ".tools.part", "weather", "run"), nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	whole := t.TempDir()
	for _, dir := range []string{dir, whole} {
		if err := errors.Join(workspace.Prepare(dir), workspace.EnsureSpace(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(tree(t, whole), tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "mine" {
		t.Errorf("the file outside is %q, %v", b, err)
	}
}

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCommandsOfTheConsolePage runs each command of docs/console.md as it stands, with names in place
// of the words that stand for names.
func TestCommandsOfTheConsolePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/console.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("gateway")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "")
	w.file("bin/parley", "", 0o600)
	link := filepath.Join(w.dir, "bin", "parley")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	w.file("question.txt", "what is 2*3?\n", 0o600)
	commands := regexp.MustCompile("`((?:[^`\n]*\\| )?parley [^`]*)`").FindAllStringSubmatch(string(page), -1)
	ran := map[string]bool{}
	for _, found := range commands {
		line := strings.ReplaceAll(strings.Join(strings.Fields(found[1]), " "), "NAME", "notes")
		if ran[line] {
			continue
		}
		ran[line] = true
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = w.dir
		cmd.Env = []string{"HOME=" + w.dir, "OLLAMA_HOST=127.0.0.1:1", "PATH=" + filepath.Dir(link) + ":" + os.Getenv("PATH")}
		cmd.Stdin = strings.NewReader("what is 2*3?\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
	if len(ran) < 6 {
		t.Errorf("the page has %d commands only", len(ran))
	}
}

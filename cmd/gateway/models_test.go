package main_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/kindserver"
	"parley/pkg/providers/kinds"
)

// TestModelsTest checks the scripted server of every kind by the command: it prints the
// table of docs/models.md, that of the servers and that of the families.
func TestModelsTest(t *testing.T) {
	t.Parallel()
	servers := kinds.Servers()
	got := append(checked(t, servers), checked(t, kinds.All()[len(servers):])...)
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(page), "<!-- check -->\n```\n")
	part, _, _ = strings.Cut(part, "```\n")
	want := rows(part)
	slices.Sort(got)
	slices.Sort(want)
	if len(want) != len(kinds.All()) || !slices.Equal(got, want) {
		t.Errorf("printed\n%s\nwant the rows of\n%s", strings.Join(got, "\n"), part)
	}
}

// checked are the rows that the command prints of the scripted servers of kinds.
func checked(t *testing.T, of []kinds.Kind) []string {
	t.Helper()
	var models strings.Builder
	for i := range of {
		k := &of[i]
		s, model := kindserver.New(k)
		t.Cleanup(s.Close)
		fmt.Fprintf(&models, "  %q:\n    base_url: %s\n    model: %q\n    images: %t\n", k.Title, s.URL(), model, k.Traits.Images != kinds.No)
		if len(k.Hosts) > 0 {
			fmt.Fprintf(&models, "    kind: %s\n", k.Name)
		}
	}
	w := newWorld(t, "")
	config := fmt.Sprintf("state_dir: state\nagent: {model: %q}\nmodels:\n%s", of[0].Title, &models)
	if err := os.WriteFile(w.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := w.run("models", "test")
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	return rows(stdout)
}

// rows are those of a table below its head, without the spaces that align them.
func rows(table string) []string {
	var all []string
	for line := range strings.Lines(table) {
		all = append(all, strings.Join(strings.Fields(line), " "))
	}
	return all[min(2, len(all)):]
}

// TestModelsTestNamesWhatItLeavesOut tells of a model that lacks its key, which cannot be asked.
func TestModelsTestNamesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	s, model := kindserver.New(&kinds.Servers()[0])
	t.Cleanup(s.Close)
	w := newWorld(t, "")
	server := fmt.Sprintf("base_url: %s, model: %q", s.URL(), model)
	const models = "models:\n  main: {%[1]s}\n  lost: {%[1]s, api_key: env:NO_SUCH_KEY}\n"
	config := fmt.Sprintf("state_dir: state\nagent: {model: main}\n"+models, server)
	if err := os.WriteFile(w.config, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := w.run("models", "test")
	if code != 0 || !strings.HasSuffix(stdout, "\nlost: not asked, because a key that models.lost names is missing\n") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if stdout, _, _ = w.run("models", "test", "main"); strings.Contains(stdout, "lost") {
		t.Errorf("of main alone: %s", stdout)
	}
}

// TestModelsTestFails tells that a model is out of reach, by the exit code too, and knows no
// model that is not configured.
func TestModelsTestFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "http://127.0.0.1:1")
	stdout, stderr, code := w.run("models", "test", "main")
	if code != 1 || !strings.Contains(stdout, "| main ") || !strings.Contains(stdout, "127.0.0.1:1") || stderr == "" {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	_, stderr, code = w.run("models", "test", "mian")
	if code != 2 || !strings.Contains(stderr, "there is no model mian") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

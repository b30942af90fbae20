package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/testtools"
	"parley/pkg/tools/script"
	"parley/workspace"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir, err := script.Create(w.dir, "greet")
	if err != nil || dir != filepath.Join(w.dir, "greet") {
		t.Fatal(dir, err)
	}
	if got := w.call(t, "greet", map[string]any{"who": "Ann"}); got.IsError || got.ForLLM != "Hello, Ann!" {
		t.Errorf("%+v", got)
	}
	if got := w.call(t, "greet", nil); !strings.Contains(got.ForLLM, "invalid_arguments") {
		t.Errorf("%+v", got)
	}
	if _, err := script.Create(w.dir, "greet"); !errors.Is(err, os.ErrExist) {
		t.Errorf("a taken name: %v", err)
	}
	for _, bad := range []string{"", "..", ".", "a/b", "../x", "/x", "a b", "a\n", "ü", strings.Repeat("x", 65), "a\x00"} {
		if _, err := script.Create(w.dir, bad); err == nil {
			t.Errorf("%q was made", bad)
		}
	}
	if got := script.Names(w.dir); !slices.Equal(got, []string{"greet"}) {
		t.Errorf("%q", got)
	}
}

// TestExamples runs the examples of a new workspace.
func TestExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base := filepath.Join(t.TempDir(), "workspace")
	if err := workspace.Init(base); err != nil {
		t.Fatal(err)
	}
	w.dir = filepath.Join(base, workspace.Tools)
	r := w.registry(t)
	for _, name := range []string{"stock", "weather"} {
		if got := r.Reason(name); got != "switched off" {
			t.Errorf("%s: %q", name, got)
		}
		file := filepath.Join(w.dir, name, "tool.yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "enabled: false", "enabled: true", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.call(t, "stock", map[string]any{
		"article": "HINGE",
	}); got.ForLLM != "article,place,number\nhinge 40 mm,A1,120\nhinge 60 mm,A2,80" {
		t.Errorf("%+v", got)
	}
	if got := w.call(t, "stock", map[string]any{"article": `x"}; system("id"); {`}); got.ForLLM != "no article has this in its name" {
		t.Errorf("%+v", got)
	}
	w.runner.path = t.TempDir()
	if err := testtools.WriteProgram(filepath.Join(w.runner.path, "curl"), "#!/bin/sh\nfor a; do :; done\necho \"asked $a\"\n"); err != nil {
		t.Fatal(err)
	}
	if got := w.call(t, "weather", map[string]any{"city": "New York"}); got.ForLLM != "asked https://wttr.in/New%20York?format=3" ||
		!w.runner.last(t).Network {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"", "../x", "a?b", "a&b=c", "x#", "user@host"} {
		if got := w.call(t, "weather", map[string]any{"city": bad}); !strings.Contains(got.ForLLM, "invalid_arguments") {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

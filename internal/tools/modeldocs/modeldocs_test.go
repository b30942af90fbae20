package modeldocs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/internal/tools/modeldocs"
	"parley/pkg/config"
	"parley/pkg/providers/kinds"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestConfigsLoad loads each configuration of the page as a gateway does: it is valid,
// and its server and model are the ones of its heading.
func TestConfigsLoad(t *testing.T) {
	t.Parallel()
	all, err := modeldocs.Configs()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Errorf("only %d configurations", len(all))
	}
	for name, text := range all {
		path := filepath.Join(t.TempDir(), "parley.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(path, config.Options{
			Home: t.TempDir(), Built: []string{"console"},
			LookupEnv: func(variable string) (string, bool) { return "the key in " + variable, true },
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m := cfg.Models[cfg.Agent.Model]
		if own := map[string]string{"gemini": config.GeminiURL, "anthropic": config.AnthropicURL}[m.Provider]; own != "" {
			if vertex := strings.HasPrefix(name, "vertex"); m.Bearer != vertex || vertex == (m.BaseURL == own) || !m.Images {
				t.Errorf("%s: %+v", name, m)
			}
			continue
		}
		match, _ := kinds.Of("", m.BaseURL, m.Model)
		if match.Server != name || match.Family == "" {
			t.Errorf("%s is taken for %q with a model of the family %q", name, match.Server, match.Family)
		}
		i := 0
		for i < len(kinds.Servers())-1 && kinds.Servers()[i].Name != name {
			i++
		}
		key := kinds.Servers()[i].Key
		if got := m.APIKey.Reveal(); key != "" && got != "the key in "+key || key == "" && got != "" {
			t.Errorf("%s: the key is %q, want that in %q", name, got, key)
		}
	}
}

// TestFill refuses a page that lacks a part, or has one too many.
func TestFill(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"", "<!-- servers -->\n<!-- end -->\n", "<!-- mistakes -->\n<!-- end -->\n"} {
		if got, err := modeldocs.Fill(t.Context(), page); err == nil {
			t.Errorf("%q is filled as %q", page, got)
		}
	}
	page := "a\n"
	for _, part := range []string{"connections", "servers", "families", "check", "own"} {
		page += "<!-- " + part + " -->\nold\n<!-- end -->\n"
	}
	got, err := modeldocs.Fill(t.Context(), page+"z\n")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got, "a\n<!-- connections -->\n") || !strings.HasSuffix(got, "<!-- end -->\nz\n") || strings.Contains(got, "old\n") {
		t.Errorf("the page is %.300s", got)
	}
	again, err := modeldocs.Fill(t.Context(), got)
	if err != nil || again != got {
		t.Errorf("made twice, the page differs: %v", err)
	}
}

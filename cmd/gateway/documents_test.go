package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConfigurationInDocuments: every YAML block of the documents, as it stands, is a
// configuration that config check takes. A block that names a file is a part of a
// walk-through, which has its own test.
func TestConfigurationInDocuments(t *testing.T) {
	t.Parallel()
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, doc := range append(docs, "../../README.md") {
		raw, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		blocks := yamlBlocks(string(raw))
		if opened := strings.Count(string(raw), "```yaml\n"); opened != len(blocks) {
			t.Errorf("%s: %d of %d YAML blocks are read", doc, len(blocks), opened)
		}
		total += len(blocks)
		for i, text := range blocks {
			t.Run(fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(doc), ".md"), i+1), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "")
				w.env = append(w.env, "OPENAI_API_KEY=sk-1", "TELEGRAM_TOKEN=11:canary-token",
					"HELP_TOKEN=12:canary-token", "TEAM_TOKEN=13:canary-token", "TELEGRAM_SECRET=hook-1",
					"BRAVE_API_KEY=bsa-1", "SLACK_BOT_TOKEN=xoxb-1", "SLACK_APP_TOKEN=xapp-1", "SLACK_SIGNING_SECRET=0123456789abcdef0123456789abcdef")
				for _, m := range regexp.MustCompile(`env:([A-Z_]+_KEY(?:_[0-9])?|VERTEX_TOKEN|HF_TOKEN)\b`).FindAllStringSubmatch(text, -1) {
					w.env = append(w.env, m[1]+"=key-1")
				}
				prompts := filepath.Join(filepath.Dir(w.config), "prompts")
				if err := os.MkdirAll(prompts, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(prompts, "family.md"), []byte("Be brief."), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if out, errs, code := w.run("config", "check"); code != 0 {
					t.Errorf("config check ends with %d:\n%s%s\n%s", code, out, errs, text)
				}
			})
		}
	}
	if total < 10 {
		t.Errorf("only %d YAML blocks in the documents", total)
	}
}

// yamlBlocks are the fenced blocks of a document, those in lists without their
// indentation.
func yamlBlocks(doc string) []string {
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^( *)```yaml\n(.*?\n) *```$").FindAllStringSubmatch(doc, -1) {
		all = append(all, strings.ReplaceAll("\n"+m[2], "\n"+m[1], "\n"))
	}
	return all
}

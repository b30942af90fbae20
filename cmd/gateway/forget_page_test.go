package main_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheForgettingPageIsRun: the script forget.txtar runs each command of docs/forgetting.md, with names in place of
// the words that stand for names.
func TestTheForgettingPageIsRun(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/forgetting.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/forget.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	for _, m := range regexp.MustCompile(`(?m)^(?:exec|exits \d) gateway (.*)$`).FindAllStringSubmatch(string(script), -1) {
		words := strings.Fields(strings.ReplaceAll(m[1], "--config c.yaml", ""))
		ran = append(ran, strings.Join(words, " "))
	}
	names := strings.NewReplacer("CHANNEL:CHAT", "console:local", "ID", "--yes --wait $LEFT", "FILE", "backup.db")
	commands := regexp.MustCompile("(?m)^(?:\\| `)?parley ([^`\n]*)(?:` \\||$)").FindAllStringSubmatch(string(page), -1)
	for _, m := range commands {
		if !slices.Contains(ran, names.Replace(m[1])) {
			t.Errorf("the script does not run parley %s", m[1])
		}
	}
	if len(commands) != 5 {
		t.Errorf("the page has the commands %q", commands)
	}
}

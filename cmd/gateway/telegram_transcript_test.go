package main_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/faketelegram"
)

// TestTelegramInReadme follows the steps in README.md: it runs the gateway with
// the configuration that is written there, on a server of our own, says what the
// person says there and holds the answers against those that are shown.
func TestTelegramInReadme(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := section(string(raw), "Telegram")
	configured, shown := fenced(readme, "yaml"), fenced(readme, "text telegram")
	approve := regexp.MustCompile("`bin/gateway pair approve ([A-Z0-9]+)`").FindStringSubmatch(readme)
	if len(configured) != 1 || len(shown) != 3 || approve == nil {
		t.Fatalf("README.md has %d configurations and %d conversations within lists, want 1 and 3, and approves %q", len(configured), len(shown), approve)
	}
	srv := faketelegram.New(t)
	w := newWorld(t, "")
	w.env = []string{"TELEGRAM_TOKEN=" + srv.Token()}
	text := configured[0] + fmt.Sprintf("    api_url: %s\nstate_dir: state\nmodels: {main: {provider: offline}}\n", srv.URL())
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	chat := srv.Private(srv.User("Ann"))
	heard := 0
	var got []string
	hear := func() string {
		t.Helper()
		heard++
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		messages, err := chat.Await(ctx, heard)
		if err != nil {
			t.Fatalf("after %q: %v\n%s", got, err, g.errs)
		}
		return messages[heard-1].Text + "\n"
	}
	ask := func(block string) string {
		t.Helper()
		var b strings.Builder
		for _, question := range regexp.MustCompile(`(?m)^> (.*)$`).FindAllStringSubmatch(block, -1) {
			chat.Say(question[1])
			b.WriteString("> " + question[1] + "\n" + hear())
		}
		return b.String()
	}
	stranger := ask(shown[0])
	code := regexp.MustCompile(`(?m)^[A-Z0-9]{8}$`).FindString(stranger)
	if _, errs, status := w.run("pair", "approve", code); status != 0 {
		t.Fatalf("pair approve %q: %s", code, errs)
	}
	got = append(got, strings.ReplaceAll(stranger, code, approve[1]), hear(), ask(shown[2]))
	if diff := cmp.Diff(shown, got); diff != "" {
		t.Errorf("the conversation in README.md (-shown +got):\n%s", diff)
	}
}

// section is what a document says under a second-level heading.
func section(doc, heading string) string {
	_, text, _ := strings.Cut(doc, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// fenced are the blocks with that word behind their fence that stand in a list,
// without their indentation.
func fenced(doc, word string) []string {
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^( +)```"+word+"\n(.*?)^ +```$").FindAllStringSubmatch(doc, -1) {
		all = append(all, regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], ""))
	}
	return all
}

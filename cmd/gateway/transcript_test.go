package main_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
)

// TestTelegramInReadme follows the steps in README.md on a server of our own.
func TestTelegramInReadme(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	chat := srv.Private(srv.User("Ann"))
	steps{
		heading: "Telegram", env: []string{"TELEGRAM_TOKEN=" + srv.Token()}, url: srv.URL(),
		say: func(text string) { chat.Say(text) },
		hear: func(ctx context.Context, n int) (string, error) {
			messages, err := chat.Await(ctx, n)
			if err != nil {
				return "", err
			}
			return messages[n-1].Text, nil
		},
	}.follow(t)
}

// steps are those in README.md under a heading, from the start to the first answer, and
// the platform on which they are done.
type steps struct {
	heading string
	env     []string
	// url is where the platform is, say is the person's part there, and hear waits for
	// the bot's n-th message.
	url  string
	say  func(text string)
	hear func(ctx context.Context, n int) (string, error)
}

// follow runs the gateway with the configuration of the section, says the person's
// words and compares the answers with the shown ones.
func (s steps) follow(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := section(string(raw), s.heading)
	configured, shown := fenced(readme, "yaml"), fenced(readme, "text "+strings.ToLower(s.heading))
	approve := regexp.MustCompile("`bin/parley pair approve --owner ([A-Z0-9]+)`").FindStringSubmatch(readme)
	if len(configured) != 1 || len(shown) != 3 || approve == nil {
		t.Fatalf("README.md has %d configurations and %d conversations within lists, want 1 and 3, and approves %q",
			len(configured), len(shown), approve)
	}
	w := newWorld(t, "")
	w.env = s.env
	text := configured[0] + fmt.Sprintf("    api_url: %s\nstate_dir: state\nmodels: {main: {provider: offline}}\n", s.url)
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	heard := 0
	var got []string
	hear := func() string {
		t.Helper()
		heard++
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		text, err := s.hear(ctx, heard)
		if err != nil {
			t.Fatalf("after %q: %v\n%s", got, err, g.errs)
		}
		return text + "\n"
	}
	ask := func(block string) string {
		t.Helper()
		var b strings.Builder
		for _, question := range regexp.MustCompile(`(?m)^> (.*)$`).FindAllStringSubmatch(block, -1) {
			s.say(question[1])
			b.WriteString("> " + question[1] + "\n" + hear())
		}
		return b.String()
	}
	stranger := ask(shown[0])
	code := regexp.MustCompile(`(?m)^[A-Z0-9]{8}$`).FindString(stranger)
	if _, errs, status := w.run("pair", "approve", "--owner", code); status != 0 {
		t.Fatalf("pair approve %q: %s", code, errs)
	}
	got = append(got, strings.ReplaceAll(stranger, code, approve[1]), hear(), ask(shown[2]))
	if diff := cmp.Diff(shown, got); diff != "" {
		t.Errorf("the conversation in README.md (-shown +got):\n%s", diff)
	}
}

// section is the text of a document under a second-level heading.
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

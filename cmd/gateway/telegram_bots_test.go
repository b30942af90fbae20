package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/faketelegram"
)

// TestTelegramAccounts runs two bots, and whom one lets in writes to both.
func TestTelegramAccounts(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	help, ops := srv.Bot(), srv.AddBot("ops_bot")
	ann, ben := srv.User("Ann"), srv.User("Ben")
	w := newWorld(t, "")
	w.env = []string{"HELP=" + help.Token(), "OPS=" + ops.Token()}
	text := fmt.Sprintf(`state_dir: state
log: {format: json}
models: {main: {provider: offline}}
channels:
  telegram:
    enabled: true
    api_url: %s
    accounts:
      - {name: help, token: env:HELP, allow: [%d]}
      - {name: ops, token: env:OPS, allow: [%d]}
`, srv.URL(), ann.ID, ben.ID)
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	for _, tc := range []struct {
		bot     *faketelegram.Bot
		person  faketelegram.User
		allowed bool
	}{{help, ann, true}, {ops, ann, false}, {help, ben, false}, {ops, ben, true}} {
		chat := tc.bot.Private(tc.person)
		chat.Say("what is 6*7?")
		answered := func() bool {
			return slices.ContainsFunc(chat.Texts(), func(s string) bool { return strings.Contains(s, "6*7 = 42") })
		}
		if tc.allowed {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			if err := srv.Until(ctx, answered); err != nil {
				t.Errorf("%s writes to bot %d: %v: %s", tc.person.FirstName, tc.bot.ID(), err, g.errs)
			}
			cancel()
			continue
		}
		id, account := strconv.FormatInt(tc.person.ID, 10), strconv.FormatInt(tc.bot.ID(), 10)
		g.errs.wait(t, fmt.Sprintf(`"account":%q,"chat":%q,"sender":%q`, account, id, id))
		if answered() {
			t.Errorf("%s is answered by bot %d", tc.person.FirstName, tc.bot.ID())
		}
	}
	for _, bot := range []*faketelegram.Bot{help, ops} {
		if _, secret, _ := strings.Cut(bot.Token(), ":"); strings.Contains(g.errs.String(), secret) {
			t.Errorf("the token of bot %d is in the log", bot.ID())
		}
	}
}

// TestTelegramGroupKeepsItsFiles when it becomes a supergroup.
func TestTelegramGroupKeepsItsFiles(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	ann := srv.User("Ann")
	w := newWorld(t, "")
	w.env = []string{"TOKEN=" + srv.Token()}
	text := fmt.Sprintf(`state_dir: state
models: {main: {provider: offline}}
channels: {telegram: {enabled: true, token: env:TOKEN, api_url: %s, allow: [%d]}}
`, srv.URL(), ann.ID)
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	send := func(chat *faketelegram.Chat, name string) {
		t.Helper()
		chat.Document(faketelegram.File{Name: name, Data: []byte(name)}, "@"+srv.Bot().User().Username+" what is 6*7?")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if _, err := chat.Await(ctx, 1); err != nil {
			t.Fatalf("%s: %v: %s", name, err, g.errs)
		}
	}
	group := srv.Group("Club", ann)
	send(group, "before.txt")
	send(group.Migrate(), "after.txt")
	files, err := filepath.Glob(filepath.Join(w.dir, "state", "workspace", "chats", "*", "inbox", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 || filepath.Dir(files[0]) != filepath.Dir(files[1]) {
		t.Errorf("the files are %q, want two in one space", files)
	}
}

// TestTelegramGroupKeepsItsRules when it becomes a supergroup: the id in the
// configuration stands for the group that it became, also after a restart.
func TestTelegramGroupKeepsItsRules(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	ann := srv.User("Ann")
	spoken, silent := srv.Group("Club", ann), srv.Group("Quiet", ann)
	w := newWorld(t, "")
	w.env = []string{"TOKEN=" + srv.Token()}
	text := fmt.Sprintf(`state_dir: state
models: {main: {provider: offline}}
channels: {telegram: {enabled: true, token: env:TOKEN, api_url: %s, groups: {allow: [%[2]d, %[3]d]}}}
tools:
  chats:
    "telegram:%[2]d": {level: read, disabled: [current_time]}
    "telegram:%[3]d": {level: none}
`, srv.URL(), spoken.ID(), silent.ID())
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	answers := map[*faketelegram.Chat]int{}
	ask := func(chat *faketelegram.Chat, command string) string {
		t.Helper()
		chat.Say("/" + command + "@" + srv.Bot().User().Username)
		answers[chat]++
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		messages, err := chat.Await(ctx, answers[chat])
		if err != nil {
			t.Fatalf("/%s: %v: %s", command, err, g.errs)
		}
		return messages[len(messages)-1].Text
	}
	rules := func(chat *faketelegram.Chat) []string {
		t.Helper()
		_, level, _ := strings.Cut(ask(chat, "status"), "Level: ")
		return []string{level, ask(chat, "tools")}
	}
	want := rules(spoken)
	if want[0] != "read" || strings.Contains(want[1], "current_time") || !strings.Contains(want[1], "calculator") {
		t.Fatalf("the rules before are %q", want)
	}
	spoken, silent = spoken.Migrate(), silent.Migrate()
	for _, when := range []string{"at run time", "after a restart"} {
		if got := rules(spoken); !slices.Equal(got, want) {
			t.Errorf("%s the rules are %q, want %q", when, got, want)
		}
		if got := rules(silent); got[0] != "none" || strings.Contains(got[1], "calculator") {
			t.Errorf("%s the group that had said nothing has the rules %q", when, got)
		}
		if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		g.end()
		g = w.start("run")
	}
}

package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/faketelegram"
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

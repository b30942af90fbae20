package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
)

// onSlack starts a gateway on a workspace, with lines added to its configuration.
func onSlack(t *testing.T, srv *fakeslack.Server, allow, lines string) (*world, *gateway) {
	t.Helper()
	w := newWorld(t, "")
	w.env = []string{"SLACK_BOT_TOKEN=" + srv.BotToken(), "SLACK_APP_TOKEN=" + srv.AppToken()}
	text := fmt.Sprintf(`state_dir: state
log: {format: json}
models: {main: {provider: offline}}
channels:
  slack: {enabled: true, bot_token: env:SLACK_BOT_TOKEN, app_token: env:SLACK_APP_TOKEN, api_url: %q, allow: [%s]}
%s`, srv.URL(), allow, lines)
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	g.ready()
	return w, g
}

// TestSlackIsToldCommandsThatSlackTakes: Slack's clients keep words that begin with a
// slash for themselves, so the bot tells of commands as they can be written there.
func TestSlackIsToldCommandsThatSlackTakes(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ann := srv.User("Ann")
	_, g := onSlack(t, srv, ann.ID, "")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := srv.Until(ctx, func() bool { return srv.Sockets() > 0 }); err != nil { // a slash command comes once
		t.Fatal(err)
	}
	chat, all := srv.DM(ann), srv.Channel("all", ann)
	told := func(c *fakeslack.Chat, n int, want string) {
		t.Helper()
		messages, err := c.Await(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		if got := messages[n-1].Text; !strings.Contains(got, want) {
			t.Errorf("told %q, want %q in it", got, want)
		}
	}
	chat.Command("")
	told(chat, 1, "/parley new - begin")
	chat.Command("usage")
	told(chat, 2, "/parley compact replaces them by a summary, /parley new starts a new conversation")
	chat.Command("schedule nonsense")
	told(chat, 3, "Write /parley schedule to list the schedules, or /parley schedule remove ID")
	chat.Command("cancel nothing")
	told(chat, 4, "/parley tasks lists the tasks")
	thread := all.In(all.Say(srv.Mention() + " /help").TS)
	told(thread, 1, "ley /new - begin")
	thread.Say(srv.Mention() + " /new")
	told(thread, 2, "New conversation started")
	g.terminate()
}

// TestSlackHeartbeat: the heartbeat speaks in the direct messages of its owner, which
// have an id of their own, from the owner's first message on and over a restart.
func TestSlackHeartbeat(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ann := srv.User("Ann")
	chat := srv.DM(ann)
	w, g := onSlack(t, srv, "", fmt.Sprintf(`owners: ["slack:%[1]s/%[2]s"]
agent: {timezone: UTC, heartbeat: {to: "slack:%[1]s/%[2]s"}}
`, ann.Team, ann.ID))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := os.WriteFile(filepath.Join(w.dir, "state", "workspace", "HEARTBEAT.md"), []byte("what is 17*23?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := w.run("jobs", "list"); strings.Contains(out, "heartbeat") {
		t.Errorf("there is one although nobody knows where: %s", out)
	}
	chat.Say("what is 2+2?")
	if _, err := chat.Await(ctx, 1); err != nil {
		t.Fatal(err)
	}
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for out := ""; !strings.Contains(out, chat.ID()); out, _, _ = w.run("jobs", "list") {
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("there is no heartbeat in %s: %s", chat.ID(), out)
		}
	}
	// Slack takes a slash command anywhere, also where the bot is not.
	elsewhere := srv.Send("slash_commands", map[string]any{
		"command": "/parley", "text": "model", "team_id": ann.Team, "user_id": ann.ID, "channel_id": "D0OTHERS", "trigger_id": "1.2.3",
	})
	if err := srv.Until(ctx, func() bool { return srv.Acked(elsewhere) && srv.Count("chat.postMessage") == 2 }); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if out, errs, code := w.run("jobs", "run", "heartbeat"); code != 0 || !strings.Contains(out, chat.ID()) {
			t.Fatalf("%s%s", out, errs)
		}
		messages, err := chat.Await(ctx, n+2)
		if err != nil {
			t.Fatal(err)
		}
		if got := messages[n+1].Text; !strings.Contains(got, "17*23 = 391") {
			t.Errorf("told %q", got)
		}
		g.terminate()
		if n == 0 {
			g = w.start("run")
			g.ready()
		}
	}
}

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
)

// desk is the part of Slack that tells whom a bot token belongs to. It opens no socket.
type desk struct {
	*httptest.Server

	// says is the answer to auth.test; nil breaks every connection off.
	says atomic.Pointer[string]
}

const (
	deskKnows        = `{"ok":true,"url":"https://club.example/","team":"Club","user":"parley","team_id":"T0CLUB","user_id":"U0BOT","bot_id":"B0BOT"}`
	deskKnowsAnother = `{"ok":true,"url":"https://other.example/","team":"Other","user":"parley","team_id":"T0OTHER","user_id":"U0BOT2","bot_id":"B0BOT2"}`
	deskRefuses      = `{"ok":false,"error":"invalid_auth"}`
)

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		says := d.says.Load()
		if says == nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/auth.test") {
			fmt.Fprint(w, `{"ok":false,"error":"internal_error"}`)
			return
		}
		fmt.Fprint(w, *says)
	}))
	t.Cleanup(d.Close)
	return d
}

func (d *desk) say(answer string) { d.says.Store(&answer) }
func (d *desk) down()             { d.says.Store(nil) }

// slackReport is the part of status about Slack.
type slackReport struct {
	Account string
	Health  struct{ State, Reason string }
}

// slackStatus waits until the status of Slack is as wanted.
func slackStatus(t *testing.T, w *world, want func(slackReport) bool) slackReport {
	t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		out, errs, code := w.run("status", "--json")
		if code != 0 {
			t.Fatalf("status: %s", errs)
		}
		var r struct {
			Channels []struct {
				slackReport

				Name string
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		var all []slackReport
		for _, c := range r.Channels {
			if c.Name == "slack" {
				all = append(all, c.slackReport)
			}
		}
		if len(all) == 1 && want(all[0]) {
			return all[0]
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("status tells of Slack %+v", all)
		}
	}
}

func (g *gateway) terminate() {
	g.w.t.Helper()
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		g.w.t.Fatal(err)
	}
	if code := g.end(); code != 0 {
		g.w.t.Errorf("ended with %d: %s", code, g.errs)
	}
}

// TestSlackThatIsDown: only the first start with a token needs Slack, and it does not
// wait: other channels are served, and Slack joins when it is there.
func TestSlackThatIsDown(t *testing.T) {
	t.Parallel()
	d, telegram := newDesk(t), faketelegram.New(t)
	const first, second = "xoxb" + "-1-canary-first", "xoxb" + "-2-canary-second"
	w := newWorld(t, "")
	w.env = []string{"SLACK_BOT_TOKEN=" + first, "SLACK_APP_TOKEN=xapp" + "-1-canary", "TELEGRAM_TOKEN=" + telegram.Token()}
	text := fmt.Sprintf(`state_dir: state
log: {format: json}
models: {main: {provider: offline}}
channels:
  telegram: {enabled: true, token: env:TELEGRAM_TOKEN, api_url: %q, allow_everyone: true}
  slack: {enabled: true, bot_token: env:SLACK_BOT_TOKEN, app_token: env:SLACK_APP_TOKEN, api_url: %q, allow: [U0ANN]}
`, telegram.URL(), d.URL+"/api/")
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	joined := func(r slackReport) bool { return r.Account == "T0CLUB" }
	connecting := func(r slackReport) bool {
		return r.Account == "" && r.Health.State == "connecting" && r.Health.Reason != ""
	}
	var logs []string
	stop := func(g *gateway) {
		t.Helper()
		g.terminate()
		logs = append(logs, g.errs.String())
	}

	g := w.start("run")
	g.ready()
	slackStatus(t, w, connecting)
	chat := telegram.Private(telegram.User("Ann"))
	chat.Say("what is 17*23?")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := chat.Await(ctx, 1); err != nil {
		t.Errorf("nobody is answered while Slack is down: %v", err)
	}
	d.say(deskKnows)
	slackStatus(t, w, joined)
	stop(g)

	d.down()
	g = w.start("run")
	g.ready()
	slackStatus(t, w, joined)
	stop(g)
	if strings.Contains(logs[1], "cannot be joined") {
		t.Errorf("it had to ask again: %s", logs[1])
	}

	// The same token is another's: it says so, and the next start is the other's.
	d.say(deskKnowsAnother)
	g = w.start("run")
	g.ready()
	slackStatus(t, w, func(r slackReport) bool { return r.Account == "T0CLUB" && r.Health.State == "ended" })
	stop(g)
	g = w.start("run")
	g.ready()
	slackStatus(t, w, func(r slackReport) bool { return r.Account == "T0OTHER" })
	stop(g)

	d.down()
	// A new token is somebody else until Slack names its owner; and a stop does not
	// wait for that.
	w.env[0] = "SLACK_BOT_TOKEN=" + second
	g = w.start("run")
	g.ready()
	slackStatus(t, w, connecting)
	stop(g)

	d.say(deskRefuses)
	g = w.start("run")
	g.ready()
	refused := slackStatus(t, w, func(r slackReport) bool { return r.Health.State == "auth" })
	if !strings.Contains(refused.Health.Reason, "put its Bot User OAuth Token where channels.slack.bot_token says") {
		t.Errorf("no cure: %+v", refused)
	}
	g.errs.wait(t, "install the app in the workspace again")
	stop(g)

	kept, err := os.ReadFile(filepath.Join(w.dir, "state", "slack.json"))
	if err != nil {
		t.Error(err)
	}
	for _, text := range append(logs, string(kept)) {
		if strings.Contains(text, "canary") {
			t.Errorf("a token is told: %s", text)
		}
	}
	if diff := cmp.Diff([]string(nil), telegram.Violations()); diff != "" {
		t.Error(diff)
	}
}

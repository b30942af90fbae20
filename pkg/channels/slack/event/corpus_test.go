package event_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/event"
)

// outcomes are the outcomes of the lines of the corpus of envelopes: "message" with its
// text, the reason for which an envelope is skipped, or the kind under which it is
// kept.
func outcomes() []string {
	const nowhere = "kept: events_api app_mention nowhere"
	return []string{
		"kept: events_api function_executed",
		"message in T111: \"\"",
		"kept: interactive shortcut",
		"message in T111: \"Hi here!\"",
		"kept: interactive block_actions elsewhere",
		"hello",
		"hello",
		"kept: slash_commands unreadable",
		"kept: unreadable",
		"message in T123: \"test\"",
		"skipped: a bot's message",
		"message in T123: \"test\"",
		"kept: interactive block_suggestion",
		"skipped: app_home_opened",
		"kept: interactive view_closed",
		"kept: interactive view_submission",
		"kept: interactive block_suggestion",
		"message in XXXXXXXXX: \"hello world\"",
		nowhere,
		"kept: events_api message nowhere",
		"kept: events_api user_profile_changed",
		"skipped: app_context_changed",
		"kept: events_api app_mention unreadable",
		nowhere,
		"kept: url_verification",
		nowhere,
		"message in TXXXXXXXX: \"search slack\"",
		"message in TXXXXXXXX: \"Hello, I need help with something.\"",
		"message in TXXXXXXXX: \"Search slack\"",
		"message in TXXXXXXXX: \"Hello everyone, I need help with something.\"",
		"message in TXXXXXXXX: \"Private group message with assistant request.\"",
		"message in T123ABC456: \"Fix login\"",
		"message in T123ABC456: \"\"", // a slash command without words, of which the gateway makes /help
		"kept: events_api user_connection_status_requested",
		"kept: slash_commands unreadable",
		"kept: interactive view_submission",
		"kept: events_api function_executed",
		"kept: slash_commands unreadable",
		nowhere,
		"disconnect: warning",
		"message in redacted: \"test\"",
	}
}

// TestCorpus reads recorded envelopes of every kind.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root := os.Getenv("PARLEY_CORPORA") //nolint:forbidigo // the corpus is not part of the tree
	if root == "" {
		t.Skip("PARLEY_CORPORA names no folder of recorded traffic")
	}
	f, err := os.Open(filepath.Join(root, "slack", "events-and-envelopes.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var got []string
	for lines.Scan() {
		var line struct {
			Kind string          `json:"kind"`
			JSON json.RawMessage `json:"json"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		got = append(got, outcome(t, line.Kind, line.JSON))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(outcomes(), got); diff != "" {
		t.Errorf("what becomes of the corpus (-want +got):\n%s", diff)
	}
}

// outcome reads a line for the workspace and the bot that it is for.
func outcome(t *testing.T, kind string, raw []byte) string {
	t.Helper()
	me := api.Identity{Team: "T0", User: "U0"}
	var told struct {
		Team    string `json:"team_id"`
		Payload struct {
			Team  string          `json:"team_id"`
			Event json.RawMessage `json:"event"`
		} `json:"payload"`
		Event json.RawMessage `json:"event"`
	}
	if err := json.Unmarshal(raw, &told); err != nil {
		t.Fatal(err)
	}
	if team := told.Team + told.Payload.Team; team != "" {
		me.Team = strings.Replace(team, "E123", "T123", 1)
	}
	var inner struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(append(told.Event, told.Payload.Event...), &inner) // many lack the field
	if user, _, ok := strings.Cut(strings.TrimPrefix(inner.Text, "<@"), ">"); ok {
		me.User = user
	}
	var d *event.Event
	switch kind {
	case "event_callback":
		d = payload("events_api", raw, me)
	case "interactive":
		d = payload("interactive", raw, me)
	default:
		d = decode(raw, me)
		if d.Envelope == "" && !d.Hello && d.Disconnect == "" && kind == "envelope" {
			t.Errorf("nothing can be acknowledged: %s", raw)
		}
	}
	for _, secret := range []string{"hooks.slack.com", "-token", "-secret", "legacy-fixed-value"} {
		for n := range d.Items {
			d.Raw = append(d.Raw, d.Items[n].Raw...)
		}
		if strings.Contains(string(d.Raw), secret) {
			t.Errorf("%s is kept: %s", secret, d.Raw)
		}
	}
	switch {
	case d.Hello:
		return "hello"
	case d.Disconnect != "":
		return "disconnect: " + d.Disconnect
	case d.Unread != "":
		return "kept: " + d.Unread
	case d.Skipped != "":
		return "skipped: " + d.Skipped
	case len(d.Items) == 1:
		return fmt.Sprintf("message in %s: %q", d.Items[0].Address.Account, d.Items[0].Text)
	default:
		return fmt.Sprintf("%+v", d)
	}
}

package slack_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels/slack"
)

// One app in two workspaces has one set of sockets: Slack gives each event to any of them.
// The gateway of the other workspace leaves an event to the one that it is for.
func TestAnEventOfAnotherWorkspaceIsLeftToItsGateway(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t, fakeslack.Options{AckWait: 50 * time.Millisecond})
	srv.Harm(fakeslack.Rule{Method: "auth.test", Fault: fakeslack.Fault{Status: 503}}) // it knows one workspace alone
	teams := []string{"T0000000001", "T0000000002"}
	gateways := map[string]*bench{}
	for n, team := range teams {
		b := &bench{srv: srv, store: inboxtest.New(), log: &inboxtest.Log{}}
		opt := b.options()
		ch, err := slack.New(opt, slack.Identity{Team: team, User: "UBOT", Bot: "B1"})
		if err != nil {
			t.Fatal(err)
		}
		b.run(t, ch, opt.Log)
		b.until(t, "a socket", func() bool { return srv.Sockets() == n+1 })
		gateways[team] = b
	}
	want := map[string][]string{}
	for n := range 10 {
		team := teams[n/2%2]
		text := fmt.Sprint("question ", n)
		want[team] = append(want[team], text)
		srv.Send("events_api", json.RawMessage(fmt.Sprintf(`{"type":"event_callback","team_id":%q,"authorizations":[{"team_id":%q}],`+
			`"event":{"type":"message","channel":"D1","channel_type":"im","user":"U1","ts":"100.%06d","text":%q}}`, team, team, n, text)))
	}
	told := 0
	for team, b := range gateways {
		got := inboxtest.Texts(b.store.Await(t, len(want[team])))
		slices.Sort(got)
		if !slices.Equal(got, want[team]) {
			t.Errorf("%s has %q, want %q", team, got, want[team])
		}
		if n := strings.Count(b.log.String(), "an app of its own"); n > 1 {
			t.Errorf("%s: the log says so %d times: %s", team, n, b.log)
		} else {
			told += n
		}
	}
	if told == 0 {
		t.Error("no log tells that the app has another workspace")
	}
	gateways[teams[0]].acked(t)
}

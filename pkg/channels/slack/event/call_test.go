package event_test

import (
	"strings"
	"testing"

	"parley/pkg/channels"
)

func TestDecodeCommandsAndPresses(t *testing.T) {
	t.Parallel()
	slash := func(text string) string {
		return `{"envelope_id":"e","type":"slash_commands","accepts_response_payload":true,"payload":{"token":"secret","team_id":"T1",` +
			`"channel_id":"C1","user_id":"U1","command":"/parley","text":"` + text + `","trigger_id":"1.2.x","response_url":"https://hooks.test"}}`
	}
	for text, want := range map[string]string{
		"stop": "/stop", "stop the music": "stop the music", "/stop": "/stop", "a &amp; b": "a & b",
	} {
		d := decode([]byte(slash(text)), me())
		if len(d.Items) != 1 || d.Items[0].Text != want {
			t.Errorf("%q gives %+v, want %q", text, d.Items, want)
			continue
		}
		got := d.Items[0]
		// Its id is the same when it comes again, and is of no use for an action.
		again := decode([]byte(slash(text)), me()).Items[0].ID
		if got.ID != again || !strings.HasPrefix(got.ID, "slash/") || strings.Contains(got.ID, "1.2.x") ||
			!got.Mentioned || got.Direct || got.Address != at("C1", "") || got.Sender.ID != "U1" ||
			string(d.Answer) != `{"response_type":"in_channel"}` || d.Envelope != "e" {
			t.Errorf("%q gives %+v", text, d)
		}
		if strings.Contains(string(got.Raw), "secret") || strings.Contains(string(got.Raw), "hooks.test") {
			t.Errorf("a secret is kept: %s", got.Raw)
		}
	}
	press := func(rest string) string {
		return `{"envelope_id":"e","type":"interactive","accepts_response_payload":true,"payload":{"type":"block_actions","user":{"id":"U1","team_id":"T2"},` + rest + `}}`
	}
	actions := `,"actions":[{"type":"button","action_id":"a1","value":"yes","action_ts":"7.5"},{"type":"button","action_id":"a2","action_ts":"7.6"}]`
	for name, test := range map[string]struct {
		rest, kept string
		address    channels.Address
	}{
		"in a channel":       {`"channel":{"id":"C1"},"container":{"message_ts":"5.0","channel_id":"C1"}` + actions, "", at("C1", "")},
		"in a thread":        {`"channel":{"id":"C1"},"message":{"ts":"5.0","thread_ts":"4.0"}` + actions, "", at("C1", "4.0")},
		"above a thread":     {`"channel":{"id":"C1"},"container":{"message_ts":"5.0","thread_ts":"5.0"}` + actions, "", at("C1", "")},
		"directly":           {`"channel":{"id":"D1"},"container":{"message_ts":"5.0"}` + actions, "", at("D1", "")},
		"nowhere":            {`"container":{"type":"view"}` + actions, "interactive block_actions elsewhere", channels.Address{}},
		"without a value":    {`"channel":{"id":"C1"},"container":{"message_ts":"5.0"},"actions":[{"action_id":"a"}]`, "interactive block_actions foreign", channels.Address{}},
		"an id with slashes": {`"channel":{"id":"C1"},"container":{"message_ts":"5.0"},"actions":[{"action_id":"a/b","action_ts":"7.5","value":"v"}]`, "interactive block_actions foreign", channels.Address{}},
	} {
		d := decode([]byte(press(test.rest)), me())
		if d.Unread != test.kept || string(d.Answer) != "" {
			t.Errorf("%s: kept as %q, answered with %q", name, d.Unread, d.Answer)
		}
		if test.kept != "" {
			continue
		}
		if len(d.Items) != 1 {
			t.Errorf("%s: %+v", name, d)
			continue
		}
		got := d.Items[0]
		if got.ID != "press/"+test.address.Chat+"/7.5/a1" || got.Kind != channels.KindButton || got.Text != "yes" || got.MessageID != "5.0" ||
			got.Address != test.address || got.Sender.ID != "T2/U1" || got.Direct != (test.address.Chat == "D1") || !got.Mentioned {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

package fakeslack_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakeslack"
)

// dig finds a value in a payload; the path is of keys and indexes.
func dig(t *testing.T, raw json.RawMessage, path string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(at) {
				return ""
			}
			v = at[i]
		default:
			return ""
		}
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// TestEvents checks the event of each of people's actions.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stranger := w.srv.Stranger("eve", "T0OTHER")
	shared := w.srv.Channel("shared", stranger)
	team, bot, _ := w.srv.Identity()
	root := w.hub.Say("root")
	for name, c := range map[string]struct {
		event fakeslack.Event
		kind  string
		want  map[string]string
	}{
		"text": {w.dm.Say("a &lt;b"), "events_api", map[string]string{
			"type": "event_callback", "team_id": team, "event.type": "message", "event.channel_type": "im", "event.text": "a &lt;b",
			"event.user": w.ann.ID, "event.channel": w.dm.ID(), "event.subtype": "", "event.thread_ts": "", "event.team": team,
			"authorizations.0.user_id": bot,
		}},
		"in a thread": {w.hub.In(root.TS).Say("x"), "events_api", map[string]string{
			"event.channel_type": "channel", "event.thread_ts": root.TS, "event.parent_user_id": w.ann.ID,
		}},
		"broadcast": {
			w.hub.In(root.TS).Broadcast("x"), "events_api",
			map[string]string{"event.subtype": "thread_broadcast", "event.thread_ts": root.TS},
		},
		"of a stranger": {
			shared.Say("x"), "events_api",
			map[string]string{"team_id": team, "event.user_team": "T0OTHER", "event.source_team": "T0OTHER", "event.user": stranger.ID},
		},
		"of a bot": {
			w.hub.SayAs("B0OTHER", "x"), "events_api",
			map[string]string{"event.subtype": "bot_message", "event.bot_id": "B0OTHER", "event.user": ""},
		},
		"edit": {w.hub.Edit(root.TS, "rooted"), "events_api", map[string]string{
			"event.subtype": "message_changed", "event.message.text": "rooted", "event.message.ts": root.TS,
			"event.previous_message.text": "root", "event.message.edited.user": w.ann.ID,
		}},
		"deletion": {w.hub.Delete(w.hub.Say("oops").TS), "events_api", map[string]string{
			"event.subtype": "message_deleted", "event.previous_message.text": "oops",
		}},
		"file": {w.dm.Share("a.txt", []byte("abc"), "look"), "events_api", map[string]string{
			"event.subtype": "file_share", "event.text": "look", "event.files.0.name": "a.txt", "event.files.0.size": "3",
			"event.files.0.mimetype": "text/plain; charset=utf-8",
		}},
		"reaction": {
			w.hub.React(root.TS, "eyes"), "events_api",
			map[string]string{"event.type": "reaction_added", "event.reaction": "eyes", "event.item.ts": root.TS},
		},
		"no reaction": {w.hub.Unreact(root.TS, "eyes"), "events_api", map[string]string{"event.type": "reaction_removed"}},
		"home":        {w.dm.OpenHome(), "events_api", map[string]string{"event.type": "app_home_opened", "event.user": w.ann.ID}},
		"joined":      {w.hub.Join(), "events_api", map[string]string{"event.type": "member_joined_channel", "event.user": bot}},
		"command": {
			w.hub.Command("help me"), "slash_commands",
			map[string]string{"command": "/parley", "text": "help me", "channel_id": w.hub.ID(), "user_id": w.ann.ID},
		},
		"shortcut":     {w.dm.Shortcut("cb"), "interactive", map[string]string{"type": "shortcut", "callback_id": "cb"}},
		"view":         {w.dm.SubmitView("cb"), "interactive", map[string]string{"type": "view_submission", "view.callback_id": "cb"}},
		"unknown type": {w.srv.SendEvent(map[string]any{"type": "galaxy_born"}), "events_api", map[string]string{"event.type": "galaxy_born"}},
		"odd fields": {
			w.dm.Post("x", map[string]any{"blocks": nil, "strange": 5}),
			"events_api",
			map[string]string{"event.strange": "5", "event.blocks": ""},
		},
	} {
		if c.event.Type != c.kind {
			t.Errorf("%s: of type %s", name, c.event.Type)
		}
		for path, want := range c.want {
			if got := dig(t, c.event.Raw, path); got != want {
				t.Errorf("%s: %s is %q, want %q", name, path, got, want)
			}
		}
	}
	thread, started := w.dm.StartAssistant()
	if dig(t, started.Raw, "event.assistant_thread.thread_ts") != thread.Thread() || thread.Thread() == "" {
		t.Errorf("got %s", started.Raw)
	}
}

func TestAMentionComesInBothShapes(t *testing.T) {
	t.Parallel()
	for first, opt := range map[string]fakeslack.Options{"message": {}, "app_mention": {MentionFirst: true}} {
		w := newWorld(t, opt)
		l := w.connect()
		e := w.hub.Say(w.srv.Mention() + " hello")
		var kinds []string
		for _, id := range e.Envelopes {
			f := l.next()
			kinds = append(kinds, dig(t, f.Payload, "event.type"))
			if f.ID != id || dig(t, f.Payload, "event.ts") != e.TS {
				t.Errorf("got %s", f.raw)
			}
		}
		if len(kinds) != 2 || kinds[0] != first || kinds[0] == kinds[1] {
			t.Errorf("got %v", kinds)
		}
		if e := w.dm.Say(w.srv.Mention() + " hello"); len(e.Envelopes) != 1 {
			t.Error("in direct messages there is one shape")
		}
	}
}

func TestTheBotHearsItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.connect()
	_, bot, id := w.srv.Identity()
	r := w.say(w.dm, "x")
	f := l.next()
	if dig(t, f.Payload, "event.bot_id") != id || dig(t, f.Payload, "event.user") != bot || dig(t, f.Payload, "event.ts") != r.TS {
		t.Errorf("got %s", f.raw)
	}
	w.call("chat.update", map[string]string{"channel": w.dm.ID(), "ts": r.TS, "text": "y"})
	if f := l.next(); dig(t, f.Payload, "event.subtype") != "message_changed" || dig(t, f.Payload, "event.message.bot_id") != id {
		t.Errorf("got %s", f.raw)
	}
	w.call("chat.delete", map[string]string{"channel": w.dm.ID(), "ts": r.TS})
	if f := l.next(); dig(t, f.Payload, "event.subtype") != "message_deleted" {
		t.Errorf("got %s", f.raw)
	}
}

func TestPress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{NoEcho: true})
	l := w.connect()
	root := w.hub.Say("go")
	r := w.call("chat.postMessage", map[string]string{
		"channel": w.hub.ID(), "thread_ts": root.TS, "text": "May I?",
		"blocks": `[{"type":"section","text":{"type":"mrkdwn","text":"*May* I?"}},{"type":"actions","block_id":"b","elements":[
			{"type":"button","text":{"type":"plain_text","text":"Yes"},"action_id":"a1","value":"v1","style":"primary"},
			{"type":"button","text":{"type":"plain_text","text":"No"},"action_id":"a2","value":"v2"}]}]`,
	})
	if !r.OK {
		t.Fatal(r.Metadata.Messages)
	}
	m := w.hub.Messages()[0]
	want := []fakeslack.Button{
		{Text: "Yes", ActionID: "a1", BlockID: "b", Value: "v1", Style: "primary"}, {Text: "No", ActionID: "a2", BlockID: "b", Value: "v2"},
	}
	if diff := cmp.Diff(want, m.Buttons); diff != "" || m.Text != "May I?" {
		t.Errorf("%q %s", m.Text, diff)
	}
	if e := w.hub.Press(r.TS, "Maybe"); len(e.Envelopes) != 0 {
		t.Error("there is no such button")
	}
	e := w.hub.Press(r.TS, "No")
	l.next() // the person's words
	f := l.next()
	for path, value := range map[string]string{
		"type": "block_actions", "actions.0.action_id": "a2", "actions.0.value": "v2", "actions.0.block_id": "b", "user.id": w.ann.ID,
		"channel.id": w.hub.ID(), "container.message_ts": r.TS, "container.thread_ts": root.TS, "message.ts": r.TS,
	} {
		if got := dig(t, f.Payload, path); got != value {
			t.Errorf("%s is %q, want %q", path, got, value)
		}
	}
	l.ack(f)
	if err := w.srv.Until(soon(t), func() bool { return w.srv.Acked(e) }); err != nil {
		t.Fatal(err)
	}
	w.call("chat.update", map[string]string{"channel": w.hub.ID(), "ts": r.TS, "text": "No", "blocks": "[]"})
	if e := w.hub.PressButton(r.TS, want[0]); dig(t, e.Raw, "actions.0.value") != "v1" {
		t.Errorf("got %s", e.Raw)
	}
}

package fakeslack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakeslack"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct{ method, token, want string }{
		"none":        {"auth.test", "", "not_authed"},
		"wrong":       {"auth.test", "xoxb-other", "invalid_auth"},
		"the app's":   {"auth.test", w.srv.AppToken(), "not_allowed_token_type"},
		"the bot's":   {"apps.connections.open", w.srv.BotToken(), "not_allowed_token_type"},
		"right":       {"auth.test", w.srv.BotToken(), ""},
		"right, too":  {"apps.connections.open", w.srv.AppToken(), ""},
		"in the form": {"auth.test?token=" + w.srv.BotToken(), "", ""},
	} {
		r, err := w.post(t.Context(), w.srv.URL()+c.method, "application/x-www-form-urlencoded", c.token, nil)
		if err != nil || r.Error != c.want || r.OK != (c.want == "") || r.Status != http.StatusOK {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestRefusals holds methods to Slack's names of errors, and says which are violations.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method    string
		params    map[string]string
		want      string
		violation bool
	}{
		"no such method":   {"chat.shout", nil, "unknown_method", true},
		"missing":          {"chat.postMessage", map[string]string{"text": "x"}, "invalid_arguments", true},
		"unknown argument": {"chat.postMessage", map[string]string{"channel": "DM", "text": "x", "tekst": "x"}, "invalid_arguments", true},
		"wrong type": {
			"chat.postMessage",
			map[string]string{"channel": "DM", "text": "x", "unfurl_links": "maybe"},
			"invalid_arguments", true,
		},
		"no ts":           {"chat.update", map[string]string{"channel": "DM", "text": "x", "ts": "17"}, "invalid_arguments", true},
		"no such channel": {"chat.postMessage", map[string]string{"channel": "C404", "text": "x"}, "channel_not_found", false},
		"no text":         {"chat.postMessage", map[string]string{"channel": "DM", "text": " "}, "no_text", false},
		"both": {
			"chat.postMessage",
			map[string]string{"channel": "DM", "text": "x", "markdown_text": "x"},
			"markdown_text_conflict", false,
		},
		"no such thread": {
			"chat.postMessage",
			map[string]string{"channel": "DM", "text": "x", "thread_ts": "1.000001"},
			"thread_not_found", false,
		},
		"a reply's thread": {
			"chat.postMessage",
			map[string]string{"channel": "DM", "text": "x", "thread_ts": "REPLY"},
			"thread_not_found", true,
		},
		"bad blocks":        {"chat.postMessage", map[string]string{"channel": "DM", "blocks": "{}"}, "invalid_blocks_format", false},
		"nothing to update": {"chat.update", map[string]string{"channel": "DM", "text": "x", "ts": "1.000001"}, "message_not_found", false},
		"another's message": {"chat.update", map[string]string{"channel": "DM", "text": "x", "ts": "THEIRS"}, "cant_update_message", false},
		"too long an update": {
			"chat.update",
			map[string]string{"channel": "DM", "text": strings.Repeat("x", 40001), "ts": "OURS"},
			"msg_too_long", false,
		},
		"another's deletion": {"chat.delete", map[string]string{"channel": "DM", "ts": "THEIRS"}, "cant_delete_message", false},
		"not among them": {
			"chat.postEphemeral",
			map[string]string{"channel": "HUB", "text": "x", "user": "U404"},
			"user_not_in_channel", false,
		},
		"no such reaction": {
			"reactions.remove",
			map[string]string{"channel": "DM", "timestamp": "THEIRS", "name": "eyes"},
			"no_reaction", false,
		},
		"reaction to nothing": {
			"reactions.add",
			map[string]string{"channel": "DM", "timestamp": "1.000001", "name": "eyes"},
			"message_not_found", false,
		},
		"no such user": {"users.info", map[string]string{"user": "U404"}, "user_not_found", false},
		"no such room": {"conversations.info", map[string]string{"channel": "C404"}, "channel_not_found", false},
		"no such stream": {
			"chat.appendStream",
			map[string]string{"channel": "DM", "ts": "OURS", "markdown_text": "x"},
			"message_not_in_streaming_state", false,
		},
		"a stream unthreaded": {"chat.startStream", map[string]string{"channel": "DM"}, "invalid_arguments", true},
		"to no team":          {"chat.startStream", map[string]string{"channel": "HUB", "thread_ts": "ROOT"}, "missing_recipient_team_id", false},
		"to nobody": {
			"chat.startStream",
			map[string]string{"channel": "HUB", "thread_ts": "ROOT", "recipient_team_id": "T0PARLEY01"},
			"missing_recipient_user_id", false,
		},
		"wrong chunks": {"chat.startStream", map[string]string{"channel": "DM", "thread_ts": "THEIRS", "chunks": `[{"type":"x"}]`}, "invalid_chunks", false},
		"too long a stream": {
			"chat.startStream",
			map[string]string{"channel": "DM", "thread_ts": "THEIRS", "markdown_text": strings.Repeat("x", 12001)},
			"msg_too_long", false,
		},
		"an empty file": {"files.getUploadURLExternal", map[string]string{"filename": "a", "length": "0"}, "invalid_arguments", false},
		"no such file":  {"files.completeUploadExternal", map[string]string{"files": `[{"id":"F404"}]`}, "file_not_found", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			theirs, root := w.dm.Say("x"), w.hub.Say("x")
			reply := w.dm.In(theirs.TS).Say("y")
			stand := map[string]string{
				"DM": w.dm.ID(), "HUB": w.hub.ID(), "THEIRS": theirs.TS, "ROOT": root.TS, "REPLY": reply.TS, "OURS": w.say(w.dm, "z").TS,
			}
			params := map[string]string{}
			for key, value := range c.params {
				if real, ok := stand[value]; ok {
					value = real
				}
				params[key] = value
			}
			if r := w.call(c.method, params); r.OK || r.Error != c.want || r.Status != http.StatusOK {
				t.Errorf("got %+v, want %s", r, c.want)
			}
			if got := len(w.srv.Violations()) > 0; got != c.violation {
				t.Errorf("violations %q", w.srv.Violations())
			}
			w.srv.ForgetViolations()
		})
	}
}

func TestWhereTheBotIsNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hub.Leave()
	if r := w.say(w.hub, "x"); r.Error != "not_in_channel" {
		t.Errorf("got %+v", r)
	}
	if e := w.hub.Say(w.srv.Mention() + " are you there"); len(e.Envelopes) != 0 {
		t.Error("it heard")
	}
	w.hub.Join()
	w.hub.Archive()
	if r := w.say(w.hub, "x"); r.Error != "is_archived" {
		t.Errorf("got %+v", r)
	}
}

func TestJSONBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"channel":"` + w.dm.ID() + `","text":"x","unfurl_links":false,"blocks":[{"type":"divider"},{"type":"markdown","text":"**y**"}]}`
	r, err := w.post(t.Context(), w.srv.URL()+"chat.postMessage", "application/json; charset=utf-8", w.srv.BotToken(), []byte(body))
	if err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	if diff := cmp.Diff([]string{"y"}, w.dm.Texts()); diff != "" {
		t.Error(diff)
	}
	for name, kind := range map[string]string{`{"channel":`: "application/json", "x": "text/csv"} {
		if r, err := w.post(t.Context(), w.srv.URL()+"chat.postMessage", kind, w.srv.BotToken(), []byte(name)); err != nil ||
			r.Error != "invalid_form_data" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	w.srv.ForgetViolations()
}

func TestLongTextIsCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.say(w.dm, strings.Repeat("ä", 40_001))
	if !r.OK || len([]rune(r.Message.Text)) != 40_000 || !cmp.Equal(r.Metadata.Warnings, []string{"message_truncated"}) {
		t.Errorf("ok %v, %d characters, warnings %v", r.OK, len([]rune(r.Message.Text)), r.Metadata.Warnings)
	}
}

func TestLinksMustNotUnfurl(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say(w.dm, "<https://example.org|here>")
	if v := w.srv.Violations(); len(v) != 0 {
		t.Errorf("violations %q", v)
	}
	w.call("chat.postMessage", map[string]string{
		"channel": w.dm.ID(), "text": "x", "unfurl_links": "false",
		"blocks": `[{"type":"markdown","text":"[here](https://example.org)"}]`,
	})
	if v := w.srv.Violations(); len(v) != 1 {
		t.Errorf("violations %q", v)
	}
	w.srv.ForgetViolations()
}

// TestAnUpdateKeepsBlocks holds chat.update to its page: blocks that are not named stay.
func TestAnUpdateKeepsBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.call("chat.postMessage", map[string]string{"channel": w.dm.ID(), "text": "a", "blocks": `[{"type":"markdown","text":"a"}]`})
	w.call("chat.update", map[string]string{"channel": w.dm.ID(), "ts": r.TS, "text": "b"})
	if diff := cmp.Diff([]string{"a"}, w.dm.Texts()); diff != "" {
		t.Error(diff)
	}
	w.call("chat.update", map[string]string{"channel": w.dm.ID(), "ts": r.TS, "text": "b", "blocks": "[]"})
	if diff := cmp.Diff([]string{"b"}, w.dm.Texts()); diff != "" {
		t.Error(diff)
	}
	if m := w.dm.Messages()[0]; !cmp.Equal(m.Versions, []string{"a", "b"}) || m.Edited.IsZero() {
		t.Errorf("%+v", m)
	}
	w.call("chat.delete", map[string]string{"channel": w.dm.ID(), "ts": r.TS})
	if len(w.dm.Texts()) != 0 || !w.dm.Messages()[0].Deleted {
		t.Error("it is still there")
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.hub.Say(w.srv.Mention() + " go")
	thread := w.hub.In(root.TS)
	where := func(more ...string) map[string]string {
		params := map[string]string{"channel": w.hub.ID()}
		for i := 0; i < len(more); i += 2 {
			params[more[i]] = more[i+1]
		}
		return params
	}
	team, _, _ := w.srv.Identity()
	r := w.call("chat.startStream",
		where("thread_ts", root.TS, "recipient_team_id", team, "recipient_user_id", w.ann.ID, "markdown_text", "**one"))
	if !r.OK {
		t.Fatal(r.Error)
	}
	if m := thread.Messages()[0]; !m.Streaming || m.Thread != root.TS {
		t.Errorf("%+v", m)
	}
	for want, u := range map[string]reply{
		"streaming_state_conflict": w.call("chat.update", where("ts", r.TS, "text", "x")),
		"":                         w.call("chat.appendStream", where("ts", r.TS, "markdown_text", "** two")),
		"no_text":                  w.call("chat.appendStream", where("ts", r.TS, "markdown_text", "")),
		"msg_too_long":             w.call("chat.appendStream", where("ts", r.TS, "markdown_text", strings.Repeat("x", 11_999))),
	} {
		if u.Error != want {
			t.Errorf("got %+v, want %q", u, want)
		}
	}
	if r := w.call("chat.stopStream", where("ts", r.TS, "markdown_text", " three", "blocks", `[{"type":"context","elements":[{"type":"mrkdwn","text":"four"}]}]`)); !r.OK {
		t.Error(r.Error)
	}
	m := thread.Messages()[0]
	if diff := cmp.Diff([]string{"**one", "one two", "one two three", "one two three\nfour"}, m.Versions); diff != "" || m.Streaming {
		t.Error(diff)
	}
	if u := w.call("chat.appendStream", where("ts", r.TS, "markdown_text", "x")); u.Error != "message_not_in_streaming_state" {
		t.Errorf("got %+v", u)
	}
	if u := w.call("chat.update", where("ts", r.TS, "text", "x", "blocks", "[]")); !u.OK {
		t.Error(u.Error)
	}
}

func TestAnIdleStreamEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fakeslack.Options{StreamIdle: time.Nanosecond})
	root := w.dm.Say("go")
	r := w.call("chat.startStream", map[string]string{"channel": w.dm.ID(), "thread_ts": root.TS})
	if u := w.call(
		"chat.appendStream", map[string]string{"channel": w.dm.ID(), "ts": r.TS, "markdown_text": "x"},
	); u.Error != "message_not_in_streaming_state" {
		t.Errorf("got %+v", u)
	}
}

func TestStatusEndsWithTheNextMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	thread := w.dm.In(w.dm.Say("go").TS)
	r := w.call("assistant.threads.setStatus",
		map[string]string{"channel_id": w.dm.ID(), "thread_ts": thread.Thread(), "status": "is thinking"})
	if !r.OK || thread.Status() != "is thinking" {
		t.Errorf("%+v, %q", r, thread.Status())
	}
	w.say(thread, "done")
	if thread.Status() != "" || len(thread.Statuses()) != 1 {
		t.Errorf("%q, %v", thread.Status(), thread.Statuses())
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.dm.Say("x")
	params := map[string]string{"channel": w.dm.ID(), "timestamp": e.TS, "name": "eyes"}
	if r := w.call("reactions.add", params); !r.OK {
		t.Error(r.Error)
	}
	if r := w.call("reactions.add", params); r.Error != "already_reacted" {
		t.Error(r.Error)
	}
	_, bot, _ := w.srv.Identity()
	if diff := cmp.Diff(map[string][]string{"eyes": {bot}}, w.dm.Reactions(e.TS)); diff != "" {
		t.Error(diff)
	}
	if r := w.call("reactions.remove", params); !r.OK || len(w.dm.Reactions(e.TS)) != 0 {
		t.Error(r.Error)
	}
}

package event_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/event"
)

// me is the bot of the tables.
func me() api.Identity { return api.Identity{Team: "T1", User: "UBOT", Bot: "B1"} }

// about is an event of the Events API about something in the channel C1.
func about(inner string) string {
	return `{"type":"event_callback","team_id":"T1","event":` + inner + `}`
}

// post is a message event in C1 by U1, with further fields.
func post(fields string) string {
	return about(`{"type":"message","channel":"C1","channel_type":"channel","user":"U1","team":"T1","ts":"100.000200"` + fields + `}`)
}

// changed is message_changed in C1.
func changed(message, before string) string {
	return about(`{"type":"message","subtype":"message_changed","channel":"C1","channel_type":"channel","ts":"200.000100","message":` +
		message + `,"previous_message":` + before + `}`)
}

// at is an address in the workspace of the tables.
func at(chat, thread string) channels.Address {
	return channels.Address{Channel: "slack", Account: "T1", Chat: chat, Thread: thread}
}

// decode reads a frame as the bot that me names.
func decode(raw []byte, me api.Identity) *event.Event {
	return (&event.Decoder{Me: me, Name: nameless, Command: stop}).Frame(event.Frame{Data: raw})
}

// payload reads the content of an envelope of a type.
func payload(envelopeType string, raw []byte, me api.Identity) *event.Event {
	return (&event.Decoder{Me: me, Name: nameless}).Payload(envelopeType, raw)
}

func nameless(string) string { return "" }

// stop is the one command of the tables.
func stop(words string) string {
	if strings.TrimSpace(words) == "stop" {
		return "/stop"
	}
	return ""
}

func TestDecodeMessages(t *testing.T) {
	t.Parallel()
	posted := time.Unix(100, 200_000)
	base := func(change func(in *channels.Inbound)) *channels.Inbound {
		in := &channels.Inbound{
			ID: "msg/C1/100.000200", Kind: channels.KindMessage, Address: at("C1", ""), Sender: channels.Sender{ID: "U1"},
			Text: "hello", MessageID: "100.000200", Time: posted,
		}
		change(in)
		return in
	}
	edit := func(change func(in *channels.Inbound)) *channels.Inbound {
		return base(func(in *channels.Inbound) {
			in.ID, in.Kind, in.Original = "edit/C1/100.000200/150.000000", channels.KindEdit, "msg/C1/100.000200"
			in.Time = time.Unix(150, 0)
			change(in)
		})
	}
	for name, test := range map[string]struct {
		payload string
		want    *channels.Inbound
		asks    bool
		not     string // the reason for which it is skipped
	}{
		"a post that is for nobody": {payload: post(`,"text":"hello"`), want: base(func(*channels.Inbound) {})},
		"a mention begins a thread": {payload: post(`,"text":"<@UBOT> hello"`), want: base(func(in *channels.Inbound) {
			in.Mentioned, in.Address.Thread = true, "100.000200"
		})},
		"its other shape": {
			payload: about(`{"type":"app_mention","channel":"C1","user":"U1","team":"T1","ts":"100.000200","text":"<@UBOT> hello"}`),
			want:    base(func(in *channels.Inbound) { in.Mentioned, in.Address.Thread = true, "100.000200" }),
		},
		"a mention that an edit brought": {
			payload: about(`{"type":"app_mention","channel":"C1","user":"U1","ts":"100.000200","text":"<@UBOT> hello","edited":{"user":"U1","ts":"1.0"}}`),
			not:     "a mention that an edit brought: the edit comes too",
		},
		"a reply without a mention": {payload: post(`,"text":"hello","thread_ts":"90.000000"`), asks: true, want: base(func(in *channels.Inbound) {
			in.Address.Thread = "90.000000"
		})},
		"a reply below the bot's own post": {
			payload: post(`,"text":"hello","thread_ts":"90.000000","parent_user_id":"UBOT"`),
			want:    base(func(in *channels.Inbound) { in.Address.Thread, in.Mentioned = "90.000000", true }),
		},
		"a reply that is shown in the channel too": {
			payload: post(`,"subtype":"thread_broadcast","text":"<@UBOT> hello","thread_ts":"90.000000"`),
			want:    base(func(in *channels.Inbound) { in.Address.Thread, in.Mentioned = "90.000000", true }),
		},
		"the post that a thread begins with": {payload: post(`,"text":"hello","thread_ts":"100.000200"`), want: base(func(*channels.Inbound) {})},
		"a direct message": {
			payload: about(`{"type":"message","channel":"D1","channel_type":"im","user":"U1","ts":"100.000200","text":"hello"}`),
			want:    base(func(in *channels.Inbound) { in.ID, in.Address.Chat, in.Direct = "msg/D1/100.000200", "D1", true }),
		},
		"a thread in a direct chat": {
			payload: about(`{"type":"message","channel":"D1","channel_type":"im","user":"U1","ts":"100.000200","thread_ts":"90.000000","text":"hello"}`),
			want: base(func(in *channels.Inbound) {
				in.ID, in.Address.Chat, in.Address.Thread, in.Direct = "msg/D1/100.000200", "D1", "90.000000", true
			}),
		},
		"several people and the bot": {
			payload: about(`{"type":"message","channel":"G1","channel_type":"mpim","user":"U1","ts":"100.000200","text":"<@UBOT> hello"}`),
			want: base(func(in *channels.Inbound) {
				in.ID, in.Address.Chat, in.Address.Thread, in.Mentioned = "msg/G1/100.000200", "G1", "100.000200", true
			}),
		},
		"somebody of another workspace": {payload: post(`,"text":"hello","user_team":"T2"`), want: base(func(in *channels.Inbound) {
			in.Sender.ID = "T2/U1"
		})},
		"and by the source of the event": {payload: post(`,"text":"hello","source_team":"T3"`), want: base(func(in *channels.Inbound) {
			in.Sender.ID = "T3/U1"
		})},
		"/me":                      {payload: post(`,"text":"hello","subtype":"me_message"`), want: base(func(*channels.Inbound) {})},
		"another bot":              {payload: post(`,"text":"hello","bot_id":"B2"`), not: "a bot's message"},
		"another bot, by its kind": {payload: post(`,"text":"hello","subtype":"bot_message"`), not: "a bot's message"},
		"the bot itself": {
			payload: about(`{"type":"message","channel":"C1","user":"UBOT","ts":"100.000200","text":"hello"}`), not: "a bot's message",
		},
		"Slack's own bot": {
			payload: about(`{"type":"message","channel":"D1","user":"USLACKBOT","ts":"100.000200","text":"hello"}`), not: "a bot's message",
		},
		"somebody joined": {payload: post(`,"subtype":"channel_join","text":"x"`), not: "a message of Slack itself: channel_join"},
		"an invention":    {payload: post(`,"subtype":"hologram"`), not: "events_api message hologram"},
		"nothing at all":  {payload: post(``), not: "a message without content"},
		"a mention without words": {payload: post(`,"text":"<@UBOT>"`), want: base(func(in *channels.Inbound) {
			in.Mentioned, in.Address.Thread, in.Text = true, "100.000200", ""
		})},
		"an id with a slash":  {payload: about(`{"type":"message","channel":"C1/x","user":"U1","ts":"100.000200","text":"x"}`), not: "events_api message nowhere"},
		"a user with a slash": {payload: about(`{"type":"message","channel":"C1","user":"T1/U1","ts":"100.000200","text":"x"}`), not: "events_api message unknown"},
		"no time":             {payload: about(`{"type":"message","channel":"C1","user":"U1","ts":"x","text":"x"}`), not: "events_api message unknown"},
		"for another installation": {
			payload: `{"type":"event_callback","team_id":"T2","authorizations":[{"team_id":"T2"}],"event":{"type":"message","channel":"C1","user":"U1","ts":"100.000200","text":"x"}}`,
			not:     "it is for the app in another workspace",
		},
		"from another workspace, for this one": {
			payload: `{"type":"event_callback","team_id":"T2","authorizations":[{"team_id":"T1"}],"event":{"type":"message","channel":"C1","channel_type":"channel","user":"U1","ts":"100.000200","text":"hello"}}`,
			want:    base(func(in *channels.Inbound) { in.Sender.ID = "T2/U1" }),
		},
		"an edit": {
			payload: changed(`{"user":"U1","ts":"100.000200","text":"hello","edited":{"user":"U1","ts":"150.000000"}}`, `{"user":"U1","ts":"100.000200","text":"helo"}`),
			want:    edit(func(*channels.Inbound) {}),
		},
		"an edit of somebody else": {
			payload: changed(`{"user":"U1","ts":"100.000200","text":"hello","edited":{"user":"U2","ts":"150.000000"}}`, `{"user":"U1","ts":"100.000200","text":"helo"}`),
			want:    edit(func(in *channels.Inbound) { in.Sender.ID = "U2" }),
		},
		"an edit of Slack itself": {
			payload: changed(`{"user":"U1","ts":"100.000200","text":"hello","edited":{"user":"USLACKBOT","ts":"150.000000"}}`, `{"user":"U1","ts":"100.000200","text":"helo"}`),
			not:     "a bot's message was changed",
		},
		"an edit of a mention": {
			payload: changed(`{"user":"U1","ts":"100.000200","text":"hello","edited":{"user":"U1","ts":"150.000000"}}`, `{"user":"U1","ts":"100.000200","text":"<@UBOT> helo"}`),
			want:    edit(func(in *channels.Inbound) { in.Mentioned, in.Address.Thread = true, "100.000200" }),
		},
		"an edit in a thread": {
			payload: changed(`{"user":"U1","ts":"100.000200","thread_ts":"90.000000","text":"hello","edited":{"user":"U1","ts":"150.000000"}}`, `{"user":"U1","text":"helo"}`),
			want:    edit(func(in *channels.Inbound) { in.Address.Thread = "90.000000" }), asks: true,
		},
		"an edit that took a file away": {
			payload: changed(`{"user":"U1","ts":"100.000200","text":"hello","edited":{"user":"U1","ts":"150.000000"}}`, `{"user":"U1","text":"hello","files":[{"id":"F1"}]}`),
			want:    edit(func(*channels.Inbound) {}),
		},
		"a preview": {
			payload: changed(`{"user":"U1","ts":"100.000200","text":"hello","attachments":[{"from_url":"x"}]}`, `{"user":"U1","text":"hello"}`),
			not:     "a message was changed and nobody edited it",
		},
		"a preview below an edited message": {
			payload: changed(`{"user":"U1","ts":"100.000200","text":"hello","edited":{"user":"U1","ts":"150.000000"}}`, `{"user":"U1","text":"hello","edited":{"user":"U1","ts":"150.000000"}}`),
			not:     "a message was changed and nobody edited it",
		},
		"the bot's own edit": {
			payload: changed(`{"user":"UBOT","bot_id":"B1","ts":"100.000200","text":"b","edited":{"user":"UBOT","ts":"150.0"}}`, `{"text":"a"}`),
			not:     "a bot's message was changed",
		},
		"a deletion": {
			payload: about(`{"type":"message","subtype":"message_deleted","channel":"C1","channel_type":"channel","ts":"200.000000","deleted_ts":"100.000200","previous_message":{"user":"U1","ts":"100.000200","text":"<@UBOT> x"}}`),
			want: base(func(in *channels.Inbound) {
				in.ID, in.Kind, in.Original, in.Text = "delete/C1/100.000200", channels.KindDelete, "msg/C1/100.000200", ""
				in.Mentioned, in.Address.Thread, in.Time = true, "100.000200", time.Unix(200, 0)
			}),
		},
		"a deletion below which there are replies": {
			payload: changed(`{"subtype":"tombstone","user":"USLACKBOT","ts":"100.000200","text":"This message was deleted."}`, `{"user":"U1","ts":"100.000200","text":"x"}`),
			want: base(func(in *channels.Inbound) {
				in.ID, in.Kind, in.Original, in.Text = "delete/C1/100.000200", channels.KindDelete, "msg/C1/100.000200", ""
				in.Time = time.Unix(200, 100_000)
			}),
		},
		"the bot's own message is deleted": {
			payload: about(`{"type":"message","subtype":"message_deleted","channel":"C1","deleted_ts":"1.0","previous_message":{"bot_id":"B1","ts":"1.0"}}`),
			not:     "a bot's message was deleted",
		},
		"a deletion of who knows what": {
			payload: about(`{"type":"message","subtype":"message_deleted","channel":"C1","deleted_ts":"1.0"}`),
			not:     "a message was deleted, and it is not told whose",
		},
		"an assistant's thread": {payload: about(`{"type":"assistant_thread_started"}`), not: "assistant_thread_started"},
		"a kind of event":       {payload: about(`{"type":"moon_phase"}`), not: "events_api moon_phase"},
		"no event":              {payload: `{"type":"event_callback"}`, not: "events_api unreadable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := payload("events_api", []byte(test.payload), me())
			var got *channels.Inbound
			if len(d.Items) == 1 {
				got = &d.Items[0]
			}
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(channels.Inbound{}, "Raw")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if not := d.Skipped + d.Unread; not != test.not || d.Asks != test.asks {
				t.Errorf("not: %q, want %q; asks: %v, want %v", not, test.not, d.Asks, test.asks)
			}
			if got != nil && !json.Valid(got.Raw) {
				t.Errorf("the payload is not kept: %q", got.Raw)
			}
		})
	}
}

// A frame that is no envelope is acknowledged by the id that is found in it, if there
// is one.
func TestDecodeBrokenFrames(t *testing.T) {
	t.Parallel()
	for frame, want := range map[string]string{
		`{"envelope_id":"e1","type":"events_api","payload":{"broken`:         "e1",
		`{"type":"events_api","payload":{"a":},"envelope_id":"e2"}`:          "e2",
		`{"payload":{"envelope_id":"inner","t":"\"envelope_id\":\"said\""},`: "",
		`{"envelope_id":7}`: "",
		`{"payload":["}","\"",{"envelope_id":"x"}],"envelope_id" : "e3",]`: "e3",
		"hello there": "", "": "", "\x00\xff": "", `[{"envelope_id":"e"}`: "",
	} {
		d := decode([]byte(frame), me())
		if d.Envelope != want || d.Unread != "unreadable" || !json.Valid(d.Raw) {
			t.Errorf("%q: envelope %q, want %q; kept as %q: %s", frame, d.Envelope, want, d.Unread, d.Raw)
		}
	}
	d := decode([]byte(`{"envelope_id":"e","type":"telepathy","payload":{"response_url":"x","RESPONSE_URL":"x","deep":[{"token":"x"}]}}`), me())
	if d.Envelope != "e" || d.Unread != "telepathy" || strings.Contains(string(d.Raw), `"x"`) {
		t.Errorf("an unknown kind gives %+v", d)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"envelope_id":"e","type":"events_api","payload":` + post(`,"text":"<@UBOT> a","files":[{"id":"F1","name":"\u0000/../x"}],"blocks":[{"type":"rich_text","elements":[{}]}]`) + `}`,
		`{"envelope_id":"e","type":"events_api","payload":` + changed(`{"user":"U1","ts":"1.0","edited":{"ts":"2.0"},"text":"a"}`, `{"text":"b"}`) + `}`,
		`{"envelope_id":"e","type":"interactive","payload":{"type":"block_actions","user":{"id":"U"},"channel":{"id":"C"},"message":{"ts":"1.0"},"actions":[{"action_id":"a","value":"v","action_ts":"2.0"}]}}`,
		`{"envelope_id":"e","type":"slash_commands","payload":{"channel_id":"C","user_id":"U","trigger_id":"t","text":"stop it"}}`,
		`{"type":"disconnect","reason":"warning"}`, `{"type":"hello"}`, `null`, `{"envelope_id":"e"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d := decode(raw, me())
		if len(d.Items) == 0 && d.Skipped == "" && d.Unread == "" && !d.Hello && d.Disconnect == "" {
			t.Errorf("nothing is said of %q", raw)
		}
		if d.Unread != "" && (!json.Valid(d.Raw) || len(d.Items) > 0) {
			t.Errorf("%q is kept as %q", raw, d.Raw)
		}
		for n := range d.Items {
			in := &d.Items[n]
			parts := strings.Split(in.ID, "/")
			if in.Sender.ID == "" || in.Address.Account != "T1" || in.Address.Chat == "" ||
				len(parts) < 2 || len(parts) > 4 || !utf8.ValidString(in.Text) {
				t.Errorf("%q gives %+v", raw, in)
			}
			if strings.Count(in.Sender.ID, "/") > 1 || in.Original != "" && in.Original != fmt.Sprintf("msg/%s/%s", in.Address.Chat, in.MessageID) {
				t.Errorf("%q gives %+v", raw, in)
			}
		}
	})
}

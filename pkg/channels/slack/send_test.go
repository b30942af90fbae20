package slack_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// sender is a channel that only sends, and the platform that it sends to.
func sender(t *testing.T, change ...func(*slack.Options)) (*fakeslack.Server, *slack.Channel) {
	t.Helper()
	srv := fakeslack.New(t)
	return srv, senderTo(t, srv, change...)
}

func senderTo(t *testing.T, srv *fakeslack.Server, change ...func(*slack.Options)) *slack.Channel {
	t.Helper()
	team, user, bot := srv.Identity()
	return senderAt(t, slack.Options{BotToken: srv.BotToken, AppToken: srv.AppToken, APIURL: srv.URL()},
		slack.Identity{Team: team, User: user, Bot: bot}, change...)
}

func senderAt(t *testing.T, o slack.Options, me slack.Identity, change ...func(*slack.Options)) *slack.Channel {
	t.Helper()
	for _, f := range change {
		f(&o)
	}
	c, err := slack.New(o, me)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseOut)
	return c
}

// where is the address of a chat or thread.
func where(c *slack.Channel, chat *fakeslack.Chat) channels.Address {
	return channels.Address{Channel: slack.Name, Account: c.Account(), Chat: chat.ID(), Thread: chat.Thread()}
}

func TestSendShowsMarkdown(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.DM(srv.User("Ann"))
	receipts := outboxtest.SendAll(t, c, where(c, chat), "**bold** and a < b & c")
	m := chat.Messages()[0]
	if !strings.Contains(string(m.Blocks), `"type":"markdown"`) || !strings.Contains(string(m.Blocks), "**bold**") {
		t.Errorf("the blocks are %s", m.Blocks)
	}
	if m.Fallback != "*bold* and a &lt; b &amp; c" {
		t.Errorf("the text for notifications is %q", m.Fallback)
	}
	if receipts[0].MessageID != m.TS || receipts[0].Time.IsZero() {
		t.Errorf("receipt %+v, want that of message %s", receipts[0], m.TS)
	}
	r := srv.Requests("chat.postMessage")[0].Params
	for name, want := range map[string]string{"unfurl_links": "false", "unfurl_media": "false", "link_names": "false", "parse": "none"} {
		if r[name] != want {
			t.Errorf("%s is %q, want %q", name, r[name], want)
		}
	}
	if _, ok := r["reply_broadcast"]; ok {
		t.Error("reply_broadcast is asked for")
	}
}

func TestSendStaysInItsThread(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	room := srv.Channel("general", srv.User("Ann"))
	asked := room.Say("what?").TS
	thread := room.In(asked)
	outboxtest.SendAll(t, c, where(c, thread), "that")
	outboxtest.SendAll(t, c, where(c, room), "to all")
	var seen []string
	for _, m := range room.Messages() {
		seen = append(seen, m.Text+" in "+m.Thread)
	}
	if diff := cmp.Diff([]string{"that in " + asked, "to all in "}, seen); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
}

// TestSendNotifiesNobody: a model's text calls no person.
func TestSendNotifiesNobody(t *testing.T) {
	t.Parallel()
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprint("plain ", plain), func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			ann := srv.User("Ann")
			room := srv.Channel("general", ann)
			if plain {
				srv.Harm(fakeslack.Rule{Method: "chat.postMessage", If: withBlocks, Fault: fakeslack.Refusal("invalid_blocks")})
			}
			for _, text := range []string{
				"<!channel> <!here> <!everyone>", "<@" + ann.ID + ">", "<!subteam^S0123456|@all>", "@channel @here @everyone @Ann",
				"`<!here>`", "```\n<!here> <@" + ann.ID + ">\n```", `\<!here>`, "&lt;!here&gt;", "[<!here>](https://example.org)",
				"| a | b |\n|---|---|\n| <!channel> | <@" + ann.ID + "> |", "> <!here>", "# <!here>", "![<!here>](https://example.org)",
				"<https://example.org|<!here>>", "<\u200b!here>", "**<**!here>",
			} {
				outboxtest.SendAll(t, c, where(c, room), text)
			}
			for _, m := range room.Messages() {
				if len(m.Notified) > 0 {
					t.Errorf("%q notifies %q", m.Fallback, m.Notified)
				}
			}
		})
	}
}

func withBlocks(r fakeslack.Request) bool { return r.Params["blocks"] != "" }

// TestSendGoesOnWithoutBlocks: a server that takes no markdown blocks is asked once
// where it says so, and three times where it does not.
func TestSendGoesOnWithoutBlocks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		refusal string
		want    int
	}{
		"it says why": {`{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":["[ERROR] unsupported type: markdown [json-pointer:/blocks/0/type]"]}}`, 1},
		"no reason":   {`{"ok":false,"error":"invalid_blocks_format"}`, 3},
		"too long":    {`{"ok":false,"error":"msg_blocks_too_long"}`, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var refused int
			var texts []string
			c := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if r.FormValue("blocks") != "" {
					refused++
					fmt.Fprint(w, tc.refusal)
					return
				}
				texts = append(texts, r.FormValue("text"))
				fmt.Fprint(w, `{"ok":true,"ts":"1.000002","message":{"text":"x"}}`)
			})
			for range 5 {
				outboxtest.SendAll(t, c, channels.Address{Chat: "C1"}, "**bold** & so on")
			}
			if refused != tc.want {
				t.Errorf("blocks were refused %d times, want %d", refused, tc.want)
			}
			want := "*bold* &amp; so on"
			if diff := cmp.Diff([]string{want, want, want, want, want}, texts); diff != "" {
				t.Errorf("(-want +sent):\n%s", diff)
			}
		})
	}
}

// TestOneBadMessageEndsNoBlocks: others go on with them.
func TestOneBadMessageEndsNoBlocks(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	room := srv.Channel("general", srv.User("Ann"))
	srv.Harm(fakeslack.Rule{Method: "chat.postMessage", If: withBlocks, Skip: 1, Times: 2, Fault: fakeslack.Refusal("invalid_blocks")})
	for i := range 5 {
		outboxtest.SendAll(t, c, where(c, room), fmt.Sprint("number ", i))
	}
	for i, m := range room.Messages() {
		if blocks := len(m.Blocks) > 0; blocks != (i != 1 && i != 2) {
			t.Errorf("message %d has blocks: %v", i, blocks)
		}
	}
}

// answering is a channel on a server of the test's own.
func answering(t *testing.T, h http.HandlerFunc, change ...func(*slack.Options)) *slack.Channel {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	token := func() string { return "xoxb-canary-of-the-bot" }
	app := func() string { return "xapp-canary-of-the-app" }
	return senderAt(t, slack.Options{BotToken: token, AppToken: app, APIURL: srv.URL + "/api/"},
		slack.Identity{Team: "T1", User: "U1", Bot: "B1"}, change...)
}

// TestSendAHugeMessage: all of it arrives, in order, in messages that Slack does not cut.
func TestSendAHugeMessage(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	room := srv.Channel("general", srv.User("Ann"))
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "Line %d has <something> & more.\n\n", i)
	}
	if n := len(outboxtest.SendAll(t, c, where(c, room), b.String())); n < 20 {
		t.Fatalf("%d parts", n)
	}
	next := 0
	for _, m := range room.Messages() {
		if n := utf8.RuneCountInString(m.Fallback); n > 3900 {
			t.Errorf("a message has %d code points", n)
		}
		for next < 3000 && strings.Contains(m.Text, fmt.Sprintf("Line %d has <something> & more.", next)) {
			next++
		}
	}
	if next != 3000 {
		t.Errorf("line %d is missing, or out of order", next)
	}
}

// TestSendSendsWhatSlackDidNotKeep: a server that cuts a text gets the rest behind it.
func TestSendSendsWhatSlackDidNotKeep(t *testing.T) {
	t.Parallel()
	for _, blocks := range []bool{false, true} {
		t.Run(fmt.Sprint("blocks ", blocks), func(t *testing.T) {
			t.Parallel()
			var whole strings.Builder
			calls := 0
			log := &inboxtest.Log{}
			c := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if !blocks && r.FormValue("blocks") != "" {
					fmt.Fprint(w, `{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":["unsupported type: markdown"]}}`)
					return
				}
				calls++
				text := r.FormValue("text")
				text = text[:min(len(text), 100)]
				whole.WriteString(text)
				answer := fmt.Sprintf(`{"text":%q}`, text)
				if blocks {
					answer = fmt.Sprintf(`{"text":%q,"blocks":[{"type":"markdown","text":%q}]}`, text, text)
				}
				fmt.Fprintf(w, `{"ok":true,"ts":"1.%06d","message":%s}`, calls, answer)
			}, func(o *slack.Options) { o.Log = zerolog.New(log) })
			text := strings.TrimSpace(strings.Repeat("abcdefghi ", 35))
			r := outboxtest.SendAll(t, c, channels.Address{Chat: "C1"}, text)
			if got := whole.String(); got != text || calls != 4 {
				t.Errorf("%d messages hold %q", calls, got)
			}
			if r[0].MessageID != "1.000001" {
				t.Errorf("the receipt is that of %s, want that of the first", r[0].MessageID)
			}
			if !strings.Contains(log.String(), "kept only the beginning") || strings.Contains(log.String(), "abcdefghi") {
				t.Errorf("the log: %s", log)
			}
		})
	}
}

// TestARestThatIsLostIsAmbiguous: the beginning is there.
func TestARestThatIsLostIsAmbiguous(t *testing.T) {
	t.Parallel()
	calls := 0
	c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls > 1 {
			fmt.Fprint(w, `{"ok":false,"error":"channel_not_found"}`)
			return
		}
		fmt.Fprint(w, `{"ok":true,"ts":"1.000001","message":{"text":"be","blocks":[{"type":"markdown","text":"be"}]}}`)
	})
	_, err := c.Send(t.Context(), outboxtest.Whole(channels.Address{Chat: "C1"}, "beginning"))
	if se := channels.ClassOf(err); err == nil || se.Class != channels.SendAmbiguous {
		t.Errorf("Send: %v", err)
	}
}

// TestAThreadThatIsGone: the reply stays in the channel where Slack posted it, and is
// posted there where Slack refuses it.
func TestAThreadThatIsGone(t *testing.T) {
	t.Parallel()
	t.Run("slack posts it", func(t *testing.T) {
		t.Parallel()
		log, calls := &inboxtest.Log{}, 0
		c := answering(t, func(w http.ResponseWriter, r *http.Request) {
			calls++
			fmt.Fprintf(w, `{"ok":true,"ts":"2.000001","message":{"text":%q}}`, r.FormValue("text"))
		}, func(o *slack.Options) { o.Log = zerolog.New(log) })
		r := outboxtest.SendAll(t, c, channels.Address{Chat: "C1", Thread: "1.000001"}, "text")
		if calls != 1 || r[0].MessageID != "2.000001" || !strings.Contains(log.String(), "the thread is gone") {
			t.Errorf("%d calls, receipt %+v, log %s", calls, r, log)
		}
	})
	for _, refusal := range []string{"thread_not_found", "cannot_reply_to_message", "restricted_action_non_threadable_channel"} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			room := srv.Channel("general", srv.User("Ann"))
			asked := room.Say("what?").TS
			srv.Harm(fakeslack.Rule{
				Method: "chat.postMessage",
				If:     func(r fakeslack.Request) bool { return r.Thread != "" },
				Fault:  fakeslack.Refusal(refusal),
			})
			outboxtest.SendAll(t, c, where(c, room.In(asked)), "that")
			if all := room.Messages(); len(all) != 1 || all[0].Thread != "" || all[0].Text != "that" {
				t.Errorf("there is %+v", all)
			}
		})
	}
}

// TestLimits are the limits of Slack's pages.
func TestLimits(t *testing.T) {
	t.Parallel()
	_, c := sender(t)
	l := c.Limits()
	if l.MaxLen != 3900 || l.PerChat != 1 || l.MaxFile != 1<<30 || l.PerAccount != 0 || l.Burst < 1 {
		t.Errorf("limits %+v", l)
	}
	if n := l.Len("a<b>&ä"); n != 1+4+1+4+5+1 {
		t.Errorf("Len counts %d", n)
	}
	for rate, want := range map[float64]float64{0: 1, 2.5: 2.5, -1: 0} {
		_, c := sender(t, func(o *slack.Options) { o.PerChannel = rate })
		if got := c.Limits().PerChat; got != want {
			t.Errorf("PerChannel %v gives %v, want %v", rate, got, want)
		}
	}
}

package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/fakeslack"
	"parley/internal/test/rig"
)

// abuse are texts that would notify people if they were sent as they are; who names one
// of them.
func abuse(who string) []string {
	return []string{
		"<!channel>", "<!here|here>", "<!everyone>", "<@" + who + ">",
		"<@" + who + "|Bert>", "<!subteam^S0000000001>", "<!subteam^S0000000001|@all>",
		"`<!channel>`", "```\n<!here>\n```", "**<@" + who + ">**", "[<!channel>](https://example.org/)", "| a |\n|---|\n| <!everyone> |",
		"> <!here>", "- <@" + who + ">", "<<!channel>>", "<!channel", "&lt;!channel&gt;", "<http://example.org/|<!here>>", "\\<!channel\\>",
		"@channel @here @everyone", "<#C0000000001>", "<!date^1392734382^{date}|<!channel>>",
	}
}

// TestSlackMentionAbuse has the model repeat people's words: no person is notified, in
// no version of a message, whether it grows or comes at once, by words, names of files
// or a question, and everybody reads the written words.
func TestSlackMentionAbuse(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"auto", "edit", "off"} {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			srv := fakeslack.New(t)
			ada, bert := srv.User("Ada"), srv.User("Bert")
			direct, all := srv.DM(ada), srv.Channel("all", ada, bert)
			thread := all.In(all.SayAs("B0OTHER001", "news").TS)
			app := slackApp(srv)
			app.Chats, app.Stream = []string{direct.ID(), all.ID()}, stream
			texts := abuse(bert.ID)
			w := newSlackWith(t, srv, func(req fakemodel.Request) fakemodel.Answer {
				said := strings.Join(fresh(req), " ")
				_, number, asked := strings.Cut(said, "say ")
				n, err := strconv.Atoi(number)
				switch got := results(req); {
				case len(got) > 0:
					return fakemodel.Say("result " + got[0])
				case !asked || err != nil:
					return fakemodel.Say("result of nothing")
				case n == len(texts):
					return fakemodel.Call("effect_asked", fmt.Sprintf(`{"text": %q}`, strings.Join(texts, " ")))
				}
				return fakemodel.Say(fmt.Sprintf("number %d: %s", n, texts[n]))
			}, rig.Config{Slack: app})
			for _, chat := range []*fakeslack.Chat{direct, thread} {
				for n := range texts {
					chat.Say(srv.Mention() + fmt.Sprintf(" say %d", n))
					w.says(chat, fmt.Sprintf("number %d:", n))
				}
				chat.Say(srv.Mention() + fmt.Sprintf(" say %d", len(texts)))
				q := w.asked(chat)
				if !strings.Contains(q.Text, "<!channel>") {
					t.Errorf("the question reads %q", q.Text)
				}
				chat.Press(q.TS, "Deny")
				w.says(chat, "Denied by")
			}
			w.acked()
			if who := srv.Notified(); len(who) > 0 {
				t.Errorf("%q were notified", who)
			}
			if got := strings.Join(direct.Texts(), "\n"); !strings.Contains(got, "number 0: <!channel>") {
				t.Errorf("what was written is not what people read: %q", got)
			}
		})
	}
}

// newStrictSlack is a gateway for the app of srv that lets in only the people whom
// rules, lines of YAML below channels.slack, and owners name; rest are further blocks.
func newStrictSlack(t *testing.T, srv *fakeslack.Server, b brain, owner *fakeslack.User, rules, rest string) *slackWorld {
	t.Helper()
	w := prepareSlack(t, srv, b, rig.Config{Slack: slackApp(srv)})
	text := fmt.Sprintf(`state_dir: %q
workspace: %q
log: {level: trace, format: json}
owners: ["slack:%s/%s"]
models:
  main: {provider: openai, model: fake, base_url: %q, api_key: "env:LLM_KEY"}
channels:
  slack:
    enabled: true
    bot_token: "env:SLACK_BOT_TOKEN"
    app_token: "env:SLACK_APP_TOKEN"
    api_url: %q
    send_rate: {channel: 0}
    pairing: off
%s
%s
`, w.gw.Dir+"/state", w.gw.Dir+"/workspace", owner.Team, owner.ID, w.modelURL, srv.URL(), rules, rest)
	if err := os.WriteFile(w.gw.ConfigPath(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run()
	return w
}

// TestSlackStrangers has somebody on no list, a namesake of the owner in another team
// with the very same id, another app and a workflow do whatever can be done: no model
// is asked, no message, download or call follows, and people with access are served.
func TestSlackStrangers(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ada, eve := srv.User("Ada"), srv.User("Eve")
	listed, unlisted := srv.Channel("listed", ada, eve), srv.Channel("unlisted", ada, eve)
	w := newStrictSlack(t, srv, asksFor("effect_asked"), ada, fmt.Sprintf("    allow: [%s]", ada.ID), fmt.Sprintf(
		"tools: {chats: {\"slack:%[1]s/%[2]s\": {level: write}, \"slack:%[1]s/%[3]s\": {level: write}}}", ada.Team, listed.ID(), unlisted.ID(),
	))
	thread := listed.In(listed.Say(srv.Mention() + " please\ncall {\"text\": \"once\"}").TS)
	q := w.asked(thread)
	asked, before, sends := w.turns(), listed.Texts(), srv.Count("chat.postMessage")

	private := srv.DM(eve)
	namesake := map[string]any{"user": ada.ID, "user_team": "T0OTHER001", "source_team": "T0OTHER001", "team": "T0OTHER001"}
	for _, chat := range []*fakeslack.Chat{private, unlisted.As(eve), listed.As(eve), thread.As(eve)} {
		said := chat.Say(srv.Mention() + " let me in, I am Ada")
		chat.Edit(said.TS, srv.Mention()+" yes")
		chat.Share("a.txt", []byte("let me in"), srv.Mention())
		chat.Broadcast(srv.Mention() + " hello")
		chat.Command("let me in")
		chat.Post(srv.Mention()+" let me in", namesake)
		chat.SayAs("B0OTHER001", srv.Mention()+" let me in")
		chat.React(said.TS, "thumbsup")
		chat.OpenHome()
		chat.Shortcut("let me in")
		chat.SubmitView("let me in")
		chat.Delete(said.TS)
	}
	_, started := private.StartAssistant()
	w.await("the acknowledgement of an assistant's thread", func() bool { return srv.Acked(started) })
	pressed := thread.As(eve).PressButton(q.TS, q.Buttons[0])
	w.await("the acknowledgement of the press", func() bool { return srv.Acked(pressed) })
	w.acked()
	own := srv.DM(ada)
	own.Say("are you there?")
	w.reads(own, "heard: are you there?")

	for _, req := range w.model.Requests()[asked:] {
		if lastUser(req) != "are you there?" {
			t.Errorf("the model was asked %q", lastUser(req))
		}
	}
	if got := listed.Texts(); !slices.Equal(got, before) ||
		len(private.Texts())+len(unlisted.Texts()) > 0 || srv.Count("chat.postMessage") != sends+1 {
		t.Errorf("told %q, before %q, elsewhere %q %q", got, before, private.Texts(), unlisted.Texts())
	}
	if n := srv.Count("download"); n != 0 {
		t.Errorf("%d files were fetched", n)
	}
	if n := w.ran(); n != 0 {
		t.Errorf("%d effects", n)
	}
	thread.Press(q.TS, "Deny") // the questions wait still
	w.says(thread, "Denied by")
}

// TestSlackBotsDoNotTalk lets two bots answer each other, if they would.
func TestSlackBotsDoNotTalk(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	all := srv.Channel("all", srv.User("Ada"))
	w := newSlack(t, srv, echoes, all)
	w.meets(all)
	thread := all.In(all.Say(srv.Mention() + " hello").TS)
	w.reads(thread, "heard: Ada: hello")
	for i := range 50 {
		thread.SayAs("B0OTHER001", srv.Mention()+fmt.Sprint(" answer me ", i))
	}
	w.acked()
	thread.Say("and on")
	w.reads(thread, "heard: Ada: hello", "heard: Ada: and on")
	if n := w.turns(); n != 3 {
		t.Errorf("the model was asked %d times", n)
	}
}

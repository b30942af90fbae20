package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/pkg/session"
)

// TestMistypedCommands are answered with those that there are, in the words of each platform, and
// no model is asked.
func TestMistypedCommands(t *testing.T) {
	t.Parallel()
	t.Run("telegram", func(t *testing.T) {
		t.Parallel()
		tg := faketelegram.New(t)
		ada := tg.User("Ada")
		chat, group := tg.Private(ada), tg.Group("all", ada)
		w := newTelegram(t, tg, echoes)
		chat.Say("/hlep")
		w.reads(chat, "There is no command /hlep. Did you mean /help? /help lists the commands.")
		group.Say("/stauts@" + tg.Bot().User().Username)
		w.reads(group, "There is no command /stauts. Did you mean /status? /help lists the commands.")
		if n := len(w.model.Requests()); n > 0 {
			t.Errorf("the model was asked %d times", n)
		}
	})
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		srv := fakeslack.New(t)
		ann := srv.User("Ann")
		general, direct := srv.Channel("general", ann), srv.DM(ann)
		w := newSlack(t, srv, echoes)
		w.linked()
		general.Command("hlep")
		w.reads(general, "There is no command /parley hlep. Did you mean /parley help? /parley help lists the commands.")
		direct.Say(" /hlep")
		w.reads(direct, "There is no command /parley hlep. Did you mean /parley help? /parley help lists the commands.")
		if n := len(w.model.Requests()); n > 0 {
			t.Errorf("the model was asked %d times", n)
		}
	})
}

// recites is a model that says which words of people it sees.
func recites(req fakemodel.Request) fakemodel.Answer {
	var said []string
	for _, text := range persons(req) {
		if !strings.HasPrefix(text, "[the gateway's notes") {
			said = append(said, text)
		}
	}
	return fakemodel.Say("I see " + strings.Join(said, "|"))
}

// line is what a person writes, and how the bot's next message begins.
type line struct{ says, told string }

// tells waits until the bot's n-th message in a chat begins with a text.
func tells[I, M any, C fakeChat[I, M]](w *platformWorld[I, M, C], chat C, n int, text string) {
	w.t.Helper()
	if w.platform.Until(w.ctx, func() bool { return len(chat.Texts()) > n }) != nil || !strings.HasPrefix(chat.Texts()[n], text) {
		w.t.Fatalf("message %d is not %q:\n%s", n, text, strings.Join(chat.Texts(), "\n---\n"))
	}
}

// TestConversationCommands on Telegram and Slack, in a direct chat and in a group, as people type
// them there; the gateway is killed in between.
func TestConversationCommands(t *testing.T) {
	t.Parallel()
	// Who is the name with which the model reads words of the person; typed is a command as people
	// write it, named as the bot does.
	talk := func(who string, typed, named func(name string) string) []line {
		return []line{
			{"one", "I see " + who + "one"},
			{"two", "I see " + who + "one|" + who + "two"},
			{typed("undo"), "Taken out of the conversation: “" + who + "two”"},
			{typed("retry"), "I see " + who + "one|" + who + "one"},
			{typed("new"), "New conversation started"},
			{"three", "I see " + who + "three"},
			{typed("resume"), "Earlier conversations of this chat:\n\n1. “" + who + "one” (until "},
			{typed("resume 7"), "There is no earlier conversation 7 in this chat. " + named("resume") + " lists them."},
			{typed("resume 1"), "Going on with “" + who + "one” (until "},
			{typed("history 1"), "The last 1 exchanges:"},
			{"four", "I see " + who + "one|" + who + "one|" + who + "four"},
			{typed("copy"), "Only the console in a terminal copies by itself."},
		}
	}
	slashed := func(name string) string { return "/" + name }
	t.Run("telegram", func(t *testing.T) {
		t.Parallel()
		tg := faketelegram.New(t)
		ada := tg.User("Ada")
		chat, group := tg.Private(ada), tg.Group("all", ada)
		w := newTelegram(t, tg, recites, chat, group)
		for i, l := range talk("", slashed, slashed) {
			chat.Say(l.says)
			tells(w.platformWorld, chat, i, l.told)
			if i == 5 {
				w.rests("the store", func(s session.Status) bool { return s.Waiting+s.Sending == 0 })
				w.kill()
				w.start()
			}
		}
		bot := tg.Bot().User().Username
		at := func(name string) string {
			word, rest, _ := strings.Cut(name, " ")
			return strings.TrimSpace("/" + word + "@" + bot + " " + rest)
		}
		for i, l := range talk("Ada: "+mention(tg), at, slashed) {
			if !strings.HasPrefix(l.says, "/") {
				l.says = mention(tg) + l.says
			}
			group.Say(l.says)
			tells(w.platformWorld, group, i, l.told)
		}
	})
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		srv := fakeslack.New(t)
		ann := srv.User("Ann")
		direct := srv.DM(ann)
		w := newSlack(t, srv, recites, direct)
		w.linked()
		parley := func(name string) string { return "/parley " + name }
		for i, l := range talk("", parley, parley) {
			if words, command := strings.CutPrefix(l.says, "/parley "); command {
				direct.Command(words)
			} else {
				direct.Say(l.says)
			}
			tells(w.platformWorld, direct, i, l.told)
			if i == 5 {
				w.rests("the store", func(s session.Status) bool { return s.Waiting+s.Sending == 0 })
				w.kill()
				w.start()
				w.linked()
			}
		}
		general := srv.Channel("general", ann)
		asked := general.Say(srv.Mention() + " first")
		thread := general.In(asked.TS)
		w.await("an answer", func() bool { return len(thread.Texts()) == 1 })
		thread.Say("second")
		w.await("an answer", func() bool { return len(thread.Texts()) == 2 })
		thread.Say(srv.Mention() + " /undo")
		w.await("the end of it", func() bool { all := thread.Texts(); return len(all) == 3 && strings.Contains(all[2], "Taken out") })
		thread.Say(srv.Mention() + " /hlep")
		told := fmt.Sprintf("Did you mean @%s /help?", "Parley")
		w.await(told, func() bool { all := thread.Texts(); return len(all) == 4 && strings.Contains(all[3], "/help?") })
		if got := thread.Texts()[3]; strings.Contains(got, "/parley") {
			t.Errorf("in a thread it says %q", got)
		}
	})
}

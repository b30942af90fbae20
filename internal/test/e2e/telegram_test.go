package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
)

func TestTelegramPrivateChat(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		if got := results(req); len(got) > 0 {
			return fakemodel.Say("**told**: " + got[0])
		}
		if word, ok := strings.CutPrefix(lastUser(req), "look up "); ok {
			return fakemodel.Call("lookup", fmt.Sprintf(`{"text":%q}`, word))
		}
		return echoes(req)
	})
	chat.Say("hello")
	w.reads(chat, "heard: hello")
	chat.Say("look up <word>")
	answer := w.reads(chat, "heard: hello", "told: the meaning of <word> is known")[1]
	if len(answer.Entities) != 1 || answer.Entities[0].Type != "bold" {
		t.Errorf("entities %+v, want one bold", answer.Entities)
	}
	if answer.ReplyTo != 0 || answer.Preview {
		t.Errorf("an answer in a private chat replies to %d, preview %v", answer.ReplyTo, answer.Preview)
	}
}

func TestTelegramGroup(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(*faketelegram.Server, string, ...faketelegram.User) *faketelegram.Chat{
		"group": (*faketelegram.Server).Group, "supergroup": (*faketelegram.Server).Supergroup,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tg := faketelegram.New(t)
			ada, bert := tg.User("Ada"), tg.User("Bert")
			group := meet(tg, "all", ada, bert)
			w := newTelegram(t, tg, echoes)
			group.Say("not to the bot")
			asked := group.As(bert).Say(mention(tg) + "what is it?")
			group.Say("nor this")
			want := []string{"heard: Bert: " + mention(tg) + "what is it?"}
			m := w.reads(group, want...)[0]
			if m.ReplyTo != asked.MessageID {
				t.Errorf("the answer replies to %d, and %d asked", m.ReplyTo, asked.MessageID)
			}
			reply := group.Reply(m.ID, "go on")
			want = append(want, "heard: Ada: go on")
			if m := w.reads(group, want...)[1]; m.ReplyTo != reply.MessageID {
				t.Errorf("the second answer replies to %d, and %d asked", m.ReplyTo, reply.MessageID)
			}
			group.Say("/help@another_bot")
			command := group.Say("/stop" + strings.TrimSpace(mention(tg)))
			want = append(want, "No answer is in progress.")
			if m := w.reads(group, want...)[2]; m.ReplyTo != command.MessageID {
				t.Errorf("the command's answer replies to %d, and %d asked", m.ReplyTo, command.MessageID)
			}
			late := group.Say("and this?")
			group.Edit(late.MessageID, mention(tg)+"and this?")
			want = append(want, "heard: Ada: "+mention(tg)+"and this?")
			w.reads(group, want...)
			group.Edit(late.MessageID, mention(tg)+"and that?")
			for _, req := range w.model.Requests() {
				if said := strings.Join(persons(req), "|"); strings.Contains(said, "not to the bot") || strings.Contains(said, "nor this") {
					t.Errorf("the model was told %q", said)
				}
			}
		})
	}
}

func TestTelegramTopics(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	forum := tg.Forum("all", tg.User("Ada"))
	one, two := forum.Topic("one"), forum.Topic("two")
	w := newTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		return fakemodel.Say(fmt.Sprintf("%s after %d", fresh(req)[0], len(persons(req))-1))
	})
	for n := range 2 {
		for name, topic := range map[string]*faketelegram.Chat{"one": one, "two": two} {
			asked := topic.Say(mention(tg) + name)
			var want []string
			for k := range n + 1 {
				want = append(want, fmt.Sprintf("Ada: %s%s after %d", mention(tg), name, k))
			}
			m := w.reads(topic, want...)[n]
			if m.Thread != topic.Thread() || m.ReplyTo != asked.MessageID {
				t.Errorf("topic %s: the answer is in thread %d and replies to %d, want %d and %d",
					name, m.Thread, m.ReplyTo, topic.Thread(), asked.MessageID)
			}
		}
	}
	asked := forum.Say(mention(tg) + "general")
	w.await("the answer outside of topics", func() bool { return len(forum.Texts()) == 5 })
	m := forum.Messages()[4]
	if want := "Ada: " + mention(tg) + "general after 0"; m.Text != want ||
		m.Thread == one.Thread() || m.Thread == two.Thread() || m.ReplyTo != asked.MessageID {
		t.Errorf("outside of topics: %+v, want %q in reply to %d", m, want, asked.MessageID)
	}
}

func TestTelegramStoppedWhilePeopleWrite(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	const n = 5
	var chats []*faketelegram.Chat
	for range n {
		chats = append(chats, tg.Private(tg.User("Ada")))
	}
	chats = append(chats, tg.Supergroup("all", tg.User("Bert")))
	word := func(chat *faketelegram.Chat, text string) (said, heard string) {
		if chat.ID() > 0 {
			return text, text
		}
		return mention(tg) + text, "Bert: " + mention(tg) + text
	}
	w := newTelegram(t, tg, echoes)
	want := map[*faketelegram.Chat][]string{}
	say := func(chat *faketelegram.Chat, text string) {
		said, heard := word(chat, text)
		chat.Say(said)
		want[chat] = append(want[chat], heard)
	}
	for _, chat := range chats {
		say(chat, "before")
	}
	for _, chat := range chats {
		w.hears(chat, want[chat]...)
	}
	w.process.Signal(syscall.SIGTERM)
	if exit, err := w.process.Wait(w.ctx); err != nil || exit.Code != 0 {
		t.Fatalf("after SIGTERM: %+v, %v", exit, err)
	}
	for i := range 3 {
		for _, chat := range chats {
			say(chat, fmt.Sprint("while it is down ", i))
		}
	}
	w.start()
	for _, chat := range chats {
		w.hears(chat, want[chat]...)
	}
}

func TestTelegramPoisonUpdate(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	chat.Say("before")
	for _, body := range []any{"no message at all", map[string]any{"message_id": "x", "chat": []int{5}}, nil, 1e300} {
		tg.Bot().Push("message", body)
	}
	chat.Post(map[string]any{"something_new": map[string]any{"a": 1}})
	chat.Say("after")
	w := newTelegram(t, tg, echoes)
	w.hears(chat, "before", "after")
	if err := tg.Bot().AwaitConfirmed(w.ctx); err != nil {
		t.Error(err)
	}
	chat.Say("and on")
	w.hears(chat, "before", "after", "and on")
}

func TestTelegramBurstIntoABusyChat(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	asked, open := make(chan struct{}, 100), make(chan struct{})
	w := newTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		if slices.Equal(persons(req), []string{"go"}) && len(results(req)) == 0 {
			asked <- struct{}{}
			<-open
			return fakemodel.Call("lookup", `{"text":"x"}`)
		}
		return echoes(req)
	})
	chat.Say("go")
	<-asked
	var burst []string
	for i := range 16 {
		burst = append(burst, fmt.Sprint("message ", i))
	}
	chat.SayAll(burst...)
	if err := tg.Bot().AwaitConfirmed(w.ctx); err != nil {
		t.Fatal(err)
	}
	close(open)
	w.hears(chat, append([]string{"go"}, burst...)...)
}

// TestTelegramAnotherGateway has another one poll for the same bot. It does not
// confirm, as long as it lives.
func TestTelegramAnotherGateway(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newTelegram(t, tg, echoes)
	chat.Say("before")
	w.hears(chat, "before")
	if err := tg.Bot().AwaitPolling(w.ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first ends with the words of the meantime, the second gets them again
		ended := make(chan error, 1)
		go func() {
			req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, tg.URL()+"/bot"+tg.Token()+"/getUpdates?timeout=20", http.NoBody)
			if err != nil {
				ended <- err
				return
			}
			resp, err := http.DefaultClient.Do(req)
			if err == nil {
				err = resp.Body.Close()
			}
			ended <- err
		}()
		if len(tg.Bot().Unconfirmed()) == 0 {
			w.await("a conflict", func() bool { return len(conflicts(tg)) == 1 })
			for said := false; !said; { // the gateway reads the conflict a moment later
				status, err := w.gw.Command(w.ctx, nil, "status").CombinedOutput()
				if err != nil {
					t.Fatalf("status: %v, %s", err, status)
				}
				said = strings.Contains(string(status), "degraded taking in: ")
			}
			chat.Say("meanwhile")
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	w.hears(chat, "before", "meanwhile")
	polls := conflicts(tg)
	if len(polls) != 1 {
		t.Errorf("%d polls of the gateway met the other one", len(polls))
	}
	for _, r := range tg.Requests("getUpdates") {
		if since := r.Time.Sub(polls[0].Done); ours(r) && since > 0 && since < 5*time.Second {
			t.Errorf("it polled again after %v", since)
		}
	}
}

// ours says whether a poll is the gateway's.
func ours(r faketelegram.Request) bool { return r.Params["allowed_updates"] != "" }

func conflicts(tg *faketelegram.Server) []faketelegram.Request {
	return slices.DeleteFunc(tg.Requests("getUpdates"), func(r faketelegram.Request) bool {
		return !ours(r) || r.Status != http.StatusConflict
	})
}

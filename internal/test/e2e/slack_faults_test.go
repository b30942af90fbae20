package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/fakeslack"
	"parley/internal/test/rig"
	"parley/pkg/session"
)

// TestSlackLimitsOneChannel has Slack ask for time in one channel: that one waits, also
// with later messages, and others do not.
func TestSlackLimitsOneChannel(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	slow, other := srv.DM(srv.User("Ada")), srv.DM(srv.User("Bert"))
	w := newSlack(t, srv, echoes)
	const seconds = 2
	srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Chat: slow.ID(), Times: 1, Fault: fakeslack.RateLimited(seconds)})
	w.limitsOneChat(w.manners(), slow, other, seconds*time.Second)
}

// TestSlackChannelsInTroubleDelayNobody has one silent channel, in which no request
// gets an answer, one that is told to wait again and again, and people who ask beside
// them.
func TestSlackChannelsInTroubleDelayNobody(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	hanging, limited := srv.DM(srv.User("Ada")), srv.DM(srv.User("Bert"))
	var others []*fakeslack.Chat
	for range 20 {
		others = append(others, srv.DM(srv.User("Cleo")))
	}
	const seconds = 3
	answer := srv.Harm(fakeslack.Rule{Chat: hanging.ID(), Fault: fakeslack.Fault{HalfOpen: true}})
	admit := srv.Harm(fakeslack.Rule{Chat: limited.ID(), Fault: fakeslack.RateLimited(seconds)})
	w := newSlack(t, srv, echoes)
	w.troubleDelaysNobody(w.manners(), hanging, limited, others, seconds*time.Second, admit, answer)
}

// TestSlackRefreshWithEventsInFlight asks for new sockets, again and again, while 100
// messages are on their way: each is answered once, in its chat's order.
func TestSlackRefreshWithEventsInFlight(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	const chats, each = 20, 5
	w := newSlack(t, srv, echoes)
	w.linked()
	var all []*fakeslack.Chat
	for range chats {
		all = append(all, srv.DM(srv.User("Ada")))
	}
	want := map[*fakeslack.Chat][]string{}
	for i := range each {
		for _, chat := range all {
			text := fmt.Sprint("message ", i)
			chat.Say(text)
			want[chat] = append(want[chat], text)
		}
		before := srv.Opened()
		srv.Disconnect("refresh_requested")
		w.await("the next socket", func() bool { return srv.Opened() > before })
	}
	for _, chat := range all {
		w.hears(chat, want[chat]...)
	}
	w.acked()
	w.await("one socket", func() bool { return srv.Sockets() == 1 })
}

// TestSlackSocketsThatEnd cuts the socket without a word, with events under way.
func TestSlackSocketsThatEnd(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	w := newSlack(t, srv, echoes)
	w.linked()
	var want []string
	for i := range 5 {
		for k := range 4 {
			text := fmt.Sprint("message ", i, k)
			chat.Say(text)
			want = append(want, text)
		}
		srv.Cut()
	}
	w.hears(chat, want...)
}

// TestSlackLinkDisabled switches Socket Mode off for the app: the gateway waits, says
// so, and queued messages still leave.
func TestSlackLinkDisabled(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	asked, open := make(chan struct{}, 10), make(chan struct{})
	w := newSlack(t, srv, func(req fakemodel.Request) fakemodel.Answer {
		asked <- struct{}{}
		<-open
		return echoes(req)
	})
	chat.Say("hello")
	<-asked
	w.acked()
	srv.Refuse("link_disabled", 1000)
	srv.Disconnect("link_disabled")
	w.await("the end of the socket", func() bool { return srv.Sockets() == 0 })
	close(open)
	w.hears(chat, "hello")
	w.until("the word of it", func() bool {
		status, err := w.gw.Command(w.ctx, nil, "status").CombinedOutput()
		if err != nil {
			t.Fatalf("status: %v, %s", err, status)
		}
		return strings.Contains(string(status), "link_disabled")
	})
	opens := srv.Requests("apps.connections.open")
	if n := len(opens); n > 2 { // the first socket, and at most one attempt since
		t.Errorf("%d sockets were asked for", n)
	}
}

// TestSlackKeepsItsTokensToItself has everything fail in which a token has a part; each
// test's log is looked at in the end.
func TestSlackKeepsItsTokensToItself(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	for method, faults := range map[string][]fakeslack.Fault{
		"auth.test":             {fakeslack.BadGateway()},
		"apps.connections.open": {{DropAfter: true}, fakeslack.BadGateway()},
		"chat.postMessage":      {fakeslack.BadGateway(), {DropBefore: true}},
	} {
		for i, fault := range faults {
			// The newest rule comes first, so each lets those before it pass.
			srv.Harm(fakeslack.Rule{Method: method, Skip: i, Times: 1, Fault: fault})
		}
	}
	w := newSlack(t, srv, echoes)
	chat.Say("hello")
	w.hears(chat, "hello")
	for method, n := range map[string]int{"auth.test": 1, "apps.connections.open": 2, "chat.postMessage": 2} {
		w.await("the failures of "+method, func() bool {
			failed := 0
			for _, r := range srv.Requests(method) {
				if r.Faulty {
					failed++
				}
			}
			return failed == n
		})
	}
	status, err := w.gw.Command(w.ctx, nil, "status", "--json").CombinedOutput()
	if err != nil || strings.Contains(string(status), srv.BotToken()) || strings.Contains(string(status), srv.AppToken()) {
		t.Errorf("status: %v, %s", err, status)
	}
}

// TestSlackModelFaults has the model fail and break off: one plain sentence each, and
// the next message works.
func TestSlackModelFaults(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ada := srv.User("Ada")
	all := srv.Channel("all", ada)
	w := newSlack(t, srv, func(req fakemodel.Request) fakemodel.Answer {
		said := fresh(req)
		switch last := said[len(said)-1]; {
		case strings.HasSuffix(last, "fail"):
			return fakemodel.Fail(http.StatusBadRequest, "invalid_request_error", "no")
		case strings.HasSuffix(last, "break off"):
			a := fakemodel.Say(strings.Repeat("word ", 100))
			a.Fault.Cut = 200
			return a
		}
		return fakemodel.Say("heard: " + said[len(said)-1])
	})
	for name, chat := range map[string]*fakeslack.Chat{"direct": srv.DM(ada), "thread": all.In(all.SayAs("B0OTHER001", "news").TS)} {
		for i, fault := range []string{"fail", "break off"} {
			chat.Say(srv.Mention() + " " + fault)
			w.await("a sentence", func() bool { return len(chat.Texts()) == 2*i+1 })
			w.rests("the end of the turn", func(s session.Status) bool { return s.Waiting == 0 && s.Sending == 0 })
			plain(t, chat.Texts()[2*i])
			chat.Say(srv.Mention() + " go on")
			w.await("the next answer", func() bool { return len(chat.Texts()) == 2*i+2 })
			if got := chat.Texts()[2*i+1]; !strings.HasSuffix(got, "go on") {
				t.Errorf("%s: after %q the answer is %q", name, fault, got)
			}
		}
	}
}

// TestSlackManyChats has 300 people write at once, several times: every answer comes
// once, in its own chat, and no request to the model knows of two of them.
func TestSlackManyChats(t *testing.T) {
	t.Parallel()
	const each = 3
	chats := 300
	if raceFlags == "-race" || testing.Short() { // the race detector costs tenfold
		chats = 60
	}
	srv := fakeslack.New(t)
	ada := srv.User("Ada")
	word := func(chat, n int) string { return fmt.Sprintf("word-%d-%d.", chat, n) }
	w := newSlack(t, srv, func(req fakemodel.Request) fakemodel.Answer {
		of := map[string]bool{}
		for _, part := range strings.Split(strings.Join(persons(req), "\n"), "word-")[1:] {
			chat, _, _ := strings.Cut(part, "-")
			of[chat] = true
		}
		if len(of) != 1 {
			t.Errorf("a request is about the chats %v", of)
		}
		return echoes(req)
	})
	// A third are direct messages, a third channels' threads, a third threads of one channel.
	var all []*fakeslack.Chat
	common := srv.Channel("common", ada)
	for i := range chats {
		switch i % 3 {
		case 0:
			all = append(all, srv.DM(srv.User("Bert")))
		case 1:
			own := srv.Private(fmt.Sprint("channel", i), ada)
			all = append(all, own.In(own.SayAs("B0OTHER001", "news").TS))
		default:
			all = append(all, common.In(common.SayAs("B0OTHER001", "news").TS))
		}
	}
	for n := range each {
		for i, chat := range all {
			chat.Say(srv.Mention() + "\n" + word(i, n))
		}
	}
	heard := func(chat *fakeslack.Chat) (words []string) {
		for _, text := range chat.Texts() {
			for part := range strings.SplitSeq(strings.TrimPrefix(text, heardMark), ", ") {
				words = append(words, part[strings.LastIndex(part, " ")+1:])
			}
		}
		return words
	}
	for i, chat := range all {
		var want []string
		for n := range each {
			want = append(want, word(i, n))
		}
		if w.srv.Until(w.ctx, func() bool { return len(heard(chat)) >= each }) != nil || !slices.Equal(heard(chat), want) {
			t.Fatalf("chat %d was told that %q was heard, want %q", i, heard(chat), want)
		}
	}
	w.rest()
	for i, chat := range all {
		if got := heard(chat); len(got) != each {
			t.Errorf("chat %d was told %q in the end", i, got)
		}
	}
}

// TestSlackManyBackgroundAgents starts three agents in each of many chats at once: every
// report comes once, in its own chat.
func TestSlackManyBackgroundAgents(t *testing.T) {
	t.Parallel()
	const chats, agents = 60, 3
	srv := fakeslack.New(t)
	var all []*fakeslack.Chat
	for range chats {
		all = append(all, srv.DM(srv.User("Ada")))
	}
	word := func(chat, agent int) string { return fmt.Sprintf("word-%d-%d.", chat, agent) }
	w := newSlack(t, srv, asks(), all...)
	for i, chat := range all {
		var round []rig.ScriptCall
		for k := range agents {
			task := rig.Script{Quiet: true, Parts: []string{word(i, k)}}.Ask(fmt.Sprintf("%012x", 1<<40+i*agents+k))
			round = append(round, rig.ScriptCall{Tool: "spawn", Args: map[string]any{"task": task, "name": "a look"}})
		}
		chat.Say(rig.Script{Rounds: [][]rig.ScriptCall{round}}.Ask(fmt.Sprintf("%012x", i)))
	}
	for _, chat := range all {
		w.await("every report", func() bool { return len(chat.Texts()) >= 1+agents })
	}
	w.rest()
	for i, chat := range all {
		texts := chat.Texts()
		if len(texts) != 1+agents || !strings.Contains(texts[0], fmt.Sprintf("answer rq%012x", i)) {
			t.Errorf("chat %d was told %q", i, texts)
		}
		for k := range agents {
			if n := strings.Count(strings.Join(texts, "\n"), word(i, k)); n != 1 {
				t.Errorf("chat %d was told %d times of %s: %q", i, n, word(i, k), texts)
			}
		}
	}
}

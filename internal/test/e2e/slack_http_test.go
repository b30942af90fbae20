package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/fakeslack"
	"parley/internal/test/rig"
)

// newPushed runs a gateway that srv calls over HTTP, and gives the URL that it calls.
func newPushed(t *testing.T, srv *fakeslack.Server, b brain, trusted ...*fakeslack.Chat) (w *slackWorld, target string) {
	t.Helper()
	return pushedAt(t, srv, b, rig.Config{}, freeAddr(t), trusted...)
}

// pushedAt is the same at an address.
func pushedAt(
	t *testing.T, srv *fakeslack.Server, b brain, c rig.Config, addr string, trusted ...*fakeslack.Chat,
) (w *slackWorld, target string) {
	t.Helper()
	app := slackApp(srv)
	app.AppToken, app.Listen = "", addr
	for _, chat := range trusted {
		app.Chats = append(app.Chats, chat.ID())
	}
	c.Slack = app
	w = newSlackWith(t, srv, b, c)
	target = "http://" + app.Listen + "/slack/events"
	w.looks("the gateway to listen", func() bool { return srv.Verify(w.ctx, target) == nil })
	srv.PushTo(target)
	return w, target
}

// TestSlackOverHTTP has Slack call the gateway with posts, a button and a slash command.
func TestSlackOverHTTP(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ada := srv.User("Ada")
	chat, all := srv.DM(ada), srv.Channel("all", ada)
	w, _ := newPushed(t, srv, asksFor("effect_asked"), chat)
	w.meets(all)
	chat.Say("hello")
	w.hears(chat, "hello")
	thread := all.In(all.Say(srv.Mention() + " hello").TS)
	w.reads(thread, "heard: Ada: hello")
	delete(w.chats, chat)
	chat.Say(`call {"text": "once"}`)
	q := w.asked(chat)
	pressed := chat.Press(q.TS, "Allow once")
	w.says(chat, "result: done: once")
	command := chat.Command("help")
	w.says(chat, "/parley new - ")
	w.await("200 for everything", func() bool { return srv.Acked(pressed) && srv.Acked(command) })
	if n := w.effectsOf("once"); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	if n := srv.Count("apps.connections.open"); n != 0 {
		t.Errorf("%d sockets were asked for", n)
	}
}

// TestSlackForgedRequests sends calls of other authors than Slack: unsigned, signed
// with another secret, altered, and signed rightly long ago. They are not read.
func TestSlackForgedRequests(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	w, target := newPushed(t, srv, echoes)
	said := chat.Say("hello")
	w.hears(chat, "hello")
	forged := bytes.ReplaceAll(said.Raw, []byte("hello"), []byte("forged"))
	forged = bytes.ReplaceAll(forged, []byte(said.TS), []byte(srv.Stamp()))
	post := func(sign func(http.Header)) int {
		req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, target, bytes.NewReader(forged))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		sign(req.Header)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	for name, sign := range map[string]func(http.Header){
		"unsigned":     func(http.Header) {},
		"another body": func(h http.Header) { srv.Sign(h, said.Raw, time.Now()) },
		"long ago":     func(h http.Header) { srv.Sign(h, forged, time.Now().Add(-6*time.Minute)) },
		"to come":      func(h http.Header) { srv.Sign(h, forged, time.Now().Add(6*time.Minute)) },
		"another time": func(h http.Header) {
			srv.Sign(h, forged, time.Now())
			h.Set("X-Slack-Request-Timestamp", fmt.Sprint(time.Now().Add(-time.Second).Unix()))
		},
		"half of it": func(h http.Header) {
			srv.Sign(h, forged, time.Now())
			h.Set("X-Slack-Signature", h.Get("X-Slack-Signature")[:35])
		},
	} {
		if status := post(sign); status != http.StatusUnauthorized {
			t.Errorf("%s: status %d", name, status)
		}
	}
	chat.Say("and on")
	w.hears(chat, "hello", "and on")
	for range 2 { // a caller with the secret is heard, once
		if status := post(func(h http.Header) { srv.Sign(h, forged, time.Now()) }); status != http.StatusOK {
			t.Errorf("signed: status %d", status)
		}
	}
	w.hears(chat, "hello", "and on", "forged")
}

// TestSlackOverHTTPWhileDown kills the gateway with a message under way; Slack calls again.
func TestSlackOverHTTPWhileDown(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t, fakeslack.Options{PushRetries: []time.Duration{0, time.Second, time.Second, time.Second, 5 * time.Second}})
	chat := srv.DM(srv.User("Ada"))
	asked, open := make(chan struct{}, 10), make(chan struct{})
	w, _ := newPushed(t, srv, func(req fakemodel.Request) fakemodel.Answer {
		asked <- struct{}{}
		<-open
		return echoes(req)
	})
	chat.Say("one")
	<-asked
	w.acked()
	w.kill()
	chat.Say("two")
	close(open)
	w.start()
	w.hears(chat, "one", "two")
}

// TestSlackCommands types slash commands where people may, over a socket.
func TestSlackCommands(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ada := srv.User("Ada")
	chat, all := srv.DM(ada), srv.Channel("all", ada)
	w := newSlack(t, srv, echoes)
	w.linked()
	chat.Command("what is it?")
	w.reads(chat, "heard: what is it?")
	chat.Command("stop")
	w.reads(chat, "heard: what is it?", "No answer is in progress.")
	chat.Command("")
	w.says(chat, "/parley new - ")
	delete(w.chats, chat)
	all.Command("and here?")
	w.says(all, heardMark, "and here?")
	if m := all.Messages()[0]; m.Thread != "" {
		t.Errorf("the answer is in the thread %s", m.Thread)
	}
}

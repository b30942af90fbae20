package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/fakeslack"
	"parley/pkg/session"
)

func TestSlackDirectMessages(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	w := newSlack(t, srv, func(req fakemodel.Request) fakemodel.Answer {
		if got := results(req); len(got) > 0 {
			return fakemodel.Say("**told**: " + got[0] + " at https://example.org/")
		}
		if word, ok := strings.CutPrefix(lastUser(req), "look up "); ok {
			return fakemodel.Call("lookup", fmt.Sprintf(`{"text":%q}`, word))
		}
		return echoes(req)
	})
	chat.Say("hello")
	if m := w.reads(chat, "heard: hello")[0]; m.Thread != "" {
		t.Errorf("the answer is in the thread %s", m.Thread)
	}
	chat.Say("look up &lt;word&gt;")
	// That no preview is asked for is the server's to say.
	w.reads(chat, "heard: hello", "told: the meaning of <word> is known at https://example.org/")
	thread := chat.In(chat.Say("one more").TS)
	w.reads(chat, "heard: hello", "told: the meaning of <word> is known at https://example.org/", "heard: one more")
	delete(w.chats, chat) // a thread's messages are the channel's too
	thread.Say("within")
	w.reads(thread, "heard: within")
}

// TestSlackThreads: a mention in a channel starts a thread that needs no further
// mention of the bot; each thread is a conversation of its own.
func TestSlackThreads(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(*fakeslack.Server, string, ...*fakeslack.User) *fakeslack.Chat{
		"channel": (*fakeslack.Server).Channel, "private channel": (*fakeslack.Server).Private, "group message": (*fakeslack.Server).Group,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakeslack.New(t)
			ada, bert := srv.User("Ada"), srv.User("Bert")
			all := meet(srv, "all", ada, bert)
			w := newSlack(t, srv, func(req fakemodel.Request) fakemodel.Answer {
				return fakemodel.Say(fmt.Sprintf("%s after %d", fresh(req)[0], len(persons(req))-1))
			})
			w.meets(all, all.As(bert))
			before := len(all.Texts())
			all.Say("not to the bot")
			one := all.In(all.As(bert).Say(srv.Mention() + " what is it?").TS)
			w.reads(one, "Bert: what is it? after 0")
			two := all.In(all.Say(srv.Mention() + " and that?").TS)
			w.reads(two, "Ada: and that? after 0")
			one.Say("go on")
			w.reads(one, "Bert: what is it? after 0", "Ada: go on after 1")
			two.As(bert).Say("here too")
			w.reads(two, "Ada: and that? after 0", "Bert: here too after 1")
			// A thread without the bot is a matter of people alone.
			all.In(all.Say("among people").TS).Say("nor this")
			one.Say("the end")
			w.reads(one, "Bert: what is it? after 0", "Ada: go on after 1", "Ada: the end after 2")
			w.acked()
			for _, req := range w.model.Requests() {
				if said := strings.Join(persons(req), "|"); strings.Contains(said, "not to the bot") || strings.Contains(said, "nor this") {
					t.Errorf("the model was told %q", said)
				}
			}
			if n := len(all.Texts()) - before; n != 5 {
				t.Errorf("%d more messages in the channel with its threads, want 5: %q", n, all.Texts())
			}
		})
	}
}

// TestSlackShapesOfOnePost delivers a mention as message and app_mention, in either
// order, and both again as retries: it is one turn.
func TestSlackShapesOfOnePost(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]bool{"message first": false, "app_mention first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakeslack.New(t, fakeslack.Options{MentionFirst: first})
			all := srv.Channel("all", srv.User("Ada"))
			w := newSlack(t, srv, echoes)
			w.meets(all)
			said := all.Say(srv.Mention() + " hello")
			if len(said.Envelopes) != 2 {
				t.Fatalf("the post came in %d envelopes", len(said.Envelopes))
			}
			thread := all.In(said.TS)
			w.reads(thread, "heard: Ada: hello")
			srv.Repeat(said)
			w.acked()
			thread.Say("and now?")
			w.reads(thread, "heard: Ada: hello", "heard: Ada: and now?")
			if n := w.turns(); n != 3 {
				t.Errorf("the model was asked %d times, want 3", n)
			}
		})
	}
}

// TestSlackFirstCopyIsARetry says things while no socket is open: they come later,
// marked as retries, and count all the same.
func TestSlackFirstCopyIsARetry(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	chat.Say("before anybody listened")
	w := newSlack(t, srv, echoes)
	w.hears(chat, "before anybody listened")
	w.process.Signal(syscall.SIGTERM)
	if exit, err := w.process.Wait(w.ctx); err != nil || exit.Code != 0 {
		t.Fatalf("after SIGTERM: %+v, %v", exit, err)
	}
	for i := range 3 {
		chat.Say(fmt.Sprint("while it is down ", i))
	}
	w.start()
	w.hears(chat, "before anybody listened", "while it is down 0", "while it is down 1", "while it is down 2")
}

// TestSlackRetryDuringItsTurn sends a message again, as Slack does minutes later, while
// the model still works on it, and once more when it is answered.
func TestSlackRetryDuringItsTurn(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	asked, open := make(chan struct{}, 10), make(chan struct{})
	w := newSlack(t, srv, func(req fakemodel.Request) fakemodel.Answer {
		asked <- struct{}{}
		<-open
		return echoes(req)
	})
	said := chat.Say("hello")
	<-asked
	again := srv.Repeat(said)
	w.await("the copy's acknowledgement", func() bool { return srv.Acked(again) })
	close(open)
	w.hears(chat, "hello")
	again = srv.Repeat(said)
	w.await("the late copy's acknowledgement", func() bool { return srv.Acked(again) })
	w.rests("rest", func(s session.Status) bool { return s.Waiting == 0 && s.Sending == 0 })
	w.hears(chat, "hello")
	if n := w.turns(); n != 1 {
		t.Errorf("the model was asked %d times, want 1", n)
	}
}

// TestSlackEditsAndDeletionsThatOvertake delivers an edit or a deletion before the
// message that it is about.
func TestSlackEditsAndDeletionsThatOvertake(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	edited, deleted := srv.DM(srv.User("Ada")), srv.DM(srv.User("Bert"))
	w := newSlack(t, srv, echoes)
	late := edited.Unheard("first")
	edited.Edit(late.TS, "second")
	w.hears(edited, "second")
	gone := deleted.Unheard("taken back")
	deleted.Delete(gone.TS)
	w.acked()
	srv.Repeat(late)
	srv.Repeat(gone)
	w.acked()
	edited.Say("and on")
	deleted.Say("and on")
	w.hears(edited, "second", "and on")
	w.hears(deleted, "and on")
	for _, req := range w.model.Requests() {
		if said := strings.Join(persons(req), "|"); strings.Contains(said, "first") || strings.Contains(said, "taken back") {
			t.Errorf("the model was told %q", said)
		}
	}
}

// TestSlackDeletedWhileItWaits takes a message back that waits behind a turn, and one
// that a turn has.
func TestSlackDeletedWhileItWaits(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat, busy := srv.DM(srv.User("Ada")), make(chan struct{}, 10)
	open := make(chan struct{})
	w := newSlack(t, srv, func(req fakemodel.Request) fakemodel.Answer {
		if slices.Equal(persons(req), []string{"go"}) {
			busy <- struct{}{}
			<-open
		}
		return echoes(req)
	})
	has := chat.Say("go")
	<-busy
	waits := chat.Say("taken back")
	chat.Say("stays")
	chat.Delete(waits.TS)
	chat.Delete(has.TS)
	w.acked()
	close(open)
	w.hears(chat, "go", "stays")
}

// TestSlackUnknownAndMalformed lets unreadable envelopes come between those of people:
// all are acknowledged, and people do not notice.
func TestSlackUnknownAndMalformed(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	w := newSlack(t, srv, echoes)
	chat.Say("before")
	w.hears(chat, "before")
	for _, e := range []fakeslack.Event{
		srv.Send("kind_of_tomorrow", map[string]any{"a": []int{1}}),
		srv.Send("events_api", "no event at all"),
		srv.Send("events_api", nil),
		srv.Send("interactive", []any{map[string]any{"type": 5}}),
		srv.Send("slash_commands", 1e300),
		srv.SendEvent(map[string]any{"type": "event_of_tomorrow", "channel": chat.ID()}),
		srv.SendEvent(map[string]any{"type": "message", "channel": []int{1}, "ts": map[string]any{}, "text": 7}),
		srv.SendRaw(`{"envelope_id":"raw-1","type":"events_api","payload":{"event":`),
		srv.SendRaw(`{"envelope_id":"raw-2","payload":{}}`),
	} {
		if len(e.Envelopes) == 0 {
			continue // one with an unreadable id is not acknowledged
		}
		w.await("the acknowledgement of "+e.Type, func() bool { return srv.Acked(e) })
	}
	chat.Post("after", map[string]any{"something_new": map[string]any{"a": 1}})
	w.hears(chat, "before", "after")
	if n := w.turns(); n != 2 {
		t.Errorf("the model was asked %d times, want 2", n)
	}
}

// TestSlackHugeMessage has a person write more than Slack's clients let anybody, and
// the model answer with more than one message holds.
func TestSlackHugeMessage(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	var words []string
	for i := range 3000 {
		words = append(words, fmt.Sprintf("w%04d", i))
	}
	w := newSlack(t, srv, func(req fakemodel.Request) fakemodel.Answer {
		if n := len(lastUser(req)); n > 200_000 {
			return fakemodel.Say(fmt.Sprint("heard ", n > 300_000))
		}
		return fakemodel.Say(strings.Join(words, " "))
	})
	chat.Say("&lt;" + strings.Repeat("wörd &amp; ", 40_000))
	w.says(chat, "heard true")
	chat.Say("tell")
	said := func() []string { return strings.Fields(strings.Join(chat.Texts()[1:], " ")) }
	w.await("the whole answer", func() bool { return slices.Equal(said(), words) })
	if n := len(chat.Texts()); n < 5 {
		t.Errorf("an answer of %d characters in %d messages", len(words)*6, n-1)
	}
}

// TestSlackStreamEndsAsOneMessage lets an answer grow slowly, in a thread and in direct
// messages: people see it grow, and in the end there is one message with the whole text.
func TestSlackStreamEndsAsOneMessage(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ada := srv.User("Ada")
	direct, all := srv.DM(ada), srv.Channel("all", ada)
	var words []string
	for i := range 60 {
		words = append(words, fmt.Sprintf("w%02d", i))
	}
	w := newSlack(t, srv, func(fakemodel.Request) fakemodel.Answer {
		a := fakemodel.Say(strings.Join(words, " "))
		a.Fault.Gap = 1200 * time.Millisecond // between its halves too
		return a
	})
	direct.Say("tell")
	thread := all.In(all.Say(srv.Mention() + " tell").TS)
	for _, chat := range []*fakeslack.Chat{direct, thread} {
		w.await("the whole answer", func() bool { return strings.Join(chat.Texts(), "|") == strings.Join(words, " ") })
		m := w.reads(chat, strings.Join(words, " "))
		if len(m) != 1 || m[0].Streaming {
			t.Errorf("%d messages were there, the last one still streaming: %v", len(m), m[len(m)-1].Streaming)
		}
		if len(m[0].Versions) < 2 {
			t.Errorf("it came at once: %q", m[0].Versions)
		}
	}
}

package slack_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakeslack"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

func streaming(how string) func(*slack.Options) {
	return func(o *slack.Options) { o.Stream = how }
}

// threadOf is a thread in a channel, with its last message taken in.
func threadOf(c *slack.Channel, srv *fakeslack.Server) (*fakeslack.Chat, channels.Address) {
	ann := srv.User("Ann")
	room := srv.Channel("general", ann)
	thread := room.In(room.Say("tell me").TS)
	at := where(c, thread)
	c.Heard(at, thread.Thread(), ann.ID)
	return thread, at
}

// begin opens a preview and returns its message.
func begin(t *testing.T, c *slack.Channel, at channels.Address, text string) string {
	t.Helper()
	r, err := c.Send(t.Context(), preview(outboxtest.Whole(at, text)))
	if err != nil {
		t.Fatal(err)
	}
	return r.MessageID
}

// show grows a preview.
func show(t *testing.T, c *slack.Channel, at channels.Address, id, text string) {
	t.Helper()
	if err := c.Edit(t.Context(), at, id, text); err != nil {
		t.Fatal(err)
	}
}

// finish puts the whole answer in place of a preview.
func finish(t *testing.T, c *slack.Channel, at channels.Address, id, text string) {
	t.Helper()
	r, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(at, text), id))
	if err != nil || r.MessageID != id {
		t.Fatalf("receipt %+v, %v", r, err)
	}
}

// wantOne fails the test unless there is one message, which is finished and reads text.
func wantOne(t *testing.T, chat *fakeslack.Chat, text string) fakeslack.Message {
	t.Helper()
	all := chat.Messages()
	if len(all) != 1 || all[0].Text != text || all[0].Streaming || all[0].Deleted {
		t.Fatalf("there is %+v, want one message with %q", all, text)
	}
	return all[0]
}

func wantCounts(t *testing.T, srv *fakeslack.Server, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for method := range want {
		got[method] = srv.Count(method)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestAnAnswerIsStreamed(t *testing.T) {
	t.Parallel()
	for name, chat := range map[string]func(*slack.Channel, *fakeslack.Server) (*fakeslack.Chat, channels.Address){
		"thread in a channel": threadOf,
		"thread in direct messages": func(c *slack.Channel, srv *fakeslack.Server) (*fakeslack.Chat, channels.Address) {
			dm := srv.DM(srv.User("Ann"))
			dm = dm.In(dm.Say("tell me").TS)
			return dm, where(c, dm)
		},
		"somebody of another team": func(c *slack.Channel, srv *fakeslack.Server) (*fakeslack.Chat, channels.Address) {
			eve := srv.Stranger("Eve", "T0OTHER")
			room := srv.Channel("shared", eve)
			room = room.In(room.Say("tell me").TS)
			c.Heard(where(c, room), room.Thread(), eve.Team+"/"+eve.ID)
			return room, where(c, room)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			thread, at := chat(c, srv)
			if !c.Edits(at) {
				t.Fatal("nothing is shown")
			}
			id := begin(t, c, at, "The first")
			if all := thread.Messages(); len(all) != 1 || !all[0].Streaming || all[0].Thread != thread.Thread() {
				t.Fatalf("there is %+v", all)
			}
			show(t, c, at, id, "The first part, the second")
			show(t, c, at, id, "The first part, the second, and **bo") // not yet
			finish(t, c, at, id, "The first part, the second, and **bold** ones.")
			m := wantOne(t, thread, "The first part, the second, and bold ones.")
			if diff := cmp.Diff([]string{"The first", "The first part, the second", "The first part, the second, and", m.Text},
				m.Versions); diff != "" {
				t.Errorf("what it showed (-want +got):\n%s", diff)
			}
			wantCounts(t, srv,
				map[string]int{"chat.startStream": 1, "chat.appendStream": 2, "chat.stopStream": 1, "chat.update": 0, "chat.postMessage": 0})
			appended := srv.Requests("chat.appendStream")
			if gap := appended[1].Time.Sub(appended[0].Time); gap < 950*time.Millisecond {
				t.Errorf("%v between two", gap)
			}
		})
	}
}

// TestAStreamThatTurnsOutDifferently goes on by updates, and ends as one message.
func TestAStreamThatTurnsOutDifferently(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	thread, at := threadOf(c, srv)
	id := begin(t, c, at, "Let me look")
	show(t, c, at, id, "It is something else")
	show(t, c, at, id, "It is something else, and")
	finish(t, c, at, id, "It is something else, and so on.")
	wantOne(t, thread, "It is something else, and so on.")
	wantCounts(t, srv,
		map[string]int{"chat.startStream": 1, "chat.appendStream": 0, "chat.stopStream": 1, "chat.update": 3, "chat.postMessage": 0})
}

// TestAnAnswerThatIsAnotherThanWhatWasStreamed replaces it, also with a question.
func TestAnAnswerThatIsAnotherThanWhatWasStreamed(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	thread, at := threadOf(c, srv)
	id := begin(t, c, at, "Let me look")
	finish(t, c, at, id, "No.")
	wantOne(t, thread, "No.")
	other, at := threadOf(c, srv)
	id = begin(t, c, at, "Let me")
	if _, err := c.Send(t.Context(), outboxtest.Edits(question(at, "Let me do it?"), id)); err != nil {
		t.Fatal(err)
	}
	if m := wantOne(t, other, "Let me do it?"); len(m.Buttons) != 2 {
		t.Errorf("it has %d buttons", len(m.Buttons))
	}
}

// TestARestartInTheMiddleOfAStream: the next process finishes it without knowing of it.
func TestARestartInTheMiddleOfAStream(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	thread, at := threadOf(c, srv)
	id := begin(t, c, at, "The answer is")
	again := senderTo(t, srv)
	show(t, again, at, id, "The answer is not")
	third := senderTo(t, srv)
	finish(t, third, at, id, "The answer is not known.")
	wantOne(t, thread, "The answer is not known.")

	unseen, at := threadOf(c, srv)
	id = begin(t, c, at, "The answer is")
	finish(t, senderTo(t, srv), at, id, "The answer is 42.")
	wantOne(t, unseen, "The answer is 42.")
}

// TestAStreamThatSlackClosed is gone on with by updates.
func TestAStreamThatSlackClosed(t *testing.T) {
	t.Parallel()
	for name, grows := range map[string]bool{"while it grows": true, "before the end": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			thread, at := threadOf(c, srv)
			id := begin(t, c, at, "One moment")
			closing(t, srv, at.Chat, id)
			if grows {
				show(t, c, at, id, "One moment please")
			}
			finish(t, c, at, id, "One moment please, sir.")
			wantOne(t, thread, "One moment please, sir.")
		})
	}
}

// closing ends a stream behind the channel's back.
func closing(t *testing.T, srv *fakeslack.Server, chat, id string) {
	t.Helper()
	other := senderTo(t, srv)
	at := channels.Address{Channel: slack.Name, Chat: chat}
	if err := other.Edit(t.Context(), at, id, "x"); err != nil {
		t.Fatal(err)
	}
}

// TestAStreamThatCannotEnd gives way to a new message.
func TestAStreamThatCannotEnd(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	thread, at := threadOf(c, srv)
	id := begin(t, c, at, "One moment")
	srv.Harm(fakeslack.Rule{Method: "chat.stopStream", Fault: fakeslack.Refusal("message_not_in_streaming_state")})
	srv.Harm(fakeslack.Rule{Method: "chat.update", Fault: fakeslack.Refusal("streaming_state_conflict")})
	r, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(at, "Here."), id))
	if err != nil || r.MessageID == id {
		t.Fatalf("receipt %+v, %v", r, err)
	}
	if diff := cmp.Diff([]string{"Here."}, thread.Texts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStreamFaults: whatever goes wrong on the way, the answer is one message.
func TestStreamFaults(t *testing.T) {
	t.Parallel()
	faults := map[string]fakeslack.Fault{
		"cut before": {DropBefore: true}, "cut after": {DropAfter: true}, "502": fakeslack.BadGateway(),
		"internal_error": fakeslack.Refusal("internal_error"),
		"limited":        fakeslack.RateLimited(1), "refused": fakeslack.Refusal("invalid_chunks"),
	}
	for _, method := range []string{"chat.appendStream", "chat.stopStream", "chat.update"} {
		for name, fault := range faults {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				srv, c := sender(t)
				thread, at := threadOf(c, srv)
				id := begin(t, c, at, "One")
				srv.Harm(fakeslack.Rule{Method: method, Times: 1, Fault: fault})
				err := c.Edit(t.Context(), at, id, "One two")
				if se, ok := errors.AsType[*channels.SendError](err); ok && se.Class == channels.SendRateLimited {
					t.Errorf("what is shown in passing holds messages back: %v", err)
				}
				part := outboxtest.Edits(outboxtest.Whole(at, "Two, not one."), id)
				for range 5 {
					if _, err = c.Send(t.Context(), part); err == nil {
						break
					}
					se := channels.ClassOf(err)
					if se.Class == channels.SendRefused && name == "refused" && method == "chat.update" {
						return // as it is for every message
					}
					if se.Class != channels.SendTransient && se.Class != channels.SendRateLimited {
						t.Fatalf("Send: %v", err)
					}
					<-time.After(se.RetryAfter)
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{"Two, not one."}, thread.Texts()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestWhereSlackTakesNoStreams: it is asked once, and a message is edited instead.
func TestWhereSlackTakesNoStreams(t *testing.T) {
	t.Parallel()
	for refusal, everywhere := range map[string]bool{
		"unknown_method": true, "not_allowed_token_type": true, "missing_scope": true, "channel_type_not_supported": false,
	} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			heal := srv.Harm(fakeslack.Rule{Method: "chat.startStream", Fault: fakeslack.Refusal(refusal)})
			for range 3 {
				thread, at := threadOf(c, srv)
				id := begin(t, c, at, "The")
				finish(t, c, at, id, "The end.")
				wantOne(t, thread, "The end.")
			}
			wantCounts(t, srv, map[string]int{"chat.startStream": 1, "chat.postMessage": 3, "chat.update": 3})
			heal()
			dm := srv.DM(srv.User("Ben"))
			dm = dm.In(dm.Say("?").TS)
			begin(t, c, where(c, dm), "The")
			if streams := srv.Count("chat.startStream") == 2; streams == everywhere {
				t.Errorf("direct messages are streamed: %v", streams)
			}
		})
	}
}

// TestAStreamThatFailsToOpen has the classes of a message.
func TestAStreamThatFailsToOpen(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault fakeslack.Fault
		class channels.SendClass
	}{
		"cut":            {fakeslack.Fault{DropAfter: true}, channels.SendAmbiguous},
		"internal_error": {fakeslack.Refusal("internal_error"), channels.SendAmbiguous},
		"503":            {fakeslack.Fault{Status: 503, Body: "<html>"}, channels.SendTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			_, at := threadOf(c, srv)
			srv.Harm(fakeslack.Rule{Method: "chat.startStream", Times: 1, Fault: tc.fault})
			_, err := c.Send(t.Context(), preview(outboxtest.Whole(at, "text")))
			if se := channels.ClassOf(err); err == nil || se.Class != tc.class {
				t.Errorf("Send: %v, want %s", err, tc.class)
			}
			if n := srv.Count("chat.postMessage"); n != 0 {
				t.Errorf("%d messages besides", n)
			}
		})
	}
}

// TestALimitOfStreamsHoldsNoAnswer: Slack lets a workspace open few in a minute, and
// an answer that waits behind its own preview would wait for others.
func TestALimitOfStreamsHoldsNoAnswer(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	srv.Harm(fakeslack.Rule{Method: "chat.startStream", Fault: fakeslack.RateLimited(7)})
	for range 3 {
		thread, at := threadOf(c, srv)
		id := begin(t, c, at, "The")
		show(t, c, at, id, "The answer")
		finish(t, c, at, id, "The answer is 42.")
		wantOne(t, thread, "The answer is 42.")
	}
	wantCounts(t, srv, map[string]int{"chat.startStream": 1, "chat.postMessage": 3})
}

// TestALongAnswerIsStreamedAndFinished: its first part is in the message that grew.
func TestALongAnswerIsStreamedAndFinished(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	thread, at := threadOf(c, srv)
	text := strings.TrimSpace(strings.Repeat("Some more words here.\n\n", 400))
	parts := c.Split(text)
	id := begin(t, c, at, text[:1000])
	show(t, c, at, id, text)
	for i, p := range parts {
		part := outboxtest.Whole(at, p)
		if i == 0 {
			part.Edits = id
		}
		if _, err := c.Send(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	all := thread.Messages()
	if len(all) != len(parts) || all[0].TS != id || all[0].Streaming {
		t.Fatalf("%d messages for %d parts", len(all), len(parts))
	}
	if n := strings.Count(strings.Join(thread.Texts(), "\n\n"), "Some more words here."); n != 400 {
		t.Errorf("%d of 400 sentences", n)
	}
}

func TestDeadContextShowsNothing(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	at := where(c, srv.DM(srv.User("Ann")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Edit(ctx, at, "1.000001", "text"); !errors.Is(err, context.Canceled) || srv.Count("") != 0 {
		t.Errorf("Edit: %v, %d requests", err, srv.Count(""))
	}
}

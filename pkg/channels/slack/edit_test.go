package slack_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakeslack"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
)

func preview(p channels.Part) channels.Part {
	p.Preview = true
	return p
}

func question(at channels.Address, text string) channels.Part {
	p := outboxtest.Whole(at, text)
	p.Buttons = []channels.Button{{Label: "Allow once", Data: "ask/1/once"}, {Label: "Deny", Data: "ask/1/deny"}}
	return p
}

func TestAQuestionAndItsAnswer(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	room := srv.Channel("general", srv.User("Ann"))
	at := where(c, room.In(room.Say("?").TS))
	if !c.Buttons(at) {
		t.Fatal("nobody can press")
	}
	r, err := c.Send(t.Context(), question(at, "Run `rm -rf x`?"))
	if err != nil {
		t.Fatal(err)
	}
	m := room.Messages()[0]
	var seen []string
	ids := map[string]bool{}
	for _, b := range m.Buttons {
		seen = append(seen, b.Text+" = "+b.Value)
		ids[b.ActionID] = true
	}
	if diff := cmp.Diff([]string{"Allow once = ask/1/once", "Deny = ask/1/deny"}, seen); diff != "" || len(ids) != 2 {
		t.Errorf("%d ids (-want +seen):\n%s", len(ids), diff)
	}
	if !strings.Contains(m.Text, "rm -rf x") {
		t.Errorf("it reads %q", m.Text)
	}
	again, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(at, "Allowed by Ann."), r.MessageID))
	if err != nil || again.MessageID != r.MessageID {
		t.Fatalf("receipt %+v, %v", again, err)
	}
	if all := room.Messages(); len(all) != 1 || all[0].Text != "Allowed by Ann." || len(all[0].Buttons) != 0 {
		t.Errorf("there is %+v", all)
	}
}

// TestAQuestionWithoutMarkdownBlocks keeps its text and its buttons.
func TestAQuestionWithoutMarkdownBlocks(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	room := srv.Channel("general", srv.User("Ann"))
	markdown := func(r fakeslack.Request) bool { return strings.Contains(r.Params["blocks"], `"markdown"`) }
	srv.Harm(fakeslack.Rule{If: markdown, Fault: fakeslack.Refusal("invalid_blocks")})
	text := "Run this?\n\n```\n" + strings.Repeat("echo 1 < 2\n", 200) + "```\n\nThe end."
	if n := len(c.Split(text)); n != 1 {
		t.Fatalf("%d parts", n)
	}
	r, err := c.Send(t.Context(), question(where(c, room), c.Split(text)[0]))
	if err != nil {
		t.Fatal(err)
	}
	m := room.Messages()[0]
	if len(m.Buttons) != 2 || strings.Count(m.Text, "echo 1 < 2") != 200 || !strings.Contains(m.Text, "The end.") || len(m.Notified) != 0 {
		t.Errorf("%d buttons below %q", len(m.Buttons), m.Text)
	}
	if _, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(where(c, room), "Denied."), r.MessageID)); err != nil {
		t.Fatal(err)
	}
	if m := room.Messages()[0]; m.Text != "Denied." || len(m.Buttons) != 0 {
		t.Errorf("it reads %q with %d buttons", m.Text, len(m.Buttons))
	}
}

func TestEditOfAMessageThatTakesNone(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{"message_not_found", "cant_update_message", "edit_window_closed"} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			room := srv.Channel("general", srv.User("Ann"))
			id := outboxtest.SendAll(t, c, where(c, room), "one moment")[0].MessageID
			srv.Harm(fakeslack.Rule{Method: "chat.update", Fault: fakeslack.Refusal(refusal)})
			r, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(where(c, room), "answer"), id))
			if err != nil || r.MessageID == id {
				t.Fatalf("receipt %+v, %v", r, err)
			}
			if all := room.Messages(); len(all) != 2 || all[1].Text != "answer" || all[1].TS != r.MessageID {
				t.Errorf("there is %+v", all)
			}
		})
	}
}

// TestEditWithoutAnAnswerIsMadeAgain: a second edit has no effect.
func TestEditWithoutAnAnswerIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fakeslack.Fault{
		"cut after": {DropAfter: true}, "cut before": {DropBefore: true}, "internal_error": fakeslack.Refusal("internal_error"),
		"fails": fakeslack.Refusal("update_failed"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			room := srv.Channel("general", srv.User("Ann"))
			id := outboxtest.SendAll(t, c, where(c, room), "one moment")[0].MessageID
			srv.Harm(fakeslack.Rule{Method: "chat.update", Times: 1, Fault: fault})
			for i := range 3 {
				_, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(where(c, room), "answer"), id))
				if class := channels.ClassOf(err).Class; i == 0 && (err == nil || class != channels.SendTransient) || i > 0 && err != nil {
					t.Errorf("attempt %d: %v", i, err)
				}
			}
			if diff := cmp.Diff([]string{"answer"}, room.Texts()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestOneLimitedChannelLetsOthersGoOn: a wait is obeyed where it was asked for. It is
// the whole workspace's only where several channels are told the same moment.
func TestOneLimitedChannelLetsOthersGoOn(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	var rooms []*fakeslack.Chat
	for i := range 4 {
		rooms = append(rooms, srv.Channel(fmt.Sprint("room", i), srv.User("Ann")))
	}
	heal := srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Chat: rooms[0].ID(), Fault: fakeslack.RateLimited(7)})
	se := wantClass(t, c, where(c, rooms[0]), channels.SendRateLimited)
	if se.RetryAfter.Seconds() != 7 || se.Account {
		t.Errorf("%v for the account: %v", se.RetryAfter, se.Account)
	}
	outboxtest.SendAll(t, c, where(c, rooms[1]), "goes on")
	heal()
	srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Fault: fakeslack.RateLimited(7)})
	wantClass(t, c, where(c, rooms[1]), channels.SendRateLimited)
	wantClass(t, c, where(c, rooms[2]), channels.SendRateLimited)
	if se := wantClass(t, c, where(c, rooms[3]), channels.SendRateLimited); !se.Account {
		t.Error("four channels are not the workspace")
	}
}

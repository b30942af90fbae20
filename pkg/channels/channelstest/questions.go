package channelstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/visible"
)

// asker starts a channel of a rig on which buttons can be pressed.
func asker(t *testing.T, rig *Rig, s *store) *running {
	t.Helper()
	c := start(t, rig, s)
	b, ok := c.Channel.(channels.Buttoner)
	if ok != (rig.Press != nil) {
		t.Fatalf("the channel has buttons: %v; its rig presses some: %v", ok, rig.Press != nil)
	}
	if !ok {
		t.Skip("the platform has no buttons")
	}
	for _, at := range rig.Chats {
		if !b.Buttons(at) {
			t.Errorf("nobody can press a button in %+v", at)
		}
	}
	return c
}

// question is a whole message with buttons and data that begin with id.
func question(at channels.Address, id, text string) channels.Part {
	p := part(at, id, text)
	p.Buttons = []channels.Button{
		{Label: "Allow once", Data: id + ":once"}, {Label: "Allow here", Data: id + ":here"}, {Label: "Deny", Data: id + ":deny"},
	}
	return p
}

// questionsArePressed asks in all chats before anybody presses.
func questionsArePressed(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	c := asker(t, rig, s)
	labels := []string{"Allow once", "Allow here", "Deny"}
	answers := []string{"once", "here", "deny"}
	type press struct {
		at            channels.Address
		text, message string
	}
	var want []press
	for i, at := range rig.Chats {
		id := fmt.Sprintf("q%d", i)
		r := send(t, c, question(at, id, one(t, c, "May I, in "+place(at)+"?")))
		want = append(want, press{at, id + ":" + answers[i%len(answers)], r.MessageID})
	}
	for i, at := range rig.Chats {
		if !rig.Press(at, labels[i%len(labels)]) {
			t.Errorf("no %q in %+v", labels[i%len(labels)], at)
		}
	}
	items := s.wait(t, len(want))
	keys := map[string]bool{}
	for i := range items {
		in := &items[i]
		if in.Kind != channels.KindButton || in.Sender.ID == "" || in.Time.IsZero() || keys[in.ID] {
			t.Errorf("press %+v", in)
		}
		keys[in.ID] = true
		if got := (press{in.Address, in.Text, in.MessageID}); !slices.Contains(want, got) {
			t.Errorf("pressed %+v, want one of %+v", got, want)
		}
	}
	if len(items) != len(want) {
		t.Errorf("%d presses came, %d were made", len(items), len(want))
	}
}

// questionsShowAll asks about hostile texts, made visible.
func questionsShowAll(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	c := asker(t, rig, newStore())
	at := rig.Chats[0]
	for i, text := range append(hostile(), "```\n# no heading\n~~~\n    code\n[a]: http://x", "  a\t b\n\n\n| x |\n|---|\n") {
		parts := cut(c, "**write_file** wants to write:\n\n"+visible.Verbatim(text))
		if len(parts) != 1 {
			continue // is refused
		}
		send(t, c, question(at, fmt.Sprintf("q%d", i), parts[0]))
		if seen := strings.Join(rig.Seen(at), "\n"); !strings.Contains(seen, visible.Text(text)) {
			t.Errorf("%q is not seen whole: %q", visible.Text(text), seen)
		}
	}
}

// finishedQuestions puts a message in the place of a question.
func finishedQuestions(t *testing.T, f Factory) {
	t.Helper()
	rig, s := f(t), newStore()
	c := asker(t, rig, s)
	for i, at := range rig.Chats {
		asked := send(t, c, question(at, fmt.Sprintf("q%d", i), one(t, c, "May I?")))
		end := part(at, fmt.Sprintf("end%d", i), one(t, c, "Denied by Ann."))
		end.Edits = asked.MessageID
		send(t, c, end)
		if all := rig.Seen(at); len(all) == 0 || all[len(all)-1] != rig.shows(end.Text) {
			t.Errorf("seen %q", all)
		}
		rig.Press(at, "Allow once") // of the newest message
		rig.Say(at, "after")
	}
	var after int
	for n := 1; after < len(rig.Chats); n++ {
		in := s.wait(t, n)[n-1]
		if in.Kind == channels.KindButton {
			t.Errorf("a button that is gone was pressed: %+v", in)
		}
		if in.Text == "after" {
			after++
		}
	}
}

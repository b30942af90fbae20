package telegram_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/faketelegram"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
	"parley/pkg/channels/telegram/markup"
	"parley/pkg/visible"
)

// asking is a question as the gateway queues it.
func asking(at channels.Address, id, text string, labels ...string) channels.Outbound {
	o := channels.Outbound{ID: id, Address: at, Text: text}
	for _, label := range labels {
		o.Buttons = append(o.Buttons, channels.Button{Label: label, Data: id + ":" + label})
	}
	return o
}

// askPart sends a question as Egress does.
func askPart(t *testing.T, c *telegram.Channel, o channels.Outbound) channels.Receipt {
	t.Helper()
	parts := c.Split(o.Text)
	if len(parts) != 1 {
		t.Fatalf("%d parts", len(parts))
	}
	o.Text = parts[0]
	r, err := c.Send(t.Context(), channels.Part{Outbound: o, Count: 1})
	if err != nil {
		t.Fatalf("Send: %v", err)
	}
	return r
}

// TestAQuestionIsAskedPressedAndFinished goes the whole way, in a topic of a group:
// from the store to the keyboard, from the presses of two people to the store, and
// to the answer that takes the keyboard away.
func TestAQuestionIsAskedPressedAndFinished(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ann, ben := b.srv.User("Ann"), b.srv.User("Ben")
	club := b.srv.Forum("Club", ann, ben)
	topic := club.Topic("Plans")
	at := where(b.ch, topic)
	e := outboxtest.Open(t, t.TempDir())
	defer outboxtest.Send(t, channels.EgressOptions{Outbox: e.Outbox(), Channel: b.ch, Log: zerolog.Nop()})()
	question := asking(at, "q", "**delete_file** wants to delete:\n\n"+visible.Verbatim("a\u202etxt.exe"),
		"Allow once", "Allow here", "Deny", "More")
	outboxtest.Queue(t, e, question)
	outboxtest.Await(t, e, 0)
	seen := topic.Messages()[0]
	want := [][]faketelegram.Button{
		{{Text: "Allow once", Data: "q:Allow once"}, {Text: "Allow here", Data: "q:Allow here"}, {Text: "Deny", Data: "q:Deny"}},
		{{Text: "More", Data: "q:More"}},
	}
	if diff := cmp.Diff(want, seen.Buttons); diff != "" {
		t.Errorf("keyboard (-want +got):\n%s", diff)
	}
	if text := "delete_file wants to delete:\n\na\\u{202e}txt.exe"; seen.Text != text || seen.Thread != topic.Thread() {
		t.Errorf("seen %q in %d", seen.Text, seen.Thread)
	}

	presses := []faketelegram.Update{topic.As(ben).Press(seen.ID, "Deny"), topic.Press(seen.ID, "Allow once")}
	b.bot.Repeat(presses[1])
	var again map[string]json.RawMessage // as another update
	if err := json.Unmarshal(presses[1].Raw, &again); err != nil {
		t.Fatal(err)
	}
	b.bot.Push("callback_query", again["callback_query"])
	topic.Say("after")
	b.store.Await(t, 3)
	type press struct {
		kind                  channels.Kind
		at                    channels.Address
		sender, text, message string
		group, addressed      bool
	}
	id := func(u faketelegram.User) string { return strconv.FormatInt(u.ID, 10) }
	message := strconv.FormatInt(seen.ID, 10)
	var got []press
	for _, in := range b.store.All() {
		if in.Kind == channels.KindButton {
			got = append(got, press{in.Kind, in.Address, in.Sender.ID, in.Text, in.MessageID, !in.Direct, in.Mentioned})
		}
	}
	if diff := cmp.Diff([]press{
		{channels.KindButton, at, id(ben), "q:Deny", message, true, true},
		{channels.KindButton, at, id(ann), "q:Allow once", message, true, true},
	}, got, cmp.AllowUnexported(press{})); diff != "" {
		t.Errorf("presses (-want +got):\n%s", diff)
	}
	b.until(t, "the answers", func() bool {
		answered := b.srv.Callbacks()
		return len(answered) == 2 && slices.ContainsFunc(answered, func(a faketelegram.Callback) bool { return a.ID == presses[0].Callback }) &&
			slices.ContainsFunc(answered, func(a faketelegram.Callback) bool { return a.ID == presses[1].Callback })
	})

	outboxtest.Queue(t, e, channels.Outbound{ID: "end", Address: at, Text: "Allowed once by Ann.", Finishes: "q"})
	outboxtest.Await(t, e, 0)
	all := topic.Messages()
	if len(all) != 1 || all[0].Text != "Allowed once by Ann." || all[0].Buttons != nil || all[0].ID != seen.ID {
		t.Errorf("finished: %+v", all)
	}
	if late := topic.Press(seen.ID, "Deny"); late.ID != 0 {
		t.Error("the keyboard is still there")
	}
}

// TestFinishingAQuestion meets each fate of a question.
func TestFinishingAQuestion(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text   string
		before func(srv *faketelegram.Server, group *faketelegram.Chat, id int64) *faketelegram.Chat
		edits  bool
	}{
		"with another text":  {text: "Denied.", edits: true},
		"with the same text": {text: "May I?", edits: true},
		"deleted": {text: "Denied.", before: func(_ *faketelegram.Server, g *faketelegram.Chat, id int64) *faketelegram.Chat {
			g.Delete(id)
			return g
		}},
		"in a group that moved": {
			text:   "Denied.",
			before: func(_ *faketelegram.Server, g *faketelegram.Chat, _ int64) *faketelegram.Chat { return g.Migrate() },
		},
		"that cannot be edited any": {text: "Denied.", before: refusing("message can't be edited")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			group := srv.Group("Group", srv.User("Ann"))
			at := where(c, group)
			asked := askPart(t, c, asking(at, "q", "May I?", "Yes", "No"))
			id, _ := strconv.ParseInt(asked.MessageID, 10, 64)
			seen := group
			if tc.before != nil {
				seen = tc.before(srv, group, id)
			}
			part := outboxtest.Whole(at, tc.text)
			part.Edits = asked.MessageID
			for range 2 { // the first may have got no answer
				r, err := c.Send(t.Context(), part)
				if err != nil || tc.edits != (r.MessageID == asked.MessageID) {
					t.Fatalf("%+v, %v", r, err)
				}
				if !tc.edits {
					break
				}
			}
			all := seen.Messages()
			last := all[len(all)-1]
			if last.Text != tc.text || last.Buttons != nil || tc.edits && len(all) != 1 {
				t.Errorf("seen %+v", all)
			}
		})
	}
}

func refusing(words string) func(*faketelegram.Server, *faketelegram.Chat, int64) *faketelegram.Chat {
	return func(srv *faketelegram.Server, group *faketelegram.Chat, _ int64) *faketelegram.Chat {
		srv.Harm(faketelegram.Rule{Method: "editMessageText", Fault: faketelegram.Refusal(words)})
		return group
	}
}

// TestAQuestionKeepsItsButtons whatever is done about a refusal.
func TestAQuestionKeepsItsButtons(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(srv *faketelegram.Server, group *faketelegram.Chat) *faketelegram.Chat{
		"moved": func(_ *faketelegram.Server, g *faketelegram.Chat) *faketelegram.Chat { return g.Migrate() },
		"plain": func(srv *faketelegram.Server, g *faketelegram.Chat) *faketelegram.Chat {
			srv.Harm(faketelegram.Rule{Method: "sendMessage", Times: 1, Fault: faketelegram.Refusal("can't parse entities: x")})
			return g
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t, func(o *telegram.Options) {
				o.Moved = func(context.Context, channels.Address, channels.Address) error { return nil }
			})
			group := srv.Group("Group", srv.User("Ann"))
			at := where(c, group)
			seen := before(srv, group)
			askPart(t, c, asking(at, "q", "May I?", "Yes", "No"))
			if all := seen.Messages(); len(all) != 1 || all[0].Text != "May I?" || len(all[0].Buttons) != 1 || len(all[0].Buttons[0]) != 2 {
				t.Errorf("seen %+v", all)
			}
		})
	}
}

// TestButtonsThatTelegramRefuses are refused for good: the next message leaves.
func TestButtonsThatTelegramRefuses(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	at := where(c, srv.Private(srv.User("Ann")))
	_, err := c.Send(t.Context(), channels.Part{Outbound: asking(at, strings.Repeat("é", 31), "May I?", "No"), Count: 1})
	if class := channels.ClassOf(err).Class; class != channels.SendRefused {
		t.Errorf("%s: %v", class, err)
	}
	askPart(t, c, asking(at, strings.Repeat("é", 30), "May I?", "Yes"))
}

// FuzzQuestion puts any text into a question: Telegram shows all of it.
func FuzzQuestion(f *testing.F) {
	for _, text := range []string{
		"", "a", "\n", " \n ", "```\n</code></pre><b>&amp;", "    indented\n\ttab",
		"~~~\n# x\n> y\n- z\n| a |\n|---|", "tg://user?id=1 @name #tag /cmd",
		"\u202e\u200b\u00a0\ufeff\u0301\r\x1b[2K\x00\xff", strings.Repeat("`", 50),
		"[a]: http://x\n[a]", "||spoiler|| \\u{41}", "a\u030a\u0333\u033fb",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts := markup.Render("**run_command** wants to run:\n\n"+visible.Verbatim(text), 4096)
		if len(parts) != 1 {
			return // is refused
		}
		shown, entities, err := faketelegram.ParseHTML(parts[0])
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := strings.CutPrefix(shown, "run_command wants to run:"); !ok || strings.TrimPrefix(got, "\n\n") != visible.Text(text) {
			t.Fatalf("%q is shown as %q, want %q", text, shown, visible.Text(text))
		}
		if links := faketelegram.AutoLinks(shown, entities); len(links) > 0 {
			t.Fatalf("%q has links: %+v", text, links)
		}
	})
}

package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

// patience is the longest wait for an expected event.
const patience = time.Minute

// sender is a channel that only sends, and the platform that it sends to.
func sender(t *testing.T, change ...func(*telegram.Options)) (*faketelegram.Server, *telegram.Channel) {
	t.Helper()
	srv := faketelegram.New(t)
	return srv, senderTo(t, srv, change...)
}

func senderTo(t *testing.T, srv *faketelegram.Server, change ...func(*telegram.Options)) *telegram.Channel {
	t.Helper()
	o := telegram.Options{Token: srv.Token, APIURL: srv.URL()}
	for _, f := range change {
		f(&o)
	}
	c, err := telegram.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// where is the address of a chat or topic.
func where(c *telegram.Channel, chat *faketelegram.Chat) channels.Address {
	a := channels.Address{Channel: telegram.Name, Account: c.Account(), Chat: strconv.FormatInt(chat.ID(), 10)}
	if chat.Thread() != 0 {
		a.Thread = strconv.FormatInt(chat.Thread(), 10)
	}
	return a
}

func TestSendShowsMarkdownAsHTML(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	receipts := outboxtest.SendAll(t, c, where(c, chat), "**bold** and a < b, see https://example.org")
	m := chat.Messages()[0]
	if m.Text != "bold and a < b, see https://example.org" || m.Preview || m.Silent {
		t.Errorf("the person sees %q, preview %v, silent %v", m.Text, m.Preview, m.Silent)
	}
	if !slices.ContainsFunc(m.Entities, func(e faketelegram.Entity) bool { return e.Type == "bold" && e.Offset == 0 && e.Length == 4 }) {
		t.Errorf("nothing is bold: %+v", m.Entities)
	}
	if want := strconv.FormatInt(m.ID, 10); receipts[0].MessageID != want || receipts[0].Time.IsZero() {
		t.Errorf("receipt %+v, want that of message %s", receipts[0], want)
	}
}

func TestSendAnswersInGroupsAndTopics(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	forum := srv.Forum("Forum", srv.User("Ann"))
	for name, tc := range map[string]struct {
		chat    *faketelegram.Chat
		replies bool
	}{
		"private chat": {chat: srv.Private(srv.User("Ben"))},
		"group":        {chat: srv.Group("Group", srv.User("Cleo")), replies: true},
		"supergroup":   {chat: srv.Supergroup("Super", srv.User("Dan")), replies: true},
		"topic":        {chat: forum.Topic("One"), replies: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := tc.chat.Say("what?").MessageID
			part := outboxtest.Whole(where(c, tc.chat), "that")
			part.ReplyTo = strconv.FormatInt(asked, 10)
			for _, part := range []channels.Part{part, outboxtest.Whole(where(c, tc.chat), "that answers nothing")} {
				if _, err := c.Send(t.Context(), part); err != nil {
					t.Fatal(err)
				}
			}
			if len(tc.chat.Messages()) != 2 {
				t.Fatalf("there are %q, want both", tc.chat.Texts())
			}
			m := tc.chat.Messages()[0]
			if tc.replies != (m.ReplyTo == asked) {
				t.Errorf("it answers message %d, asked was %d", m.ReplyTo, asked)
			}
			for _, m := range tc.chat.Messages() {
				if tc.chat.Thread() != 0 && m.Thread != tc.chat.Thread() {
					t.Errorf("%q is in topic %d, want %d", m.Text, m.Thread, tc.chat.Thread())
				}
			}
		})
	}
}

func TestSendFallsBackToPlainTextOnce(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	srv.Harm(faketelegram.Rule{Method: "sendMessage", Times: 1, Fault: faketelegram.ParseError()})
	outboxtest.SendAll(t, c, where(c, chat), "**bold** & `a<b`")
	requests := srv.Requests("sendMessage")
	if len(requests) != 2 || requests[0].Params["parse_mode"] != "HTML" || requests[1].Params["parse_mode"] != "" {
		t.Fatalf("requests: %+v", requests)
	}
	if diff := cmp.Diff([]string{"bold & a<b"}, chat.Texts()); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
	srv.Harm(faketelegram.Rule{Method: "sendMessage", Fault: faketelegram.ParseError()})
	_, err := c.Send(t.Context(), outboxtest.Whole(where(c, chat), "text"))
	if class := channels.ClassOf(err).Class; class != channels.SendRefused || srv.Count("sendMessage") != 4 {
		t.Errorf("plain text that cannot be parsed: %v after %d requests", err, srv.Count("sendMessage")-2)
	}
}

// TestSendOnlyAParseErrorFallsBack: after a time-out the text may be there.
func TestSendOnlyAParseErrorFallsBack(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	srv.Harm(faketelegram.Rule{Method: "sendMessage", Times: 1, Fault: faketelegram.ParseError()})
	srv.Harm(faketelegram.Rule{Method: "sendMessage", Skip: 1, Times: 1, Fault: faketelegram.Fault{DropAfter: true}})
	_, err := c.Send(t.Context(), outboxtest.Whole(where(c, chat), "<b>text</b>"))
	if class := channels.ClassOf(err).Class; class != channels.SendAmbiguous {
		t.Errorf("class %s: %v", class, err)
	}
	if n := srv.Count("sendMessage"); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestSendWithoutTheReplyThatIsGone(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	group := srv.Supergroup("Group", srv.User("Ann"))
	asked := group.Say("what?").MessageID
	group.Delete(asked)
	part := outboxtest.Whole(where(c, group), "that")
	part.ReplyTo = strconv.FormatInt(asked, 10)
	if _, err := c.Send(t.Context(), part); err != nil || srv.Count("sendMessage") != 1 {
		t.Errorf("a deleted message: %v after %d requests", err, srv.Count("sendMessage"))
	}
	srv.Harm(faketelegram.Rule{
		Fault: faketelegram.Refusal("message to be replied not found"),
		If:    func(r faketelegram.Request) bool { return r.Params["reply_parameters"] != "" },
	})
	if _, err := c.Send(t.Context(), part); err != nil {
		t.Errorf("a server that insists: %v", err)
	}
	if diff := cmp.Diff([]string{"that", "that"}, group.Texts()); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
}

func TestSendHundredPartsInOrder(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	var b strings.Builder
	for i := 0; b.Len() < 100*4000; i++ {
		fmt.Fprintf(&b, "Paragraph %d says: **%s**.\n\n", i, strings.Repeat("word ", 60+i%7)+"end")
	}
	outboxtest.SendAll(t, c, where(c, chat), b.String())
	seen := chat.Texts()
	if len(seen) < 90 {
		t.Errorf("%d messages", len(seen))
	}
	plain := strings.NewReplacer("**", "").Replace(b.String())
	if diff := cmp.Diff(strings.Fields(plain), strings.Fields(strings.Join(seen, " "))); diff != "" {
		t.Errorf("(-written +seen):\n%s", diff)
	}
}

func TestSendKeepsEmojiWholeAtTheSplit(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	const emoji = "👩🏽‍🚀" // 7 units, which may not be parted
	for shift := range 7 {
		chat := srv.Private(srv.User("Ann"))
		text := strings.Repeat("x", shift) + strings.Repeat(emoji, 1200)
		outboxtest.SendAll(t, c, where(c, chat), text)
		seen := chat.Texts()
		if len(seen) != 3 || strings.Join(seen, "") != text {
			t.Errorf("shift %d: %d messages that do not give the text", shift, len(seen))
		}
		for _, m := range seen {
			if !strings.HasSuffix(m, emoji) {
				t.Errorf("shift %d: a message ends inside of an emoji", shift)
			}
		}
	}
}

func TestSplitNeverLosesWhatRendersToNothing(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	for _, text := range []string{"<!-- note -->", "[a]: http://example.org", "<b>"} {
		if got := c.Split(text); len(got) != 1 {
			t.Errorf("%q: %q", text, got)
		}
		outboxtest.SendAll(t, c, where(c, chat), text)
	}
	if got := c.Split(" \n "); len(got) != 0 {
		t.Errorf("a blank text: %q", got)
	}
}

func TestSendMigratesInTheMiddle(t *testing.T) {
	t.Parallel()
	var told []channels.Address
	srv, c := sender(t, func(o *telegram.Options) {
		o.Moved = func(_ context.Context, from, to channels.Address) error {
			told = append(told, from, to)
			return nil
		}
	})
	group := srv.Group("Group", srv.User("Ann"))
	at := where(c, group)
	asked := group.Say("what?").MessageID
	var super *faketelegram.Chat
	for i, text := range []string{"one", "two", "three"} {
		if i == 1 {
			super = group.Migrate()
			for super.Say("unrelated").MessageID < asked { // until a message there has the same id
			}
		}
		part := outboxtest.Whole(at, text)
		part.Index, part.Count, part.ReplyTo = i, 3, strconv.FormatInt(asked, 10)
		if _, err := c.Send(t.Context(), part); err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
	}
	if diff := cmp.Diff([]string{"two", "three"}, super.Texts()); diff != "" {
		t.Errorf("in the supergroup (-want +seen):\n%s", diff)
	}
	for _, m := range super.Messages() {
		if m.ReplyTo != 0 {
			t.Errorf("%q answers message %d of another chat", m.Text, m.ReplyTo)
		}
	}
	want := []channels.Address{at, where(c, super), at, where(c, super)}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the gateway was told (-want +got):\n%s", diff)
	}
}

func TestSendWaitsUntilTheMoveIsStored(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	srv, c := sender(t, func(o *telegram.Options) {
		o.Moved = func(context.Context, channels.Address, channels.Address) error { return full }
	})
	group := srv.Group("Group", srv.User("Ann"))
	at := where(c, group)
	super := group.Migrate()
	_, err := c.Send(t.Context(), outboxtest.Whole(at, "text"))
	if !errors.Is(err, full) || channels.ClassOf(err).Class != channels.SendTransient {
		t.Errorf("Send: %v", err)
	}
	if seen := super.Texts(); len(seen) != 0 {
		t.Errorf("sent before the move was stored: %q", seen)
	}
}

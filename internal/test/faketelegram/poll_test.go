package faketelegram_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
)

// ids are the update ids of updates relative to the first update there ever was.
func ids(list []update, first int64) []int64 {
	var all []int64
	for _, u := range list {
		all = append(all, u.ID-first)
	}
	return all
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	chat := srv.Private(srv.User("Ada"))
	c := newClient(t, srv, srv.Token())
	first := chat.Say("0").ID
	chat.SayAll("1", "2", "3")
	at := func(n int64) string { return fmt.Sprint(first + n) }
	steps := []struct {
		name   string
		params map[string]string
		want   []int64
	}{
		{"everything is there", nil, []int64{0, 1, 2, 3}},
		{"and stays", nil, []int64{0, 1, 2, 3}},
		{"limit", map[string]string{"limit": "2"}, []int64{0, 1}},
		{"an offset confirms what is below", map[string]string{"offset": at(1)}, []int64{1, 2, 3}},
		{"a lower one brings nothing back", map[string]string{"offset": at(0)}, []int64{1, 2, 3}},
		{"one far ahead confirms nothing", map[string]string{"offset": at(1000)}, []int64{1, 2, 3}},
		{"a negative one keeps the newest", map[string]string{"offset": "-1"}, []int64{3}},
		{"the next one", map[string]string{"offset": at(4)}, nil},
	}
	for _, s := range steps {
		if diff := cmp.Diff(s.want, ids(c.poll(s.params), first)); diff != "" {
			t.Errorf("%s: -want +got\n%s", s.name, diff)
		}
	}
	if err := srv.Bot().AwaitConfirmed(soon(t)); err != nil {
		t.Error(err)
	}
}

func TestRepeatedAndFallingIDs(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	chat := srv.Private(srv.User("Ada"))
	c := newClient(t, srv, srv.Token())
	u := chat.Say("x")
	next := map[string]string{"offset": fmt.Sprint(u.ID + 1)}
	if got := c.poll(next); len(got) != 0 {
		t.Fatalf("%v after it was confirmed", got)
	}
	srv.Bot().Repeat(u)
	if got := c.poll(next); len(got) != 1 || got[0].ID != u.ID {
		t.Errorf("the repeated update is not there once more: %v", got)
	}
	if got := c.poll(next); len(got) != 0 {
		t.Errorf("%v after it was confirmed again", got)
	}
	srv.Bot().SetNextUpdate(5)
	if low := chat.Say("y"); low.ID != 5 {
		t.Errorf("id %d, want 5", low.ID)
	}
	if got := c.poll(next); len(got) != 1 || got[0].ID != 5 {
		t.Errorf("an update below the offset does not arrive: %v", got)
	}
	if got := c.poll(map[string]string{"offset": "6"}); len(got) != 0 {
		t.Errorf("%v after it was confirmed", got)
	}
}

// background polls until there is an answer.
func (c *client) background(ctx context.Context, params map[string]string) <-chan reply {
	got := make(chan reply, 1)
	go func() {
		r, err := c.try(ctx, "getUpdates", params)
		if err != nil {
			r.Description = err.Error()
		}
		got <- r
	}()
	return got
}

func TestLongPoll(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	chat := srv.Private(srv.User("Ada"))
	c := newClient(t, srv, srv.Token())
	got := c.background(soon(t), map[string]string{"timeout": "50"})
	if err := srv.Bot().AwaitPolling(soon(t)); err != nil {
		t.Fatal(err)
	}
	chat.Say("hello")
	if list := decode[[]update](t, (<-got).Result); len(list) != 1 || list[0].Message.Text != "hello" {
		t.Errorf("got %v", list)
	}
	if srv.Bot().Polling() {
		t.Error("the poll has ended and still waits")
	}
}

func TestPollEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end  func(c *client) reply
		want string
	}{
		"by another poll": {
			func(c *client) reply { return c.call("getUpdates", nil) },
			"Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
		},
		"by a webhook": {
			func(c *client) reply { return c.call("setWebhook", map[string]string{"url": "https://example.org/"}) },
			"Conflict: terminated by setWebhook request",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := faketelegram.New(t)
			c := newClient(t, srv, srv.Token())
			first := c.background(soon(t), map[string]string{"timeout": "50"})
			if err := srv.Bot().AwaitPolling(soon(t)); err != nil {
				t.Fatal(err)
			}
			if r := tc.end(c); !r.OK {
				t.Errorf("what ends the poll is refused: %s", r.Description)
			}
			if r := <-first; r.Status != 409 || r.Description != tc.want {
				t.Errorf("the first poll got %d %q", r.Status, r.Description)
			}
		})
	}
}

func TestAllowedUpdates(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	chat := srv.Private(srv.User("Ada"))
	c := newClient(t, srv, srv.Token())
	kinds := func() []string {
		var all []string
		for _, u := range srv.Bot().Unconfirmed() {
			all = append(all, u.Kind)
		}
		return all
	}
	u := chat.Say("x")
	srv.Bot().Push("message_reaction", map[string]any{}) // not by default
	c.poll(map[string]string{"allowed_updates": `["edited_message"]`})
	chat.Say("y")
	chat.Edit(u.MessageID, "z")
	if diff := cmp.Diff([]string{"message", "edited_message"}, kinds()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	c.poll(map[string]string{"allowed_updates": `[]`, "offset": "-1"})
	chat.Say("y")
	if diff := cmp.Diff([]string{"edited_message", "message"}, kinds()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	other := srv.AddBot("other_bot")
	revoked := srv.AddBot("gone_bot")
	token := revoked.Token()
	revoked.Revoke()
	tests := map[string]struct {
		token  string
		status int
		words  string
	}{
		"the first bot": {srv.Token(), 200, ""},
		"another one":   {other.Token(), 200, ""},
		"unknown":       {"12345:unknown", 401, "Unauthorized"},
		"revoked":       {token, 401, "Unauthorized"},
		"malformed":     {"nonsense", 404, "Not Found"},
		"empty":         {"", 404, "Not Found"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newClient(t, srv, tc.token).call("getMe", nil)
			if r.Status != tc.status || r.Description != tc.words {
				t.Errorf("%d %q, want %d %q", r.Status, r.Description, tc.status, tc.words)
			}
			if id, _, _ := strings.Cut(tc.token, ":"); r.OK {
				if me := decode[faketelegram.User](t, r.Result); fmt.Sprint(me.ID) != id || !me.IsBot {
					t.Errorf("token %s is that of %+v", tc.token, me)
				}
			}
		})
	}
}

// TestBotsAreApart says that bots share no updates and no chats.
func TestBotsAreApart(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	other := srv.AddBot("other_bot")
	ada := srv.User("Ada")
	srv.Private(ada).Say("to the first")
	mine, theirs := newClient(t, srv, srv.Token()), newClient(t, srv, other.Token())
	if got := theirs.poll(nil); len(got) != 0 {
		t.Errorf("the other bot got %v", got)
	}
	send := map[string]string{"chat_id": fmt.Sprint(ada.ID), "text": "hi"}
	if r := theirs.call("sendMessage", send); r.Description != "Bad Request: chat not found" {
		t.Errorf("the other bot may write to who never started it: %+v", r)
	}
	if r := mine.call("sendMessage", send); !r.OK {
		t.Error(r.Description)
	}
	if n := len(other.Private(ada).Messages()); n != 0 {
		t.Errorf("%d messages in the other bot's chat", n)
	}
}

package slack_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

func typing(t *testing.T, c *slack.Channel, at channels.Address, times int) {
	t.Helper()
	for range times {
		if err := c.Typing(t.Context(), at); err != nil {
			t.Errorf("Typing: %v", err)
		}
	}
}

// reacts waits until the bot's reaction on a message is there, or is not.
func reacts(t *testing.T, srv *fakeslack.Server, chat *fakeslack.Chat, ts string, want bool) {
	t.Helper()
	_, bot, _ := srv.Identity()
	if err := srv.Until(inboxtest.Limited(t), func() bool { return slices.Contains(chat.Reactions(ts)["eyes"], bot) == want }); err != nil {
		t.Fatalf("%s has %v, want the reaction: %v", ts, chat.Reactions(ts), want)
	}
}

func TestWorkInAThreadIsItsStatus(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	thread, at := threadOf(c, srv)
	typing(t, c, at, 3)
	if got := thread.Status(); got != "is working on it…" {
		t.Errorf("the status is %q", got)
	}
	wantCounts(t, srv, map[string]int{"assistant.threads.setStatus": 1, "reactions.add": 0})
	outboxtest.SendAll(t, c, at, "here")
	if got := thread.Status(); got != "" {
		t.Errorf("the status is still %q", got)
	}
	typing(t, c, at, 2)
	wantCounts(t, srv, map[string]int{"assistant.threads.setStatus": 2})
}

func TestWorkElsewhereIsAReaction(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	ann := srv.User("Ann")
	dm := srv.DM(ann)
	at := where(c, dm)
	typing(t, c, at, 1) // no message was taken in yet
	first, second := dm.Say("first").TS, dm.Say("second").TS
	c.Heard(at, first, ann.ID)
	c.Heard(at, second, ann.ID)
	typing(t, c, at, 3)
	reacts(t, srv, dm, second, true)
	reacts(t, srv, dm, first, false)
	if _, err := c.Send(t.Context(), preview(outboxtest.Whole(at, "It"))); err != nil {
		t.Fatal(err)
	}
	reacts(t, srv, dm, second, true)
	outboxtest.SendAll(t, c, at, "It is done.")
	reacts(t, srv, dm, second, false)
	outboxtest.SendAll(t, c, at, "Besides, so is this.")
	wantCounts(t, srv, map[string]int{"reactions.add": 1, "reactions.remove": 1})
}

// TestWorkWhereTheAppMayShowNone: it costs a call of each kind, once, and is no error.
func TestWorkWhereTheAppMayShowNone(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	srv.Harm(fakeslack.Rule{Method: "assistant.threads.setStatus", Fault: fakeslack.Refusal("missing_scope")})
	srv.Harm(fakeslack.Rule{Method: "reactions.add", Fault: fakeslack.Refusal("missing_scope")})
	_, at := threadOf(c, srv)
	_, other := threadOf(c, srv)
	typing(t, c, at, 3)
	typing(t, c, other, 3)
	wantCounts(t, srv, map[string]int{"assistant.threads.setStatus": 1, "reactions.add": 1})
}

// TestWorkInAThreadWithoutAStatusIsAReaction: the one takes the place of the other.
func TestWorkInAThreadWithoutAStatusIsAReaction(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	srv.Harm(fakeslack.Rule{Method: "assistant.threads.setStatus", Fault: fakeslack.Refusal("unknown_method")})
	thread, at := threadOf(c, srv)
	typing(t, c, at, 2)
	reacts(t, srv, thread, thread.Thread(), true)
	outboxtest.SendAll(t, c, at, "done")
	reacts(t, srv, thread, thread.Thread(), false)
}

// TestAWaitOfTheStatusHoldsNoMessage: it is no error of a send.
func TestAWaitOfTheStatusHoldsNoMessage(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	srv.Harm(fakeslack.Rule{Method: "assistant.threads.setStatus", Fault: fakeslack.RateLimited(30)})
	srv.Harm(fakeslack.Rule{Method: "reactions.add", Fault: fakeslack.RateLimited(30)})
	_, at := threadOf(c, srv)
	ann := srv.User("Ann")
	dm := srv.DM(ann)
	c.Heard(where(c, dm), dm.Say("?").TS, ann.ID)
	typing(t, c, at, 3)
	typing(t, c, where(c, dm), 3)
	wantCounts(t, srv, map[string]int{"assistant.threads.setStatus": 1, "reactions.add": 1})
	if diff := cmp.Diff([]string(nil), srv.Violations()); diff != "" {
		t.Error(diff)
	}
}

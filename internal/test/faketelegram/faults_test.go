package faketelegram_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/internal/test/faketelegram"
)

// TestFaults checks the answer and the effect under each fault.
func TestFaults(t *testing.T) {
	t.Parallel()
	broken := func(r reply, err error) bool { return err != nil && r.Status == 0 }
	refused := func(status int) func(reply, error) bool {
		return func(r reply, err error) bool { return err == nil && r.Status == status && r.Code == status && !r.OK }
	}
	tests := map[string]struct {
		fault  faketelegram.Fault
		want   func(reply, error) bool
		effect int
		status int // in the ledger
	}{
		"none":          {faketelegram.Fault{}, func(r reply, err error) bool { return err == nil && r.OK }, 1, 200},
		"dropped":       {faketelegram.Fault{DropBefore: true}, broken, 0, 0},
		"dropped after": {faketelegram.Fault{DropAfter: true}, broken, 1, 0},
		"cut":           {faketelegram.Fault{Cut: 5}, broken, 1, 200},
		"slow": {
			faketelegram.Fault{Delay: time.Millisecond, Hold: time.Millisecond},
			func(r reply, err error) bool { return err == nil && r.OK }, 1, 200,
		},
		"HTML": {faketelegram.BadGateway(), func(r reply, err error) bool {
			var syntax *json.SyntaxError
			return errors.As(err, &syntax) && r.Status == 502
		}, 0, 502},
		"500":         {faketelegram.InternalError(), refused(500), 0, 500},
		"401":         {faketelegram.Unauthorized(), refused(401), 0, 401},
		"403":         {faketelegram.Blocked(), refused(403), 0, 403},
		"409":         {faketelegram.Conflict(), refused(409), 0, 409},
		"parse error": {faketelegram.ParseError(), refused(400), 0, 400},
		"any words":   {faketelegram.Refusal("no"), func(r reply, _ error) bool { return r.Description == "Bad Request: no" }, 0, 400},
		"429": {
			faketelegram.TooManyRequests(37),
			func(r reply, _ error) bool { return r.Status == 429 && r.Parameters.RetryAfter == 37 }, 0, 429,
		},
		"any parameter": {
			faketelegram.Fault{Code: 400, MigrateTo: -5},
			func(r reply, _ error) bool { return r.Parameters.MigrateTo == -5 }, 0, 400,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.srv.Harm(faketelegram.Rule{Method: "sendMessage", Fault: tc.fault})
			r, err := w.try(t.Context(), "sendMessage", map[string]string{"chat_id": fmt.Sprint(w.chat.ID()), "text": "x"})
			if !tc.want(r, err) {
				t.Errorf("answer %+v and error %v", r, err)
			}
			if n := len(w.chat.Messages()); n != tc.effect {
				t.Errorf("%d messages, want %d", n, tc.effect)
			}
			if got := w.srv.Requests("sendMessage"); len(got) != 1 || !got[0].Faulty || got[0].Status != tc.status {
				t.Errorf("ledger %+v", got)
			}
		})
	}
}

func TestHalfOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.srv.Harm(faketelegram.Rule{Fault: faketelegram.Fault{HalfOpen: true}})
	ctx, cancel := context.WithCancel(t.Context())
	got := w.background(ctx, nil)
	if _, err := w.srv.AwaitRequests(soon(t), "getUpdates", 1); err != nil {
		t.Fatal(err)
	}
	select {
	case r := <-got:
		t.Errorf("answered: %+v", r)
	default:
	}
	cancel()
	if r := <-got; r.Status != 0 {
		t.Errorf("answered: %+v", r)
	}
}

// TestRules checks which requests a rule harms.
func TestRules(t *testing.T) {
	t.Parallel()
	no := faketelegram.InternalError()
	tests := map[string]struct {
		rule func(w *world) faketelegram.Rule
		want string // one letter for each of three messages to the chat and three to the group
	}{
		"all":        {func(*world) faketelegram.Rule { return faketelegram.Rule{Fault: no} }, "xxxxxx"},
		"one chat":   {func(w *world) faketelegram.Rule { return faketelegram.Rule{Chat: w.group.ID(), Fault: no} }, "...xxx"},
		"the second": {func(*world) faketelegram.Rule { return faketelegram.Rule{Skip: 1, Times: 1, Fault: no} }, ".x...."},
		"the second of a chat": {
			func(w *world) faketelegram.Rule {
				return faketelegram.Rule{Chat: w.group.ID(), Skip: 1, Times: 1, Fault: no}
			}, "....x.",
		},
		"by method":      {func(*world) faketelegram.Rule { return faketelegram.Rule{Method: "getMe", Fault: no} }, "......"},
		"by another bot": {func(*world) faketelegram.Rule { return faketelegram.Rule{Bot: 1, Fault: no} }, "......"},
		"by its text": {func(*world) faketelegram.Rule {
			return faketelegram.Rule{If: func(r faketelegram.Request) bool { return r.Params["text"] == "2" }, Fault: no}
		}, "..x..x"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			heal := w.srv.Harm(tc.rule(w))
			got := ""
			for i := range 6 {
				to := w.chat
				if i >= 3 {
					to = w.group
				}
				if r := w.send("sendMessage", to, "text", fmt.Sprint(i%3)); r.OK {
					got += "."
				} else {
					got += "x"
				}
			}
			if got != tc.want {
				t.Errorf("harmed %s, want %s", got, tc.want)
			}
			heal()
			w.say(w.chat, "fine")
		})
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limits faketelegram.Limits
		to     func(w *world) []*faketelegram.Chat
		wait   int // seconds that the third message is to wait, or 0
	}{
		"no limit": {faketelegram.Limits{}, func(w *world) []*faketelegram.Chat { return []*faketelegram.Chat{w.chat, w.chat, w.chat} }, 0},
		"one chat": {
			faketelegram.Limits{PerChat: 0.01, Burst: 2},
			func(w *world) []*faketelegram.Chat { return []*faketelegram.Chat{w.chat, w.chat, w.chat} }, 100,
		},
		"another chat": {
			faketelegram.Limits{PerChat: 0.01, Burst: 2},
			func(w *world) []*faketelegram.Chat { return []*faketelegram.Chat{w.chat, w.chat, w.group} }, 0,
		},
		"a group": {
			faketelegram.Limits{GroupPerMinute: 2},
			func(w *world) []*faketelegram.Chat { return []*faketelegram.Chat{w.group, w.group, w.group} }, 30,
		},
		"not a group": {
			faketelegram.Limits{GroupPerMinute: 2},
			func(w *world) []*faketelegram.Chat { return []*faketelegram.Chat{w.chat, w.chat, w.chat} }, 0,
		},
		"the bot at all": {
			faketelegram.Limits{PerBot: 2},
			func(w *world) []*faketelegram.Chat { return []*faketelegram.Chat{w.chat, w.group, w.chat} }, 1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, faketelegram.Options{Limits: tc.limits})
			to := tc.to(w)
			w.say(to[0], "1")
			w.say(to[1], "2")
			r := w.send("sendMessage", to[2], "text", "3")
			if r.Parameters.RetryAfter != tc.wait || (r.Status == 429) != (tc.wait > 0) {
				t.Errorf("%d, retry_after %d, want %d", r.Status, r.Parameters.RetryAfter, tc.wait)
			}
		})
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.say(w.chat, "x")
	w.chat.Flood(time.Hour)
	for i, early := range []bool{false, true} {
		r := w.send("sendMessage", w.chat, "text", "y")
		if r.Status != 429 || r.Parameters.RetryAfter != 3600 || r.Description != "Too Many Requests: retry after 3600" {
			t.Errorf("%+v", r)
		}
		if got := w.srv.Requests("sendMessage")[i+1]; got.Early != early {
			t.Errorf("request %d is early: %v", i, got.Early)
		}
	}
	if r := w.send("editMessageText", w.chat, "message_id", id, "text", "y"); r.Status != 429 {
		t.Errorf("an edit: %+v", r)
	}
	w.say(w.group, "other chats go on")
	w.srv.Bot().Flood(time.Hour)
	if r := w.send("sendMessage", w.group, "text", "y"); r.Status != 429 {
		t.Errorf("the bot's flood: %+v", r)
	}
	if r := w.send("sendChatAction", w.group, "action", "typing"); r.Status != 429 {
		t.Errorf("that it is typing: %+v", r)
	}
	w.srv.ForgetViolations()
}

// TestACallIntoAFloodedChatIsAViolation: whatever the method, unless it may have
// been on its way when the refusal was answered.
func TestACallIntoAFloodedChatIsAViolation(t *testing.T) {
	t.Parallel()
	first := map[string][]string{
		"sendMessage":      {"text", "x"},
		"sendMessageDraft": {"draft_id", "1", "text", "x"},
		"sendChatAction":   {"action", "typing"},
	}
	for name, tc := range map[string]struct {
		first, second string
		after         time.Duration
		elsewhere     bool
		want          int
	}{
		"a draft":                   {"sendMessage", "sendMessageDraft", time.Second, false, 1},
		"typing":                    {"sendMessage", "sendChatAction", time.Second, false, 1},
		"a message after a draft":   {"sendMessageDraft", "sendMessage", time.Second, false, 1},
		"a draft after typing":      {"sendChatAction", "sendMessageDraft", time.Second, false, 1},
		"a message at once":         {"sendMessage", "sendMessage", 0, false, 1},
		"a draft on its way":        {"sendMessage", "sendMessageDraft", 0, false, 0},
		"a message on its way":      {"sendMessageDraft", "sendMessage", 0, false, 0},
		"in another chat":           {"sendMessage", "sendMessage", time.Second, true, 0},
		"when the wait is over":     {"sendMessage", "sendMessage", 8 * time.Second, false, 0},
		"a draft when it is over":   {"sendMessage", "sendMessageDraft", 8 * time.Second, false, 0},
		"a message within the wait": {"sendMessage", "sendMessage", 7 * time.Second, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onFakeTime(t, faketelegram.Options{}, func(t *testing.T, w *world) {
				t.Helper()
				other := w.srv.Private(w.srv.User("Ben"))
				w.chat.Flood(7500 * time.Millisecond) // told as 8 s
				if r := w.send(tc.first, w.chat, first[tc.first]...); r.Status != 429 || r.Parameters.RetryAfter != 8 {
					t.Fatalf("%+v", r)
				}
				<-time.After(tc.after)
				to := w.chat
				if tc.elsewhere {
					to = other
				}
				w.send(tc.second, to, first[tc.second]...)
				if got := w.srv.Violations(); len(got) != tc.want {
					t.Errorf("violations %q, want %d", got, tc.want)
				}
				w.srv.ForgetViolations()
			})
		})
	}
}

// TestWhatIsShownCountsForTheBot: it has no rate of the chat.
func TestWhatIsShownCountsForTheBot(t *testing.T) {
	t.Parallel()
	onFakeTime(t, faketelegram.Options{Limits: faketelegram.Limits{PerChat: 1, PerBot: 5}}, func(t *testing.T, w *world) {
		t.Helper()
		for range 4 {
			if r := w.send("sendMessageDraft", w.chat, "draft_id", "1", "text", "x"); !r.OK {
				t.Fatalf("%+v", r)
			}
		}
		if r := w.send("sendChatAction", w.chat, "action", "typing"); !r.OK {
			t.Fatalf("%+v", r)
		}
		if r := w.send("sendMessageDraft", w.group, "draft_id", "1", "text", "x"); r.Status != 400 {
			t.Errorf("a draft in a group: %+v", r)
		}
		if r := w.send("sendMessage", w.group, "text", "x"); r.Status != 429 {
			t.Errorf("the sixth in a second: %+v", r)
		}
	})
}

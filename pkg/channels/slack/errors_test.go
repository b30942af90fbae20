package slack_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

func TestSendClasses(t *testing.T) {
	t.Parallel()
	for class, refusals := range map[channels.SendClass][]string{
		channels.SendRateLimited: {"rate_limited", "message_limit_exceeded"},
		channels.SendGone: {
			"channel_not_found", "not_in_channel", "is_archived", "user_not_found", "cannot_dm_bot", "messages_tab_disabled",
			"restricted_action", "restricted_action_read_only_channel", "no_permission",
		},
		channels.SendAuth: {
			"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope", "ekm_access_denied",
		},
		channels.SendRefused:   {"msg_too_long", "no_text", "too_many_attachments", "something_new"},
		channels.SendTransient: {"service_unavailable", "team_added_to_org", "request_timeout"},
		channels.SendAmbiguous: {"internal_error", "fatal_error"},
	} {
		for _, name := range refusals {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				srv, c := sender(t)
				room := srv.Channel("general", srv.User("Ann"))
				srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Fault: fakeslack.Refusal(name)})
				wantClass(t, c, where(c, room), class)
			})
		}
	}
}

func wantClass(t *testing.T, c *slack.Channel, at channels.Address, class channels.SendClass) *channels.SendError {
	t.Helper()
	_, err := c.Send(t.Context(), outboxtest.Whole(at, "text"))
	se, ok := errors.AsType[*channels.SendError](err)
	if !ok || se.Class != class {
		t.Fatalf("the error is %v, want %s", err, class)
	}
	return se
}

// TestSendFaults: a message that is surely missing is told from one that may be there.
func TestSendFaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault fakeslack.Fault
		class channels.SendClass
		there int
	}{
		"cut before":      {fakeslack.Fault{DropBefore: true}, channels.SendAmbiguous, 0},
		"cut after":       {fakeslack.Fault{DropAfter: true}, channels.SendAmbiguous, 1},
		"half an answer":  {fakeslack.Fault{Cut: 9}, channels.SendAmbiguous, 1},
		"no answer":       {fakeslack.Fault{HalfOpen: true}, channels.SendAmbiguous, 0},
		"late answer":     {fakeslack.Fault{Hold: time.Minute}, channels.SendAmbiguous, 1},
		"502 of a proxy":  {fakeslack.BadGateway(), channels.SendTransient, 0},
		"500 of slack":    {fakeslack.InternalError(), channels.SendAmbiguous, 0},
		"503 page":        {fakeslack.Fault{Status: 503, Body: "<html>"}, channels.SendTransient, 0},
		"504 page":        {fakeslack.Fault{Status: 504, Body: "<html>"}, channels.SendAmbiguous, 0},
		"200 page":        {fakeslack.Fault{Status: 200, Body: "<html>"}, channels.SendAmbiguous, 0},
		"redirect":        {fakeslack.Fault{Status: 302, Body: "<html>"}, channels.SendTransient, 0},
		"403 page":        {fakeslack.Fault{Status: 403, Body: "<html>"}, channels.SendTransient, 0},
		"429 page":        {fakeslack.Fault{Status: 429, Body: "<html>"}, channels.SendRateLimited, 0},
		"not ok, no name": {fakeslack.Fault{Status: 200, Body: `{"ok":false}`}, channels.SendAmbiguous, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			room := srv.Channel("general", srv.User("Ann"))
			srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Fault: tc.fault})
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := c.Send(ctx, outboxtest.Whole(where(c, room), "text"))
			se, ok := errors.AsType[*channels.SendError](err)
			if !ok || se.Class != tc.class {
				t.Errorf("the error is %v, want %s", err, tc.class)
			}
			if n := len(room.Texts()); n != tc.there {
				t.Errorf("%d messages are there, want %d", n, tc.there)
			}
		})
	}
}

func TestSendToNobody(t *testing.T) {
	t.Parallel()
	c := senderAt(t, slack.Options{
		BotToken: func() string { return "xoxb-1" }, AppToken: func() string { return "xapp-1" }, APIURL: "http://127.0.0.1:1/api/",
	}, slack.Identity{Team: "T1", User: "U1", Bot: "B1"})
	wantClass(t, c, channels.Address{Chat: "C1"}, channels.SendTransient)
}

// TestAnAnswerInAnotherFormIsAMessageThatIsThere: Slack says ok, and the library's
// error about the rest does not count.
func TestAnAnswerInAnotherFormIsAMessageThatIsThere(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`{"ok":true,"ts":"1.000001"}`,
		`{"ok":true,"ts":"1.000001","message":{"blocks":"none"}}`,
		`{"ok":true,"ts":"1.000001","message":{"text":7,"blocks":[{"type":"rich_text","elements":7}]}}`,
		`{"ok":true,"ts":"1.000001","channel":{"id":"C1"},"message":[]}`,
	} {
		c := answering(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) })
		r, err := c.Send(t.Context(), outboxtest.Whole(channels.Address{Chat: "C1"}, "text"))
		if err != nil || r.MessageID != "1.000001" {
			t.Errorf("%s: receipt %+v, %v", answer, r, err)
		}
	}
}

// TestNoTokenInAnyError: whatever a server answers, errors and the log hold no token
// and no text.
func TestNoTokenInAnyError(t *testing.T) {
	t.Parallel()
	echo := func(r *http.Request) string {
		_ = r.ParseForm()
		return strings.ReplaceAll(fmt.Sprintf("%s %s %s", r.FormValue("token"), r.Header.Get("Authorization"), r.PostForm.Encode()), `"`, "'")
	}
	for name, answer := range map[string]http.HandlerFunc{
		"the name": func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"ok":false,"error":"%s"}`, echo(r)) },
		"the scope": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error":"missing_scope","needed":"%s"}`, r.FormValue("token"))
		},
		"the details": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":false,"error":"invalid_blocks","response_metadata":{"messages":["%s"]}}`, echo(r))
		},
		"a page":  func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(502); fmt.Fprint(w, echo(r)) },
		"no JSON": func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, echo(r)) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/?t="+echo(r))
			w.WriteHeader(302)
		},
		"a bad header": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", r.FormValue("token"))
			w.WriteHeader(429)
		},
		"a cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &inboxtest.Log{}
			c := answering(t, answer, func(o *slack.Options) { o.Log = zerolog.New(log) })
			at := channels.Address{Chat: "C1", Thread: "1.000001"}
			c.Heard(at, "1.000001", "U2")
			for _, part := range []channels.Part{
				outboxtest.Whole(at, "private words"), outboxtest.Edits(outboxtest.Whole(at, "private words"), "1.000002"),
				preview(outboxtest.Whole(at, "private words")),
			} {
				_, err := c.Send(t.Context(), part)
				if err == nil {
					t.Fatal("no error")
				}
				keepsSecret(t, err.Error()+log.String())
			}
			for _, err := range []error{
				c.Edit(t.Context(), at, "1.000003", "private words"),
				c.Typing(t.Context(), at),
				second(c.Download(t.Context(), "http://127.0.0.1:1/file")),
				second(c.SendFile(t.Context(), file(at, "name.txt", "private words", "private words"))),
			} {
				keepsSecret(t, fmt.Sprint(err)+log.String())
			}
		})
	}
}

func second[A any](_ A, err error) error { return err }

func keepsSecret(t *testing.T, text string) {
	t.Helper()
	for _, canary := range []string{"canary", "private", "words"} {
		if strings.Contains(text, canary) {
			t.Errorf("%s is in %s", canary, text)
		}
	}
}

// TestTokensAreRevealedAtEachUse: a rotated token takes effect at once.
func TestTokensAreRevealedAtEachUse(t *testing.T) {
	t.Parallel()
	var seen []string
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.FormValue("token"))
		fmt.Fprint(w, `{"ok":true,"ts":"1.000001"}`)
	}, func(o *slack.Options) {
		n := 0
		o.BotToken = func() string { n++; return fmt.Sprintf("xoxb-%d", n) }
	})
	outboxtest.SendAll(t, c, channels.Address{Chat: "C1"}, "one")
	outboxtest.SendAll(t, c, channels.Address{Chat: "C1"}, "two")
	if len(seen) != 2 || seen[0] == seen[1] {
		t.Errorf("the tokens were %q", seen)
	}
}

// TestConnectionsAreUsedAgain: one after the other, sends share one.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	from := map[string]bool{}
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		from[r.RemoteAddr] = true
		fmt.Fprint(w, `{"ok":true,"ts":"1.000001"}`)
	})
	for range 20 {
		outboxtest.SendAll(t, c, channels.Address{Chat: "C1"}, "text")
	}
	if len(from) != 1 {
		t.Errorf("%d connections", len(from))
	}
}

// TestAnEndlessAnswerIsBounded: only a part of it is read.
func TestAnEndlessAnswerIsBounded(t *testing.T) {
	t.Parallel()
	c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	wantClass(t, c, channels.Address{Chat: "C1"}, channels.SendAmbiguous)
}

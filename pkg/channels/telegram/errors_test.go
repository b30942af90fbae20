package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/test/faketelegram"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

func TestSendClasses(t *testing.T) {
	t.Parallel()
	const limit = 300 * time.Millisecond
	for name, tc := range map[string]struct {
		fault faketelegram.Fault
		want  channels.SendClass
		retry time.Duration
		there int // messages that the person sees afterwards
	}{
		"429":         {fault: faketelegram.TooManyRequests(37), want: channels.SendRateLimited, retry: 37 * time.Second},
		"blocked":     {fault: faketelegram.Blocked(), want: channels.SendGone},
		"deactivated": {fault: faketelegram.Fault{Code: 403, Description: "Forbidden: user is deactivated"}, want: channels.SendGone},
		"kicked": {
			fault: faketelegram.Fault{Code: 403, Description: "Forbidden: bot was kicked from the group chat"},
			want:  channels.SendGone,
		},
		"chat not found":        {fault: faketelegram.Refusal("chat not found"), want: channels.SendGone},
		"topic deleted":         {fault: faketelegram.Refusal("message thread not found"), want: channels.SendGone},
		"may not write":         {fault: faketelegram.Refusal("not enough rights to send text messages to the chat"), want: channels.SendGone},
		"muted":                 {fault: faketelegram.Refusal("have no rights to send a message"), want: channels.SendGone},
		"too long":              {fault: faketelegram.Refusal("message is too long"), want: channels.SendRefused},
		"never heard of":        {fault: faketelegram.Refusal("SOMETHING_INVALID"), want: channels.SendRefused},
		"too large":             {fault: faketelegram.Fault{Code: 413, Description: "Request Entity Too Large"}, want: channels.SendRefused},
		"401":                   {fault: faketelegram.Unauthorized(), want: channels.SendAuth},
		"404":                   {fault: faketelegram.Fault{Code: 404, Description: "Not Found"}, want: channels.SendAuth},
		"500":                   {fault: faketelegram.InternalError(), want: channels.SendTransient},
		"502 page":              {fault: faketelegram.BadGateway(), want: channels.SendTransient},
		"503 page":              {fault: page(503), want: channels.SendTransient},
		"504 page":              {fault: page(504), want: channels.SendAmbiguous},
		"403 page":              {fault: page(403), want: channels.SendTransient},
		"404 page":              {fault: page(404), want: channels.SendAuth},
		"429 page":              {fault: page(429), want: channels.SendRateLimited},
		"400 page":              {fault: page(400), want: channels.SendRefused},
		"302 page":              {fault: page(302), want: channels.SendTransient},
		"200 page":              {fault: page(200), want: channels.SendAmbiguous},
		"cut before effect":     {fault: faketelegram.Fault{DropBefore: true}, want: channels.SendAmbiguous},
		"cut after effect":      {fault: faketelegram.Fault{DropAfter: true}, want: channels.SendAmbiguous, there: 1},
		"cut inside answer":     {fault: faketelegram.Fault{Cut: 20}, want: channels.SendAmbiguous, there: 1},
		"no answer":             {fault: faketelegram.Fault{HalfOpen: true}, want: channels.SendAmbiguous},
		"answer comes too late": {fault: faketelegram.Fault{Hold: time.Minute}, want: channels.SendAmbiguous, there: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			chat := srv.Private(srv.User("Ann"))
			heal := srv.Harm(faketelegram.Rule{Method: "sendMessage", Fault: tc.fault})
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			if tc.fault.HalfOpen || tc.fault.Hold > 0 {
				ctx, cancel = context.WithTimeout(t.Context(), limit)
			}
			defer cancel()
			receipt, err := c.Send(ctx, outboxtest.Whole(where(c, chat), "text"))
			se, ok := errors.AsType[*channels.SendError](err)
			if !ok || receipt != (channels.Receipt{}) {
				t.Fatalf("Send = %+v, %v", receipt, err)
			}
			if se.Class != tc.want || se.RetryAfter != tc.retry || se.Account {
				t.Errorf("%+v, want class %s, retry after %s", se, tc.want, tc.retry)
			}
			if n := srv.Count("sendMessage"); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			if n := len(chat.Messages()); n != tc.there {
				t.Errorf("the person sees %d messages, want %d", n, tc.there)
			}
			heal()
			if _, err := c.Send(t.Context(), outboxtest.Whole(where(c, chat), "next")); err != nil {
				t.Errorf("the next message: %v", err)
			}
			srv.ForgetViolations() // it is Egress that waits
		})
	}
}

// page is the answer of something that is not the Bot API.
func page(status int) faketelegram.Fault {
	return faketelegram.Fault{Code: status, Body: "<html>no</html>"}
}

func TestSendWithoutAServerIsTransient(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	at := channels.Address{Channel: telegram.Name, Chat: "1"}
	for name, url := range map[string]string{
		"nobody listens": closedServer(t),
		"no such name":   "http://telegram.invalid",
		"no TLS":         strings.Replace(srv.URL(), "http:", "https:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := senderTo(t, srv, func(o *telegram.Options) { o.APIURL = url })
			_, err := c.Send(t.Context(), outboxtest.Whole(at, "text"))
			if class := channels.ClassOf(err).Class; class != channels.SendTransient {
				t.Errorf("class %s: %v", class, err)
			}
		})
	}
}

func closedServer(t *testing.T) string {
	t.Helper()
	srv, err := faketelegram.Start(t.Context(), faketelegram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	return srv.URL()
}

// TestSendErrorsHideTheToken goes through everything that fails.
func TestSendErrorsHideTheToken(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	dead := senderTo(t, srv, func(o *telegram.Options) { o.APIURL = closedServer(t) })
	chat := srv.Private(srv.User("Ann"))
	_, secret, _ := strings.Cut(srv.Token(), ":")
	check := func(err error) {
		t.Helper()
		if err == nil {
			t.Error("it worked")
			return
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if s := fmt.Sprintf("%v %+v %q", e, e, e); strings.Contains(s, secret) {
				t.Errorf("an error shows the token: %s", s)
			}
		}
	}
	for _, fault := range []faketelegram.Fault{
		{DropBefore: true},
		{Cut: 5},
		faketelegram.BadGateway(), page(200), faketelegram.Unauthorized(),
		faketelegram.Refusal("bad token " + srv.Token()),
	} {
		heal := srv.Harm(faketelegram.Rule{Fault: fault})
		at := where(c, chat)
		_, err := c.Send(t.Context(), outboxtest.Whole(at, "text"))
		check(err)
		check(c.Typing(t.Context(), at))
		check(c.Edit(t.Context(), at, "1", "text"))
		file := document("a.txt", "text")
		file.Address = at
		for _, preview := range []string{"", "1"} {
			file.Edits = preview
			_, err = c.SendFile(t.Context(), file)
			check(err)
		}
		heal()
	}
	_, err := dead.Send(t.Context(), outboxtest.Whole(where(c, chat), "text"))
	check(err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Send(ended, outboxtest.Whole(where(c, chat), "text"))
	check(err)
}

package slack_test

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakehttp"
	"parley/internal/test/fakeslack"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// wall is a server on fake time that notes which reactions are asked for, and
// answers a removal as told.
type wall struct {
	remove func(w http.ResponseWriter, r *http.Request)

	mu    sync.Mutex
	calls []string
}

func (s *wall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := path.Base(r.URL.Path)
	if method == "reactions.add" || method == "reactions.remove" {
		s.mu.Lock()
		s.calls = append(s.calls, method+" "+r.FormValue("timestamp"))
		s.mu.Unlock()
	}
	if method == "reactions.remove" && s.remove != nil {
		s.remove(w, r)
		return
	}
	fmt.Fprint(w, `{"ok":true,"ts":"5.000001"}`)
}

func (s *wall) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// atWall runs a test with a channel on a wall, under fake time.
func atWall(t *testing.T, s *wall, test func(t *testing.T, c *slack.Channel)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server, l := &http.Server{Handler: s}, fakehttp.NewPipes()
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		token := func() string { return "x" }
		o := slack.Options{BotToken: token, AppToken: token, APIURL: "http://slack.test/api/"}
		slack.DialWith(&o, l.Dial)
		c, err := slack.New(o, slack.Identity{Team: "T1", User: "U1", Bot: "B1"})
		if err != nil {
			t.Fatal(err)
		}
		test(t, c)
		c.CloseOut()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
}

// TestAReactionDoesNotOutlastTheWork: a turn may end without an answer, and the
// channel may end in the middle of one.
func TestAReactionDoesNotOutlastTheWork(t *testing.T) {
	t.Parallel()
	s := &wall{}
	atWall(t, s, func(t *testing.T, c *slack.Channel) {
		t.Helper()
		at := channels.Address{Channel: slack.Name, Account: "T1", Chat: "D1"}
		c.Heard(at, "1.000001", "U2")
		for range 20 {
			typing(t, c, at, 1)
			<-time.After(4 * time.Second)
		}
		if diff := cmp.Diff([]string{"reactions.add 1.000001"}, s.asked()); diff != "" {
			t.Errorf("while it works (-want +got):\n%s", diff)
		}
		<-time.After(time.Minute)
		if diff := cmp.Diff([]string{"reactions.add 1.000001", "reactions.remove 1.000001"}, s.asked()); diff != "" {
			t.Errorf("when it is quiet (-want +got):\n%s", diff)
		}
		c.Heard(at, "2.000001", "U2")
		typing(t, c, at, 2)
	})
	if diff := cmp.Diff([]string{"reactions.add 1.000001", "reactions.remove 1.000001", "reactions.add 2.000001", "reactions.remove 2.000001"},
		s.asked()); diff != "" {
		t.Errorf("when it has ended (-want +got):\n%s", diff)
	}
}

// TestReactionsHoldNoSend: whatever becomes of them, a message that is there has its
// receipt at once.
func TestReactionsHoldNoSend(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(w http.ResponseWriter, r *http.Request){
		"hangs": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"limited": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "9")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"ok":false,"error":"ratelimited"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atWall(t, &wall{remove: remove}, func(t *testing.T, c *slack.Channel) {
				t.Helper()
				for i := range 100 {
					at := channels.Address{Channel: slack.Name, Account: "T1", Chat: fmt.Sprint("D", i)}
					c.Heard(at, "1.000001", "U2")
					typing(t, c, at, 1)
					began := time.Now()
					outboxtest.SendAll(t, c, at, "done")
					if took := time.Since(began); took != 0 {
						t.Fatalf("message %d took %v", i, took)
					}
				}
			})
		})
	}
}

// TestAReactionIsTakenAwayLater: a wait that Slack asks for is obeyed, and then it is.
func TestAReactionIsTakenAwayLater(t *testing.T) {
	t.Parallel()
	refused := false
	s := &wall{remove: func(w http.ResponseWriter, _ *http.Request) {
		if refused {
			fmt.Fprint(w, `{"ok":true}`)
			return
		}
		refused = true
		w.Header().Set("Retry-After", "40")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"ok":false,"error":"ratelimited"}`)
	}}
	atWall(t, s, func(t *testing.T, c *slack.Channel) {
		t.Helper()
		at := channels.Address{Channel: slack.Name, Account: "T1", Chat: "D1"}
		c.Heard(at, "1.000001", "U2")
		typing(t, c, at, 1)
		outboxtest.SendAll(t, c, at, "done")
		<-time.After(39 * time.Second)
		if n := len(s.asked()); n != 2 {
			t.Errorf("%d calls before the wait is over", n)
		}
		<-time.After(5 * time.Minute)
		if diff := cmp.Diff([]string{"reactions.add 1.000001", "reactions.remove 1.000001", "reactions.remove 1.000001"}, s.asked()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestARestBelowAnEditIsCountedOnce: an edit may be made again as often as it takes,
// the message behind it may not.
func TestARestBelowAnEditIsCountedOnce(t *testing.T) {
	t.Parallel()
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path) == "chat.postMessage" {
			fmt.Fprint(w, "<html>it may be there")
			return
		}
		fmt.Fprint(w, `{"ok":true,"ts":"1.000001","message":{"text":"be","blocks":[{"type":"markdown","text":"be"}]}}`)
	})
	_, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(channels.Address{Chat: "C1"}, "beginning"), "1.000001"))
	if se, ok := errors.AsType[*channels.SendError](err); !ok || se.Class != channels.SendAmbiguous {
		t.Errorf("Send: %v", err)
	}
}

// TestAPreviewThatMayNotBeFinished gives way to the answer where the workspace forbids
// edits, or an edit has less room than a message: no half stays beside it.
func TestAPreviewThatMayNotBeFinished(t *testing.T) {
	t.Parallel()
	for _, refusal := range []string{"edit_window_closed", "msg_too_long"} {
		t.Run(refusal, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			dm := srv.DM(srv.User("Ann"))
			at := where(c, dm)
			id := begin(t, c, at, "The")
			srv.Harm(fakeslack.Rule{Method: "chat.update", Fault: fakeslack.Refusal(refusal)})
			if c.Edit(t.Context(), at, id, "The answer") == nil {
				t.Error("it was shown")
			}
			if r, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(at, "The answer is 42."), id)); err != nil || r.MessageID == id {
				t.Fatalf("receipt %+v, %v", r, err)
			}
			if diff := cmp.Diff([]string{"The answer is 42."}, dm.Texts()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

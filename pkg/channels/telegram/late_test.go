package telegram_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakehttp"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

// showing is a text that a message came to show, and its time.
type showing struct {
	Text string
	At   time.Duration
}

// slate is a server of one message on fake time. An edit to "late" takes effect
// five seconds after it came, whether or not its client still waits; one to "504"
// too, which a proxy has then given up at once; that of "cut" breaks off behind its effect.
type slate struct {
	*testing.T

	ch    *telegram.Channel
	began time.Time

	mu    sync.Mutex
	shown []showing
}

func (s *slate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := r.FormValue("text")
	switch text {
	case "late":
		<-time.After(5 * time.Second)
	case "504":
		time.AfterFunc(5*time.Second, func() { s.show(text) })
		w.WriteHeader(http.StatusGatewayTimeout)
		return
	}
	s.show(text)
	if text == "cut" {
		panic(http.ErrAbortHandler)
	}
	fmt.Fprint(w, `{"ok":true,"result":{"message_id":5}}`)
}

func (s *slate) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(s.shown, showing{text, time.Since(s.began)})
}

func (s *slate) wantShown(want []showing) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.shown); diff != "" {
		s.Errorf("what the message showed (-want +got):\n%s", diff)
	}
}

func onSlate(t *testing.T, test func(s *slate)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &slate{T: t, began: time.Now()}
		server, l := &http.Server{Handler: s}, fakehttp.NewPipes()
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		o := telegram.Options{Token: func() string { return clockToken }, APIURL: "http://bot.test"}
		telegram.DialWith(&o, l.Dial)
		c, err := telegram.New(o)
		if err != nil {
			t.Fatal(err)
		}
		s.ch = c
		test(s)
		<-time.After(time.Minute) // a quiet minute
		c.CloseIdle()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
}

// TestALateEditDoesNotOutlastTheAnswer: an edit of the growing answer that got no
// answer may take effect behind that of the whole one, which is then made again.
func TestALateEditDoesNotOutlastTheAnswer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		grows string
		want  []showing
		took  time.Duration
	}{
		"in time": {"early", []showing{{"early", 0}, {"answer", 0}}, 0},
		"cut":     {"cut", []showing{{"cut", 0}, {"answer", 0}}, 0},
		"504":     {"504", []showing{{"answer", 0}, {"504", 5 * time.Second}, {"answer", 10 * time.Second}}, 10 * time.Second},
		"late":    {"late", []showing{{"answer", 3 * time.Second}, {"late", 5 * time.Second}, {"answer", 13 * time.Second}}, 13 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onSlate(t, func(s *slate) {
				at := channels.Address{Channel: telegram.Name, Account: s.ch.Account(), Chat: "-7"}
				if err := s.ch.Edit(s.Context(), at, "5", tc.grows); (err == nil) != (tc.grows == "early") {
					s.Errorf("Edit: %v", err)
				}
				part := outboxtest.Whole(at, "answer")
				part.Edits = "5"
				if r, err := s.ch.Send(s.Context(), part); err != nil || r.MessageID != "5" {
					s.Errorf("Send: %+v, %v", r, err)
				}
				if took := time.Since(s.began); took != tc.took {
					s.Errorf("the receipt came after %v, want %v", took, tc.took)
				}
				s.wantShown(tc.want)
			})
		})
	}
}

// TestALateEditAndAStop: an answer that loses its second edit to a stop has no receipt,
// and is edited in at the next start.
func TestALateEditAndAStop(t *testing.T) {
	t.Parallel()
	onSlate(t, func(s *slate) {
		at := channels.Address{Channel: telegram.Name, Account: s.ch.Account(), Chat: "-7"}
		if err := s.ch.Edit(s.Context(), at, "5", "late"); err == nil {
			s.Error("the edit is in time")
		}
		ctx, cancel := context.WithTimeout(s.Context(), time.Second)
		defer cancel()
		part := outboxtest.Whole(at, "answer")
		part.Edits = "5"
		_, err := s.ch.Send(ctx, part)
		if class := channels.ClassOf(err).Class; class != channels.SendTransient {
			s.Errorf("class %s: %v", class, err)
		}
		s.wantShown([]showing{{"answer", 3 * time.Second}})
	})
}

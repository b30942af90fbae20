package slack_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/fakehttp"
	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// TestARateLimitOnOneChannel: its wait is obeyed, its messages are complete, single and
// in order, and the others go on meanwhile. The fake counts a call that comes before
// its wait is over as a violation.
func TestARateLimitOnOneChannel(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	c := senderTo(t, srv, func(o *slack.Options) { o.PerChannel = -1 })
	ann := srv.User("Ann")
	busy, calm := srv.Channel("busy", ann), srv.Channel("calm", ann)
	srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Chat: busy.ID(), Skip: 1, Times: 1, Fault: fakeslack.RateLimited(2)})
	store := outboxtest.Open(t, t.TempDir())
	var want []string
	for i := range 5 {
		want = append(want, fmt.Sprint("number ", i))
		for _, chat := range []*fakeslack.Chat{busy, calm} {
			outboxtest.Queue(t, store, channels.Outbound{ID: fmt.Sprint(chat.ID(), "/", i), Address: where(c, chat), Text: want[i]})
		}
	}
	t.Cleanup(outboxtest.Send(t, channels.EgressOptions{Outbox: store.Outbox(), Channel: c, Log: zerolog.Nop()}))
	if _, err := calm.Await(inboxtest.Limited(t), 5); err != nil {
		t.Fatal(err)
	}
	if n := len(busy.Texts()); n == 5 {
		t.Error("the limited channel waited for nothing")
	}
	if _, err := busy.Await(inboxtest.Limited(t), 5); err != nil {
		t.Fatal(err)
	}
	for _, chat := range []*fakeslack.Chat{busy, calm} {
		if diff := cmp.Diff(want, chat.Texts()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// slate is a server of one message on fake time: an update to "late" takes effect
// five seconds after it came, whether or not its client still waits.
type slate struct {
	mu    sync.Mutex
	shown []string
}

func (s *slate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := r.FormValue("text")
	if text == "late" {
		<-time.After(5 * time.Second)
	}
	s.mu.Lock()
	s.shown = append(s.shown, text)
	s.mu.Unlock()
	fmt.Fprint(w, `{"ok":true,"ts":"5.000001"}`)
}

// TestALateEditDoesNotOutlastTheAnswer: an update of the growing answer that got no
// answer may take effect behind that of the whole one, which is then made again.
func TestALateEditDoesNotOutlastTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &slate{}
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
		at := channels.Address{Channel: slack.Name, Account: "T1", Chat: "D1"}
		began := time.Now()
		if err := c.Edit(t.Context(), at, "5.000001", "late"); err == nil {
			t.Error("the edit is in time")
		}
		if _, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(at, "answer"), "5.000001")); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 13*time.Second {
			t.Errorf("the receipt came after %v", took)
		}
		s.mu.Lock()
		if diff := cmp.Diff([]string{"answer", "late", "answer"}, s.shown); diff != "" {
			t.Errorf("what the message showed (-want +got):\n%s", diff)
		}
		s.mu.Unlock()
		<-time.After(time.Minute)
		c.CloseOut()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
}

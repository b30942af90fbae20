package loopchat_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
	"parley/pkg/channels"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink keeps the accepted items, and fails where it is told to.
type sink struct {
	mu       sync.Mutex
	items    []channels.Inbound
	position string
	fail     func(call int) error
	calls    int
	changed  chan struct{}
}

func newSink() *sink { return &sink{changed: make(chan struct{}, 1000)} }

func (s *sink) Accept(_ context.Context, items []channels.Inbound, cur *channels.Cursor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.changed <- struct{}{} }()
	s.calls++
	if s.fail != nil {
		if err := s.fail(s.calls); err != nil {
			return err
		}
	}
	if cur.From != s.position {
		return channels.ErrFenced
	}
	s.items, s.position = append(s.items, items...), cur.To
	return nil
}

func (s *sink) Position(context.Context, string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position, nil
}

// texts waits until n items were accepted.
func (s *sink) texts(ctx context.Context, t *testing.T, n int) []string {
	t.Helper()
	for {
		s.mu.Lock()
		var all []string
		for i := range s.items {
			all = append(all, s.items[i].Text)
		}
		s.mu.Unlock()
		if len(all) >= n {
			return all
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			t.Fatalf("got %q, want %d texts", all, n)
		}
	}
}

type everyone struct{}

func (everyone) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}

func newServer(t *testing.T, opt server.Options) *server.Server {
	t.Helper()
	if opt.MaxPoll == 0 {
		opt.MaxPoll = 50 * time.Millisecond
	}
	s, err := server.New(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newChannel(url string) *loopchat.Channel {
	return loopchat.New(loopchat.Options{URL: url, MinPause: time.Millisecond, MaxPause: 5 * time.Millisecond})
}

// run runs a channel until the test ends.
func run(ctx context.Context, t *testing.T, c *loopchat.Channel, s *sink) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	in := channels.NewIngress(s, everyone{}, zerolog.Nop())
	go func() { done <- c.Run(ctx, in) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestRunDeliversInOrderAndConfirmsAfterTheStore(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	srv := newServer(t, server.Options{Batch: 2})
	s := newSink()
	run(ctx, t, newChannel(srv.URL), s)
	var want []string
	for i := range 7 {
		want = append(want, "text "+strconv.Itoa(i))
		srv.Say("a", want[i])
	}
	if diff := cmp.Diff(want, s.texts(ctx, t, 7)); diff != "" {
		t.Error(diff)
	}
	if err := srv.Until(ctx, func() bool { return srv.Unconfirmed() == 0 }); err != nil {
		t.Errorf("%d updates are not confirmed: %v", srv.Unconfirmed(), err)
	}
}

func TestRunRecovers(t *testing.T) {
	t.Parallel()
	outage := errors.New("disk full")
	tests := map[string]struct {
		poll func(n int) server.Fault
		sink func(call int) error
	}{
		"5xx":                   {poll: func(n int) server.Fault { return server.Fault{Status: 500 * (n % 2)} }},
		"connection cut":        {poll: func(n int) server.Fault { return server.Fault{CutBefore: n%2 == 0} }},
		"store cannot write":    {sink: func(n int) error { return map[bool]error{true: outage}[n < 3] }},
		"cursor moved by other": {sink: func(n int) error { return map[bool]error{true: channels.ErrFenced}[n == 1] }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := deadline(t)
			srv := newServer(t, server.Options{Batch: 1, OnPoll: tc.poll})
			s := newSink()
			s.fail = tc.sink
			srv.Say("a", "one")
			srv.Say("a", "two")
			run(ctx, t, newChannel(srv.URL), s)
			if diff := cmp.Diff([]string{"one", "two"}, s.texts(ctx, t, 2)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNothingIsConfirmedThatIsNotStored(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	srv := newServer(t, server.Options{})
	s := newSink()
	s.fail = func(int) error { return errors.New("disk full") }
	srv.Say("a", "one")
	run(ctx, t, newChannel(srv.URL), s)
	if err := srv.Until(ctx, func() bool { return srv.Report().Polls >= 4 }); err != nil {
		t.Fatal(err)
	}
	if n := srv.Unconfirmed(); n != 1 {
		t.Errorf("%d updates wait for a confirmation, want 1", n)
	}
}

func TestInbound(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	srv := newServer(t, server.Options{})
	s := newSink()
	ids := srv.Push(
		loopchat.Update{Chat: "anna", Text: "hello"},
		loopchat.Update{Chat: "group1", Thread: "t", Sender: "ben", Text: "hi", Mentioned: true},
	)
	run(ctx, t, newChannel(srv.URL), s)
	s.texts(ctx, t, 2)
	want := []channels.Inbound{
		{
			ID: strconv.FormatInt(ids[0], 10), Kind: channels.KindMessage, Text: "hello", Direct: true,
			Address: channels.Address{Channel: "loop", Account: "bot", Chat: "anna"},
			Sender:  channels.Sender{ID: "anna"}, MessageID: "u" + strconv.FormatInt(ids[0], 10),
		},
		{
			ID: strconv.FormatInt(ids[1], 10), Kind: channels.KindMessage, Text: "hi", Mentioned: true,
			Address: channels.Address{Channel: "loop", Account: "bot", Chat: "group1", Thread: "t"},
			Sender:  channels.Sender{ID: "ben"}, MessageID: "u" + strconv.FormatInt(ids[1], 10),
		},
	}
	for i := range s.items {
		if s.items[i].Time.IsZero() {
			t.Errorf("item %d has no time", i)
		}
		s.items[i].Time = time.Time{}
	}
	if diff := cmp.Diff(want, s.items); diff != "" {
		t.Error(diff)
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault   server.Fault
		closed  bool
		want    channels.SendClass
		retry   time.Duration
		account bool
		there   int // messages that the platform has afterwards
	}{
		"accepted":      {there: 1},
		"no connection": {closed: true, want: channels.SendTransient},
		"cut before":    {fault: server.Fault{CutBefore: true}, want: channels.SendAmbiguous},
		"cut after":     {fault: server.Fault{CutAfter: true}, want: channels.SendAmbiguous, there: 1},
		"too slow":      {fault: server.Fault{Delay: time.Minute}, want: channels.SendAmbiguous},
		"limited": {
			fault: server.Fault{Status: 429, RetryAfter: 1500 * time.Millisecond},
			want:  channels.SendRateLimited,
			retry: 1500 * time.Millisecond,
		},
		"all limited": {
			fault:   server.Fault{Status: 429, RetryAfter: time.Second, Account: true},
			want:    channels.SendRateLimited,
			retry:   time.Second,
			account: true,
		},
		"server error":   {fault: server.Fault{Status: 503}, want: channels.SendTransient},
		"blocked":        {fault: server.Fault{Status: 403}, want: channels.SendGone},
		"token revoked":  {fault: server.Fault{Status: 401}, want: channels.SendAuth},
		"never accepted": {fault: server.Fault{Status: 400}, want: channels.SendRefused},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := deadline(t)
			srv := newServer(t, server.Options{OnSend: func(int, loopchat.SendRequest) server.Fault { return tc.fault }})
			if tc.closed {
				_ = srv.Close()
			}
			c := loopchat.New(loopchat.Options{URL: srv.URL, SendTimeout: 300 * time.Millisecond})
			part := channels.Part{
				Outbound: channels.Outbound{Address: channels.Address{Chat: "a", Thread: "t"}, Text: "hi", ReplyTo: "u1"},
				Count:    1,
			}
			receipt, err := c.Send(ctx, part)
			if tc.want == "" {
				if err != nil || receipt.MessageID == "" || receipt.Time.IsZero() {
					t.Fatalf("Send = %+v, %v", receipt, err)
				}
				want := loopchat.SendRequest{Chat: "a", Thread: "t", Text: "hi", ReplyTo: "u1"}
				if diff := cmp.Diff(want, srv.Messages("a")[0].SendRequest); diff != "" {
					t.Error(diff)
				}
				return
			}
			e := channels.ClassOf(err)
			if e.Class != tc.want || e.RetryAfter != tc.retry || e.Account != tc.account {
				t.Errorf("Send: %+v, want class %s, retry after %s", e, tc.want, tc.retry)
			}
			if n := len(srv.Messages("")); n != tc.there {
				t.Errorf("the platform has %d messages, want %d", n, tc.there)
			}
		})
	}
}

func TestOlderPollGets409(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	srv := newServer(t, server.Options{MaxPoll: time.Minute})
	client := &http.Client{}
	t.Cleanup(client.CloseIdleConnections)
	poll := func(secs string) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/updates?offset=0&timeout="+secs, http.NoBody)
		if err != nil {
			return 0, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}
	older := make(chan int, 1)
	go func() {
		status, _ := poll("60")
		older <- status
	}()
	if err := srv.Until(ctx, func() bool { return srv.Report().Polls == 1 }); err != nil {
		t.Fatal(err)
	}
	if status, err := poll("0"); status != http.StatusOK || err != nil {
		t.Errorf("the newer poll: %d, %v", status, err)
	}
	if status := <-older; status != http.StatusConflict {
		t.Errorf("the older poll: %d, want 409", status)
	}
}

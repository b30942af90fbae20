package openai_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// slowServer is a transport with a server that writes pieces of an answer, each after a
// while of fake time, and then falls silent.
type slowServer struct {
	kind    string
	headers time.Duration
	gap     time.Duration
	pieces  []string
}

func (s *slowServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := pause(r.Context(), s.headers); err != nil {
		return nil, err
	}
	body := &slowBody{ctx: r.Context(), gap: s.gap, pieces: s.pieces}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {s.kind}}, Body: body, Request: r}, nil
}

type slowBody struct {
	ctx    context.Context
	gap    time.Duration
	pieces []string
}

func (b *slowBody) Read(p []byte) (int, error) {
	if len(b.pieces) == 0 {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	if err := pause(b.ctx, b.gap); err != nil {
		return 0, err
	}
	n := copy(p, b.pieces[0])
	b.pieces = b.pieces[1:]
	return n, nil
}

func (*slowBody) Close() error { return nil }

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drops are the bytes of s, one by one.
func drops(s string) []string { return strings.Split(s, "") }

// TestTimeLimits checks the default limits on fake time.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	const sse = "text/event-stream"
	many := func(s string, n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = s
		}
		return all
	}
	for _, c := range []struct {
		name   string
		server slowServer
		whole  bool
		want   time.Duration
		ok     bool
	}{
		{name: "no headers", server: slowServer{kind: sse, headers: time.Hour}, want: 60 * time.Second},
		{name: "no headers, whole answer", server: slowServer{headers: time.Hour}, whole: true, want: 300 * time.Second},
		{name: "headers, then silence", server: slowServer{kind: sse, headers: 10 * time.Second}, want: 70 * time.Second},
		{name: "headers, then silence, whole answer", server: slowServer{kind: "application/json"}, whole: true, want: 60 * time.Second},
		{name: "half an answer, then silence", server: slowServer{kind: sse, pieces: []string{frames(say("half"))}}, want: 60 * time.Second},
		{
			name:   "a byte every 20 s",
			server: slowServer{kind: sse, gap: 20 * time.Second, pieces: drops(frames(say("slow"), stop, done))},
			want:   60 * time.Second,
		},
		{
			name:   "a byte every 20 s, whole answer",
			server: slowServer{kind: "application/json", gap: 20 * time.Second, pieces: drops(frames(say("slow")))},
			whole:  true,
			want:   300 * time.Second,
		},
		{
			name:   "comments for ever",
			server: slowServer{kind: sse, gap: 20 * time.Second, pieces: many(": wait\n\n", 100)},
			want:   300 * time.Second,
		},
		{
			name:   "slow, but alive",
			server: slowServer{kind: sse, gap: 40 * time.Second, pieces: []string{frames(say("a")), frames(say("b")), frames(stop, done)}},
			ok:     true,
		},
		{
			name:   "finished, but not ended",
			server: slowServer{kind: sse, pieces: []string{frames(say("a"), stop)}},
			ok:     true,
			want:   5 * time.Second,
		},
		{
			name:   "slow whole answer",
			whole:  true,
			server: slowServer{kind: "application/json", headers: 200 * time.Second, pieces: []string{`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, ""}},
			want:   260 * time.Second,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := openai.New(openai.Options{BaseURL: "http://model.invalid", Transport: &c.server})
				start := time.Now()
				var resp *providers.LLMResponse
				var err error
				if c.whole {
					resp, err = p.Chat(t.Context(), providertest.Question(), nil, "m", nil)
				} else {
					resp, err = p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, nil)
				}
				if c.ok {
					if err != nil || resp.Content == "" {
						t.Fatalf("%+v, %v; want an answer", resp, err)
					}
					if got := time.Since(start); c.want > 0 && got != c.want {
						t.Errorf("answered after %v, want %v", got, c.want)
					}
					return
				}
				var failure *providers.Error
				if !errors.As(err, &failure) || failure.Kind != providers.KindTimeout {
					t.Fatalf("%+v, %v; want timeout", resp, err)
				}
				if got := time.Since(start); got != c.want {
					t.Errorf("gave up after %v, want %v", got, c.want)
				}
			})
		})
	}
}

// TestRealSilence is the same with a real server and small limits.
func TestRealSilence(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fakemodel.Fault{
		"headers, then silence": {Silence: true},
		"half, then silence":    {Silence: true, Cut: 150},
		"no headers":            {Latency: time.Hour},
		"slow bytes":            {Piece: 1, Gap: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, func(fakemodel.Request) fakemodel.Answer {
				a := fakemodel.Say("never to be seen whole")
				a.Fault = fault
				return a
			})
			p := provider(t, srv.URL(), func(o *openai.Options) { o.IdleTimeout, o.TotalTimeout = 100*time.Millisecond, time.Second })
			if failure := askFailure(t, p); failure.Kind != providers.KindTimeout {
				t.Errorf("%+v, want timeout", failure)
			}
		})
	}
}

// TestEndlessAnswer is a server that does not stop talking: the answer is refused
// long before its end, so that no more than the limit is ever held.
func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	const size = 50 << 20
	filler := strings.Repeat("x", 1<<20)
	for name, head := range map[string][2]string{
		"one line":   {"text/event-stream", "data: "},
		"no lines":   {"text/event-stream", ""},
		"whole":      {"application/json", `{"choices":[{"message":{"content":"`},
		"many lines": {"text/event-stream", frames(say("x"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int64
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", head[0])
				piece := filler
				if name == "many lines" {
					piece = strings.Repeat(frames(say(filler[:1000])), 1000)
				}
				io.WriteString(w, head[1])
				for sent.Load() < size {
					n, err := io.WriteString(w, piece)
					if err != nil {
						return
					}
					sent.Add(int64(n))
				}
			}))
			t.Cleanup(srv.Close)
			p := bothWays(provider(t, srv.URL))["stream"]
			if name == "whole" {
				p = bothWays(provider(t, srv.URL))["whole"]
			}
			failure := askFailure(t, p)
			if failure.Kind != providers.KindInvalid {
				t.Errorf("%+v, want invalid", failure)
			}
			if got := sent.Load(); got >= size {
				t.Errorf("all %d bytes were read", got)
			}
		})
	}
}

// TestConnectionSurvivesAStream asks one question after the other: the end of a
// stream that comes a little after [DONE] must not cost the connection.
func TestConnectionSurvivesAStream(t *testing.T) {
	t.Parallel()
	var conns atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, frames(say("a"), stop, done))
		w.(http.Flusher).Flush()
		<-time.After(time.Millisecond) // as a network has it
		io.WriteString(w, ": bye\n\n")
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	p := provider(t, srv.URL)
	for range 100 {
		if _, err := p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := conns.Load(); got > 50 { // on a busy machine the end of some streams comes too late
		t.Errorf("%d connections for 100 questions in a row", got)
	}
}

// TestConnectionsAreReused asks many questions at once, several times over: as
// many connections are made as there are questions at once, and no more.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	const chats, rounds = 100, 5
	fake := fakemodel.NewHandler(fakemodel.Options{})
	var conns atomic.Int64
	srv := httptest.NewUnstartedServer(fake.Handler())
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	p := provider(t, srv.URL+"/v1")
	for range rounds {
		var wg sync.WaitGroup
		for range chats {
			wg.Go(func() {
				if _, err := p.ChatStream(t.Context(), providertest.Question(), nil, "m", nil, nil); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if got := conns.Load(); got > 2*chats {
		t.Errorf("%d connections for %d chats at once", got, chats)
	}
}

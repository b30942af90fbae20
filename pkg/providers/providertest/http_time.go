package providertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/providers"
)

// pipes is a listener whose connections are pipes within the process, so that fake time
// stands for both sides.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

// Accept implements [net.Listener].
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p *pipes) Close() error {
	close(p.done)
	return nil
}

// Addr implements [net.Listener].
func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// onFakeTime gives f a provider for a server that handles questions on fake time.
func onFakeTime(t *testing.T, h HTTP, handle http.Handler, f func(t *testing.T, p providers.LLMProvider)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		srv := &http.Server{Handler: handle, ReadHeaderTimeout: time.Hour}
		go func() { _ = srv.Serve(l) }()
		transport := &http.Transport{DialContext: l.dial}
		f(t, h.Connect(t, Server{URL: "http://model.invalid", Transport: transport}))
		transport.CloseIdleConnections()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
}

// wait pauses a handler; false means that the client has gone.
func wait(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// checkCancel ends the caller's context while the server is silent at each place of an
// answer: the call returns within 100 ms, with the context's error.
func checkCancel(t *testing.T, h HTTP) {
	t.Helper()
	for _, stream := range []bool{true, false} {
		frames := h.Answer(full(), stream)
		body := strings.Join(frames, "")
		for name, sent := range map[string]int{
			"before the headers": -1, "after them": 0, "within the first frame": len(frames[0]) / 2,
			"after it": len(frames[0]), "near the end": len(body) - 2*len(frames[len(frames)-1])/3,
		} {
			if name == "after it" && !stream {
				continue // the answer is complete
			}
			t.Run(name, func(t *testing.T) {
				onFakeTime(t, h, taken(func(w http.ResponseWriter, r *http.Request) {
					if sent >= 0 {
						begin(w, stream)
						write(w, body[:sent])
					}
					<-r.Context().Done()
				}), func(t *testing.T, p providers.LLMProvider) {
					t.Helper()
					ctx, cancel := context.WithCancel(t.Context())
					const end = 3 * time.Second
					time.AfterFunc(end, cancel)
					start := time.Now()
					resp, _, err := ask(t, ctx, p, stream, Question())
					if took := time.Since(start); took > end+100*time.Millisecond {
						t.Errorf("the call ended %v after its context", took-end)
					}
					if err != nil && (!errors.Is(err, context.Canceled) || resp != nil) || err == nil && !whole(resp) {
						t.Errorf("%+v, %v; want context.Canceled", resp, err)
					}
				})
			})
		}
	}
}

// whole says whether an answer is the full one, to which a stream's last frames add little.
func whole(r *providers.LLMResponse) bool {
	return r != nil && r.Content == full().Content && len(r.ToolCalls) == len(full().ToolCalls)
}

// checkSilence has servers that are silent or slow. The limits are those of an adapter
// without settings: 60 s of silence, 300 s for an answer.
func checkSilence(t *testing.T, h HTTP) {
	t.Helper()
	const idle, total = 60 * time.Second, 300 * time.Second
	streamed := strings.Join(h.Answer(full(), true), "")
	plain := strings.Join(h.Answer(full(), false), "")
	drip := func(w http.ResponseWriter, r *http.Request, texts []string, gap time.Duration) {
		for _, text := range texts {
			if !wait(r, gap) || !write(w, text) {
				return
			}
		}
		<-r.Context().Done()
	}
	for name, c := range map[string]struct {
		stream bool
		limit  time.Duration // 0 where an answer comes
		handle func(w http.ResponseWriter, r *http.Request)
	}{
		"no headers":                {true, idle, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		"no headers, whole answer":  {false, total, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		"headers alone":             {true, idle, func(w http.ResponseWriter, r *http.Request) { begin(w, true); <-r.Context().Done() }},
		"headers of a whole answer": {false, idle, func(w http.ResponseWriter, r *http.Request) { begin(w, false); <-r.Context().Done() }},
		"half a stream": {true, idle, func(w http.ResponseWriter, r *http.Request) {
			begin(w, true)
			write(w, streamed[:len(streamed)/2])
			<-r.Context().Done()
		}},
		"a byte every 20 s": {true, idle, func(w http.ResponseWriter, r *http.Request) {
			begin(w, true)
			drip(w, r, strings.Split(streamed, ""), 20*time.Second)
		}},
		"a byte of a whole answer every 20 s": {false, total, func(w http.ResponseWriter, r *http.Request) {
			begin(w, false)
			drip(w, r, strings.Split(plain, ""), 20*time.Second)
		}},
		"comments for ever": {true, total, func(w http.ResponseWriter, r *http.Request) {
			begin(w, true)
			drip(w, r, strings.SplitAfter(strings.Repeat(": wait\n\n", 100), "\n\n"), 20*time.Second)
		}},
		"comments for ever behind the answer": {true, 0, func(w http.ResponseWriter, r *http.Request) {
			begin(w, true)
			write(w, streamed)
			drip(w, r, strings.SplitAfter(strings.Repeat(": wait\n\n", 200), "\n\n"), 2*time.Second)
		}},
		"slow, but alive": {true, 0, func(w http.ResponseWriter, r *http.Request) {
			begin(w, true)
			drip(w, r, h.Answer(full(), true), 10*time.Second)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			onFakeTime(t, h, taken(c.handle), func(t *testing.T, p providers.LLMProvider) {
				t.Helper()
				start := time.Now()
				resp, _, err := ask(t, t.Context(), p, c.stream, Question())
				if c.limit == 0 {
					if err != nil || !whole(resp) {
						t.Errorf("%+v, %v; want the answer", resp, err)
					}
					if took := time.Since(start); took >= total {
						t.Errorf("the answer was held back until the limit of %v", total)
					}
					return
				}
				if f := typed(t, resp, err); f.Kind != providers.KindTimeout {
					t.Errorf("%v, want a timeout", err)
				}
				if took := time.Since(start); took < c.limit-time.Second || took > c.limit+time.Second {
					t.Errorf("given up after %v, want %v", took, c.limit)
				}
			})
		})
	}
}

// checkSlowRequest has a server take a long question slowly, as over a line on which pictures
// take their time: while it takes some, it is not silent. One that takes no more is.
func checkSlowRequest(t *testing.T, h HTTP) {
	t.Helper()
	const piece, pause, idle = 64 << 10, 10 * time.Second, 60 * time.Second
	question := append(Question(), providers.Message{Role: providers.RoleUser, Content: strings.Repeat("long ", 200_000)})
	for _, stops := range []bool{false, true} {
		var left chan struct{} // by the client, which only a server notices that reads
		onFakeTime(t, h, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for n := int64(piece); n == piece; {
				n, _ = io.CopyN(io.Discard, r.Body, piece)
				next := time.After(pause)
				if stops {
					next = nil
				}
				select {
				case <-next:
				case <-left:
					return
				}
			}
			begin(w, true)
			write(w, strings.Join(h.Answer(full(), true), ""))
		}), func(t *testing.T, p providers.LLMProvider) {
			t.Helper()
			left = make(chan struct{})
			start := time.Now()
			resp, _, err := ask(t, t.Context(), p, true, question)
			took := time.Since(start)
			close(left)
			<-time.After(time.Second) // which the server takes to end the connection
			switch {
			case !stops && (err != nil || !whole(resp)):
				t.Errorf("%+v, %v; want the answer", resp, err)
			case stops && (typed(t, resp, err).Kind != providers.KindTimeout || took > idle+time.Second):
				t.Errorf("%v after %v, want a timeout after %v", err, took, idle)
			}
		})
	}
}

// checkLongRefusals has servers that say no and do not end their words: the status
// counts, with its wait, so that the next model is asked soon.
func checkLongRefusals(t *testing.T, h HTTP) {
	t.Helper()
	for _, stream := range []bool{true, false} {
		for status, kind := range map[int]providers.ErrorKind{
			http.StatusTooManyRequests: providers.KindRateLimited, http.StatusServiceUnavailable: providers.KindOverloaded,
			http.StatusUnauthorized: providers.KindAuth,
		} {
			t.Run(fmt.Sprint(status, " ", stream), func(t *testing.T) {
				onFakeTime(t, h, taken(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Retry-After", "7")
					w.WriteHeader(status)
					write(w, h.Refusal("no"))
					<-r.Context().Done()
				}), func(t *testing.T, p providers.LLMProvider) {
					t.Helper()
					start := time.Now()
					resp, _, err := ask(t, t.Context(), p, stream, Question())
					if f := typed(t, resp, err); f.Kind != kind || f.Status != status || f.RetryAfter != 7*time.Second {
						t.Errorf("%+v, want %s after 7s", f, kind)
					}
					if took := time.Since(start); took > 10*time.Second {
						t.Errorf("it took %v", took)
					}
				})
			})
		}
	}
}

package admin

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// pipes is a listener whose connections are in memory, so that their deadlines keep to
// the time of the test.
type pipes struct {
	dialed chan net.Conn
	open   atomic.Int32
	closed chan struct{}
}

// pipe is the server's end of a connection.
type pipe struct {
	net.Conn

	over func()
}

func (p *pipe) Close() error {
	p.over()
	return p.Conn.Close()
}

func newPipes() *pipes {
	return &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.dialed <- there
	return here, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialed:
		p.open.Add(1)
		return &pipe{conn, sync.OnceFunc(func() { p.open.Add(-1) })}, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (*pipes) Addr() net.Addr { return &net.UnixAddr{} }

// serving runs a server over pipes until stop.
func serving(t *testing.T, do func(context.Context) error) (p *pipes, stop func()) {
	t.Helper()
	p = newPipes()
	s := &Server{
		listener: p, busy: make(chan struct{}, maxOperations),
		release: func() {}, redact: func(s string) string { return s }, log: zerolog.Nop(),
		do: func(ctx context.Context, _ string, _ *Request, emit Emit) error {
			if err := do(ctx); err != nil {
				return err
			}
			return emit(StoreReport{"done"})
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Serve(ctx)
	}()
	return p, func() {
		cancel()
		<-ended
	}
}

// TestAnOperationTakesItsTime: the time for reading a request is over with the request; the
// operation may take longer.
func TestAnOperationTakesItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, stop := serving(t, func(ctx context.Context) error {
			select {
			case <-time.After(100 * requestTime):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		defer stop()
		client := &http.Client{Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true}}
		resp, err := client.Post("http://gateway"+operationsPath, "application/json", strings.NewReader(`{"protocol":3,"op":"long"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if want := `{"value":{"text":"done"}}` + "\n" + `{"done":true}` + "\n"; err != nil || string(answer) != want {
			t.Errorf("answered %s, %v", answer, err)
		}
	})
}

// TestARequestHasATime: a request that does not end gives its connection back.
func TestARequestHasATime(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"no header": "POST " + operationsPath + " HTTP/1.1\r\nHost: gateway\r\n",
		"no body":   "POST " + operationsPath + " HTTP/1.1\r\nHost: gateway\r\nContent-Length: 30\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, stop := serving(t, func(context.Context) error {
					t.Error("an operation begins")
					return nil
				})
				defer stop()
				begun := time.Now()
				conn, _ := p.dial(t.Context(), "", "")
				defer conn.Close()
				if _, err := io.WriteString(conn, request); err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, conn)
				if took := time.Since(begun); took != requestTime {
					t.Errorf("the connection ended after %v", took)
				}
				synctest.Wait()
				if p.open.Load() > 0 {
					t.Error("the connection is kept")
				}
			})
		})
	}
}

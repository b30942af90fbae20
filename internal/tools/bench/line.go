package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// line is a connection on which a program asks one question after the other. The goroutine that asks
// writes and reads by itself: [http.Client] hands each request to two goroutines of its connection, which
// costs a third of what the gateway does for it, on the processors that both share.
type line struct {
	conn net.Conn
	r    *bufio.Reader
}

// ask writes a request and reads the head of its answer. The body is read before the next one is asked.
func (l *line) ask(req *http.Request) (*http.Response, error) {
	if err := req.Write(l.conn); err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	resp, err := http.ReadResponse(l.r, req)
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	return resp, nil
}

// lines are those that nobody asks on. The zero value has none.
type lines struct {
	mu   sync.Mutex
	idle []*line
}

// take takes a line, which is made if there is none, and lasts until ctx ends.
func (ls *lines) take(ctx context.Context, host string) (*line, error) {
	ls.mu.Lock()
	if n := len(ls.idle); n > 0 {
		l := ls.idle[n-1]
		ls.idle = ls.idle[:n-1]
		ls.mu.Unlock()
		return l, nil
	}
	ls.mu.Unlock()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // what is asked on it fails
	return &line{conn, bufio.NewReader(conn)}, nil
}

func (ls *lines) give(l *line) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.idle = append(ls.idle, l)
}

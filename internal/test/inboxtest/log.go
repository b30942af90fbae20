package inboxtest

import (
	"bytes"
	"sync"
	"testing"

	"parley/internal/test/fakehttp"
)

// Log is a log that many may write to and wait for. The zero value is ready.
type Log struct {
	changed fakehttp.Changes
	mu      sync.Mutex
	b       bytes.Buffer
}

// Write implements [io.Writer].
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed.Wake()
	return l.b.Write(p)
}

// Until waits for something that comes with a line of the log.
func (l *Log) Until(tb testing.TB, what string, cond func() bool) {
	tb.Helper()
	if err := l.changed.Until(Limited(tb), cond); err != nil {
		tb.Fatalf("%s: not seen: %s", what, l)
	}
}

// String is the log so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

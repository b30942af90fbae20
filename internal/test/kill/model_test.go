package kill_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/test/rig"
	"parley/pkg/providers"
)

// model is the model server of one world.
type model struct {
	*rig.Model
	url string
	// gate, when set, holds every request until it is closed; arrivals are told before.
	gate     atomic.Pointer[chan struct{}]
	arrivals chan struct{}
	// instead, when set, answers in the place of the model.
	instead http.Handler

	mu       sync.Mutex
	requests [][]providers.Message
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{Model: rig.NewModel(0), arrivals: make(chan struct{}, 1000)}
	m.Watch = func(messages []providers.Message) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.requests = append(m.requests, messages)
	}
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	m.url = srv.URL + "/v1"
	return m
}

// ServeHTTP holds back the model's answers.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case m.arrivals <- struct{}{}:
	default: // no test counts that far
	}
	if gate := m.gate.Load(); gate != nil {
		select {
		case <-*gate:
		case <-r.Context().Done():
			return
		}
	}
	if m.instead != nil {
		m.instead.ServeHTTP(w, r)
		return
	}
	m.Model.ServeHTTP(w, r)
}

// hold keeps every request waiting until the returned function is called.
func (m *model) hold() (release func()) {
	gate := make(chan struct{})
	m.gate.Store(&gate)
	return func() { close(gate) }
}

// asked is every request until now.
func (m *model) asked() [][]providers.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([][]providers.Message(nil), m.requests...)
}

package rig

import (
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

// headerRequest carries a request's number from the handler to the script.
const headerRequest = "X-Rig-Request"

// Model serves a [Brain] with the strict model server, and counts the time that
// passes within it for each ask.
type Model struct {
	Brain *Brain
	// Watch, when set before the first request, is told of each. Many may come at once.
	Watch func(messages []providers.Message)
	// Pieces, when set before the first request, passes after each frame of an answer.
	Pieces time.Duration

	fake  *fakemodel.Server
	serve http.Handler
	delay atomic.Int64
	count atomic.Int64
	words *regexp.Regexp // in a frame that has some of the answer

	mu    sync.Mutex
	asks  map[string][]string // nonces, by request
	spent map[string]time.Duration
	first map[string]time.Time
}

// NewModel returns a model that takes delay for each answer. It is an [http.Handler].
func NewModel(delay time.Duration) *Model {
	m := &Model{
		Brain: NewBrain(), words: regexp.MustCompile(`"content":"[^"]`),
		asks: map[string][]string{}, spent: map[string]time.Duration{}, first: map[string]time.Time{},
	}
	m.fake = fakemodel.NewHandler(fakemodel.Options{Script: m.answer, Keep: -1})
	m.serve = m.fake.Handler()
	m.Delay(delay)
	return m
}

// Delay is how long each answer takes from now on.
func (m *Model) Delay(d time.Duration) { m.delay.Store(int64(d)) }

// Violations are requests that broke the API's rules.
func (m *Model) Violations() []string { return m.fake.Violations() }

// Spent is the time that passed within the model for each ask, by nonce.
func (m *Model) Spent() map[string]time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.spent)
}

// First is when the first piece of the newest answer to each ask was written, by nonce.
func (m *Model) First() map[string]time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.first)
}

// timed notes when the first words of an answer are written.
type timed struct {
	http.ResponseWriter

	words *regexp.Regexp
	first time.Time
}

// Unwrap lets [http.ResponseController] find the writer below.
func (t *timed) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Write implements [http.ResponseWriter].
func (t *timed) Write(p []byte) (int, error) {
	if t.first.IsZero() && t.words.Match(p) {
		t.first = time.Now()
	}
	return t.ResponseWriter.Write(p)
}

// ServeHTTP books the whole time of a request on the asks that it is about.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	id := strconv.FormatInt(m.count.Add(1), 10)
	r.Header.Set(headerRequest, id)
	out := &timed{ResponseWriter: w, words: m.words}
	m.serve.ServeHTTP(out, r)
	took := time.Since(started)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, nonce := range m.asks[id] {
		m.spent[nonce] += took
		m.first[nonce] = out.first
	}
	delete(m.asks, id)
}

func (m *Model) answer(req fakemodel.Request) fakemodel.Answer {
	if m.Watch != nil {
		m.Watch(req.Messages)
	}
	resp, asks := m.Brain.Decide(req.Messages)
	m.mu.Lock()
	m.asks[req.Header.Get(headerRequest)] = asks
	m.mu.Unlock()
	return fakemodel.Answer{LLMResponse: *resp, Fault: fakemodel.Fault{Latency: time.Duration(m.delay.Load()), Gap: m.Pieces}}
}

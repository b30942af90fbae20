package providers

import (
	"sync"
	"time"
)

const (
	// How many failures in a row have a model asked last, for how long at first, and at
	// most: it doubles with each probe that fails.
	failuresInRow   = 3
	firstRest       = 30 * time.Second
	longestRest     = 5 * time.Minute
	unknownRest     = 5 * time.Minute
	restOfKey       = 5 * time.Minute
	restOfRate      = 10 * time.Second
	longestRateRest = time.Hour
	// How many turns are remembered.
	maxTurns = 4096
)

// sharedModel is one target with its health.
type sharedModel struct {
	*Health

	target Target
}

func (m *sharedModel) provider(key int) LLMProvider {
	if key == 0 {
		return m.target.Provider
	}
	return m.target.Spares[key-1]
}

// Health is the experience that all requests share of one model and its keys. It is a
// circuit breaker: after several failures in a row the model rests, and then one request
// probes it. Its zero value is a model that is well; it is safe for use by many
// goroutines at once.
type Health struct {
	mu       sync.Mutex
	keys     map[int]time.Time // while a key rests
	failures int
	rest     time.Duration // of the next pause; 0 before the first
	until    time.Time     // while it rests
	probed   bool          // a request probes it now
}

// serves says whether the model is well, or wants a probe.
func (m *Health) serves(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.until.IsZero() || !m.probed && !now.Before(m.until)
}

// rests says whether a key of the model rests.
func (m *Health) rests(key int, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return now.Before(m.keys[key])
}

// restLeft is how long a key, or the whole model, rests from now on.
func (m *Health) restLeft(key int, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(0, m.keys[key].Sub(now), m.until.Sub(now))
}

// begin notes an attempt, and says whether it is the probe of a model that rested. Well is
// false where the model rests, or another request probes it.
func (m *Health) begin(now time.Time) (probe, well bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	probe = !m.until.IsZero() && !m.probed && !now.Before(m.until)
	m.probed = m.probed || probe
	return probe, probe || m.until.IsZero()
}

// answered closes the circuit.
func (m *Health) answered(key int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures, m.rest, m.until = 0, 0, time.Time{}
	delete(m.keys, key)
}

// released ends a probe, however it went.
func (m *Health) released() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.probed = false
}

// failed takes note of a failure. A refusal that concerns the request alone leaves no trace.
func (m *Health) failed(key int, failure *Error, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch failure.Kind {
	case KindAuth, KindQuota:
		m.restKey(key, now.Add(max(restOfKey, min(failure.RetryAfter, longestRateRest))))
	case KindRateLimited:
		rest := restOfRate
		if failure.RetryAfter > 0 {
			rest = min(failure.RetryAfter, longestRateRest)
		}
		m.restKey(key, now.Add(rest))
	case KindNotFound:
		m.until = now.Add(unknownRest)
	case KindTimeout:
		m.failures = failuresInRow // the next one would wait as long
		m.pause(now)
	case KindOverloaded, KindUnreachable, KindCut:
		m.failures++
		m.pause(now)
	case KindTooLong, KindInvalid, KindFiltered, KindUnusable, KindRecited:
	}
}

func (m *Health) restKey(key int, until time.Time) {
	if m.keys == nil {
		m.keys = make(map[int]time.Time)
	}
	m.keys[key] = until
}

// pause has a model rest that failed too often.
func (m *Health) pause(now time.Time) {
	if m.failures < failuresInRow || now.Before(m.until) {
		return
	}
	m.rest = min(max(firstRest, 2*m.rest), longestRest)
	m.until = now.Add(m.rest)
}

// turnMemory knows which model answered a turn last. Its zero value is empty.
type turnMemory struct {
	mu     sync.Mutex
	models map[string]int
	order  []string // the oldest first
}

// model gives the model of a turn, or 0, the first.
func (t *turnMemory) model(turn string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.models[turn]
}

// keep remembers the model of a turn; turns of the first model need no memory until
// they leave it.
func (t *turnMemory) keep(turn string, model int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, known := t.models[turn]
	switch {
	case turn == "", model == 0 && !known:
		return
	case known:
		t.models[turn] = model
		return
	case t.models == nil:
		t.models = make(map[string]int)
	case len(t.order) >= maxTurns:
		delete(t.models, t.order[0])
		t.order = append(t.order[:0], t.order[1:]...)
	}
	t.models[turn] = model
	t.order = append(t.order, turn)
}

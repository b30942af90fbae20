package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
)

// wire is the ledger of a platform that is measured over its own wire: the whole
// way, from the update that waits to the message that is sent.
type wire struct {
	// questions finds the nonces in updates that are handed over, answers in sent
	// messages.
	questions, answers *regexp.Regexp

	// The servers call handed and sent with their own lock held, so no code calls a
	// server with mu held.
	mu    sync.Mutex
	asks  map[string]*wireAsk
	wrong []string
}

// wireAsk is a question and when it was answered.
type wireAsk struct {
	nonce, chat      string
	handed, answered time.Time
	done             chan struct{}
}

func newWire() *wire {
	return &wire{
		questions: regexp.MustCompile(`nq([0-9a-f]{12})`), answers: regexp.MustCompile(`rq([0-9a-f]{12})`),
		asks: map[string]*wireAsk{},
	}
}

// handed notes when a question is handed over for the first time: a waiting one is the
// platform's.
func (w *wire) handed(update json.RawMessage) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := w.questions.FindSubmatch(update); m != nil {
		if a := w.asks[string(m[1])]; a != nil && a.handed.IsZero() {
			a.handed = now
		}
	}
}

// sent books the answers in a text that arrives for a chat.
func (w *wire) sent(chat, text string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.answers.FindAllStringSubmatch(text, -1) {
		w.answer(chat, m[1], now)
	}
}

// answer is called with the lock held.
func (w *wire) answer(chat, nonce string, now time.Time) {
	a := w.asks[nonce]
	switch {
	case a == nil:
		w.wrong = append(w.wrong, "an answer to nothing: "+nonce)
	case a.chat != chat:
		w.wrong = append(w.wrong, "an answer in another chat: "+nonce)
	case !a.answered.IsZero():
		w.wrong = append(w.wrong, "answered twice: "+nonce)
	default:
		a.answered = now
		close(a.done)
	}
}

// fails books a question that cannot be asked, or whose answer cannot be read.
func (w *wire) fails(nonce string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.wrong) < maxFailures {
		w.wrong = append(w.wrong, nonce+": "+err.Error())
	}
	if a := w.asks[nonce]; a.answered.IsZero() {
		a.answered = time.Now()
		close(a.done)
	}
}

// maxFailures is how many failures are told in full.
const maxFailures = 5

// clean names the fault of the ledger, violations of the platform's rules included.
func (w *wire) clean(violations []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	wrong := slices.Concat(violations, w.wrong)
	last := map[string]time.Time{}
	for n := 1; n <= len(w.asks); n++ {
		a := w.asks[wireNonce(n)]
		if a.answered.IsZero() {
			wrong = append(wrong, "not answered: "+a.nonce)
			continue
		}
		if a.answered.Before(last[a.chat]) {
			wrong = append(wrong, "out of order: "+a.nonce)
		}
		last[a.chat] = a.answered
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %q", errLedger, wrong)
	}
	return nil
}

// wireNonce is the nonce of the n-th question, from 1 on: 12 digits, no two alike.
func wireNonce(n int) string { return fmt.Sprintf("%012x", n) }

// question makes one for a chat, and the text that asks it; it has not been said yet.
func (w *wire) question(chat, text string) (a *ask, says string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := &wireAsk{nonce: wireNonce(len(w.asks) + 1), chat: chat, done: make(chan struct{})}
	w.asks[q.nonce] = q
	return &ask{nonce: q.nonce, handed: &q.handed, answered: &q.answered, done: q.done}, text + " nq" + q.nonce
}

// crowd are the chats that are asked in, made as they are needed.
type crowd[C any] struct {
	mu   sync.Mutex
	all  map[int]C
	make func(name string) C
}

// chat is the n-th of them.
func (c *crowd[C]) chat(n int) C {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.all[n]; !known {
		c.all[n] = c.make(fmt.Sprint("Person", n))
	}
	return c.all[n]
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"parley/internal/faketelegram"
	"parley/internal/rig"
	"parley/pkg/channels"
)

// wire is a Telegram server as the platform: what is measured on it is the whole
// way, from the update that waits to the message that is sent.
type wire struct {
	tg     *faketelegram.Server
	polled func()
	// questions finds the nonces in what is handed over, answers in what is sent.
	questions, answers *regexp.Regexp

	// crowd guards people. The server calls watch and handed with its own lock held,
	// so that nothing calls the server with mu held.
	crowd  sync.Mutex
	people map[int]*faketelegram.Chat

	mu    sync.Mutex
	asks  map[string]*wireAsk
	wrong []string
}

// wireAsk is a question and when it was answered.
type wireAsk struct {
	nonce            string
	chat             int64
	handed, answered time.Time
	done             chan struct{}
}

func connectTelegram(ctx context.Context, s *stage) (c rig.Config, env []string, err error) {
	w := &wire{
		polled: s.polled, questions: regexp.MustCompile(`nq([0-9a-f]{12})`), answers: regexp.MustCompile(`rq([0-9a-f]{12})`),
		people: map[int]*faketelegram.Chat{}, asks: map[string]*wireAsk{},
	}
	if w.tg, err = faketelegram.Start(ctx, faketelegram.Options{Handed: w.handed}); err != nil {
		return c, nil, err
	}
	w.tg.Harm(faketelegram.Rule{If: w.watch})
	s.platform = w
	s.bot = channels.Address{Channel: "telegram", Account: strconv.FormatInt(w.tg.Bot().ID(), 10)}
	c.Telegram = &rig.Telegram{APIURL: w.tg.URL(), Token: w.tg.Token()}
	return c, nil, nil
}

func (w *wire) close() {
	_ = w.tg.Close() // nothing of it is needed any more
}

func (w *wire) until(ctx context.Context, cond func() bool) error { return w.tg.Until(ctx, cond) }

// watch sees every request as it comes and harms none.
func (w *wire) watch(req faketelegram.Request) bool {
	now := time.Now()
	switch req.Method {
	case "getUpdates":
		w.polled()
	case "sendMessage":
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, m := range w.answers.FindAllStringSubmatch(req.Params["text"], -1) {
			w.answer(req.Chat, m[1], now)
		}
	}
	return false
}

// handed notes when a question is handed over: an update that waits for a poll
// is the platform's.
func (w *wire) handed(update json.RawMessage) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := w.questions.FindSubmatch(update); m != nil {
		if a := w.asks[string(m[1])]; a != nil {
			a.handed = now
		}
	}
}

// answer is called with the lock held.
func (w *wire) answer(chat int64, nonce string, now time.Time) {
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

func (w *wire) settled() error {
	wrong := w.tg.Violations()
	w.mu.Lock()
	defer w.mu.Unlock()
	wrong = append(wrong, w.wrong...)
	last := map[int64]time.Time{}
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

func (w *wire) ask(text string, chats ...int) []*ask {
	asks := make([]*ask, len(chats))
	for i, c := range chats {
		chat := w.chat(c)
		a := w.question(chat.ID())
		asks[i] = &ask{nonce: a.nonce, handed: &a.handed, answered: &a.answered, done: a.done}
		chat.Say(text + " nq" + a.nonce)
	}
	return asks
}

// question makes one for a chat; it has not been said yet.
func (w *wire) question(chat int64) *wireAsk {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := &wireAsk{nonce: wireNonce(len(w.asks) + 1), chat: chat, done: make(chan struct{})}
	w.asks[a.nonce] = a
	return a
}

// chat is the n-th chat that is asked in.
func (w *wire) chat(n int) *faketelegram.Chat {
	w.crowd.Lock()
	defer w.crowd.Unlock()
	if w.people[n] == nil {
		w.people[n] = w.person("Person" + strconv.Itoa(n))
	}
	return w.people[n]
}

func (w *wire) person(name string) *faketelegram.Chat { return w.tg.Private(w.tg.User(name)) }

// disturb harms everything that is done in the two chats, not only messages.
func (w *wire) disturb() (over func() error) {
	hanging, limited := w.person("Hanging"), w.person("Limited")
	w.tg.Harm(faketelegram.Rule{Chat: hanging.ID(), Fault: faketelegram.Fault{HalfOpen: true}})
	w.tg.Harm(faketelegram.Rule{Chat: limited.ID(), Fault: faketelegram.TooManyRequests(1)})
	for range fairEach {
		hanging.Say(unheard)
		limited.Say(unheard)
	}
	return func() error {
		var hung, refused int64
		requests := w.tg.Requests("sendMessage")
		for i := range requests {
			switch r := &requests[i]; {
			case r.Chat == hanging.ID() && r.Status == 0:
				hung++
			case r.Chat == limited.ID() && r.Status == http.StatusTooManyRequests:
				refused++
			}
		}
		return disturbed(hung, refused, len(hanging.Messages())+len(limited.Messages()))
	}
}

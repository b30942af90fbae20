package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"

	"parley/internal/bench/report"
	"parley/internal/faketelegram"
	"parley/internal/rig"
)

// wire is a stage whose platform is a Telegram server: what is measured on it is
// the whole way, from the update that waits to the message that is sent.
type wire struct {
	*stage

	tg *faketelegram.Server
	// answers finds the nonces in what is sent.
	answers *regexp.Regexp

	mu    sync.Mutex
	asks  map[string]*wireAsk
	wrong []string
}

// wireAsk is a question and when it was answered.
type wireAsk struct {
	nonce            string
	chat             *faketelegram.Chat
	handed, answered time.Time
	done             chan struct{}
}

// openTelegram prepares a stage on a fresh state; the gateway does not run yet.
func (b *bench) openTelegram(ctx context.Context) (*wire, error) {
	dir, err := b.folder()
	if err != nil {
		return nil, err
	}
	w := &wire{stage: &stage{dir: dir}, answers: regexp.MustCompile(`rq([0-9a-f]{12})`), asks: map[string]*wireAsk{}}
	if w.tg, err = faketelegram.Start(ctx, faketelegram.Options{}); err != nil {
		return nil, fmt.Errorf("platform: %w", err)
	}
	w.until = w.tg.Until
	w.tg.Harm(faketelegram.Rule{If: w.watch})
	if w.model, err = startModel(ctx, b.self, 0); err != nil {
		w.close()
		return nil, err
	}
	w.gw, err = rig.NewGateway(b.gateway, dir, rig.Config{
		ModelURL: w.model.url + "/v1", Telegram: &rig.Telegram{APIURL: w.tg.URL(), Token: w.tg.Token()},
	})
	if err != nil {
		w.close()
		return nil, fmt.Errorf("gateway: %w", err)
	}
	return w, nil
}

func (w *wire) close() {
	w.stage.close()
	_ = w.tg.Close() // nothing of it is needed any more
}

// onTelegram runs f on a gateway that polls, and checks its ledger afterwards.
func (b *bench) onTelegram(ctx context.Context, f func(ctx context.Context, w *wire) error) error {
	w, err := b.openTelegram(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	return w.under(ctx, func(ctx context.Context) error { return f(ctx, w) }, w.settled)
}

// watch sees every request as it comes and harms none.
func (w *wire) watch(req faketelegram.Request) bool {
	now := time.Now()
	switch req.Method {
	case "getUpdates":
		w.firstPoll.CompareAndSwap(nil, &now)
	case "sendMessage":
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, m := range w.answers.FindAllStringSubmatch(req.Params["text"], -1) {
			w.answer(req.Chat, m[1], now)
		}
	}
	return false
}

// answer is called with the lock held.
func (w *wire) answer(chat int64, nonce string, now time.Time) {
	a := w.asks[nonce]
	switch {
	case a == nil:
		w.wrong = append(w.wrong, "an answer to nothing: "+nonce)
	case a.chat.ID() != chat:
		w.wrong = append(w.wrong, "an answer in another chat: "+nonce)
	case !a.answered.IsZero():
		w.wrong = append(w.wrong, "answered twice: "+nonce)
	default:
		a.answered = now
		close(a.done)
	}
}

// settled says what is wrong with the ledger, if anything is.
func (w *wire) settled() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	wrong := w.wrong
	last := map[int64]time.Time{}
	for n := 1; n <= len(w.asks); n++ {
		a := w.asks[wireNonce(n)]
		if a.answered.IsZero() {
			wrong = append(wrong, "not answered: "+a.nonce)
			continue
		}
		if a.answered.Before(last[a.chat.ID()]) {
			wrong = append(wrong, "out of order: "+a.nonce)
		}
		last[a.chat.ID()] = a.answered
	}
	wrong = append(wrong, w.tg.Violations()...)
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %q", errLedger, wrong)
	}
	return nil
}

// wireNonce is the nonce of the n-th question, from 1 on: 12 digits, no two alike.
func wireNonce(n int) string { return fmt.Sprintf("%012x", n) }

// ask makes a question and the text that puts it.
func (w *wire) ask(chat *faketelegram.Chat, text string) (*wireAsk, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := &wireAsk{nonce: wireNonce(len(w.asks) + 1), chat: chat, handed: time.Now(), done: make(chan struct{})}
	w.asks[a.nonce] = a
	return a, text + " nq" + a.nonce
}

func (a *wireAsk) wait(ctx context.Context) error {
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("question %s has no answer: %w", a.nonce, ctx.Err())
	}
}

// overheads asks n times in one chat, as [stage.paced] does, and gives the times
// that were not the model's, in milliseconds.
func (w *wire) overheads(ctx context.Context, text string, n int) ([]float64, error) {
	chat := w.tg.Private(w.tg.User("Ann"))
	pace := time.NewTicker(gap)
	defer pace.Stop()
	var asks []*wireAsk
	for range warm + n {
		a, text := w.ask(chat, text)
		chat.Say(text)
		if err := a.wait(ctx); err != nil {
			return nil, err
		}
		asks = append(asks, a)
		select {
		case <-pace.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	st, err := w.model.stats(ctx)
	if err != nil {
		return nil, err
	}
	var over []float64
	for _, a := range asks[warm:] {
		over = append(over, ms(a.answered.Sub(a.handed)-time.Duration(st.Spent[a.nonce])))
	}
	return over, nil
}

func telegramLatency(ctx context.Context, b *bench) ([]report.Figure, error) {
	const n = 60
	var figures []report.Figure
	err := b.onTelegram(ctx, func(ctx context.Context, w *wire) error {
		over, err := w.overheads(ctx, "hello", n)
		figures = []report.Figure{
			report.AtMost("Telegram: own overhead p50, no tool", report.Percentile(over, 50), 2.5, "ms"),
			report.AtMost("Telegram: own overhead p99, no tool", report.Percentile(over, 99), 10, "ms"),
		}
		return err
	})
	return figures, err
}

func telegramLatencyTool(ctx context.Context, b *bench) ([]report.Figure, error) {
	const n = 40
	var figures []report.Figure
	err := b.onTelegram(ctx, func(ctx context.Context, w *wire) error {
		over, err := w.overheads(ctx, toolText(), n)
		figures = []report.Figure{report.AtMost("Telegram: own overhead p50, one read-only call", report.Percentile(over, 50), 4, "ms")}
		return err
	})
	return figures, err
}

// telegramBurst has all chats ask as fast as they can.
func telegramBurst(ctx context.Context, b *bench) ([]report.Figure, error) {
	const chats, each = 200, 10
	var figures []report.Figure
	err := b.onTelegram(ctx, func(ctx context.Context, w *wire) error {
		var people []*faketelegram.Chat
		for i := range chats {
			people = append(people, w.tg.Private(w.tg.User("Person"+strconv.Itoa(i))))
		}
		var asks []*wireAsk
		started := time.Now()
		for range each { // in turns, as people write
			for _, chat := range people {
				a, text := w.ask(chat, "hello")
				chat.Say(text)
				asks = append(asks, a)
			}
		}
		var took time.Duration
		for _, a := range asks {
			if err := a.wait(ctx); err != nil {
				return err
			}
			took = max(took, a.answered.Sub(started))
		}
		end, err := w.process.Sample()
		figures = []report.Figure{
			report.AtMost("Telegram: burst 200×10", took.Seconds(), 1, "s"),
			report.Told("Telegram: peak memory, burst 200×10", mib(end.Peak), "MB"),
		}
		return err
	})
	return figures, err
}

// telegramStart is startup with Telegram alone.
func telegramStart(ctx context.Context, b *bench) (figures []report.Figure, err error) {
	w, err := b.openTelegram(ctx)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := b.copyFilled(ctx, w.gw.StorePath(), startChats); err != nil {
		return nil, err
	}
	afterTerm, afterKill, err := w.restarts(ctx)
	return []report.Figure{
		report.AtMost("Telegram: start to first poll, after SIGTERM", ms(afterTerm), 20, "ms"),
		report.AtMost("Telegram: start to first poll, after SIGKILL", ms(afterKill), 20, "ms"),
	}, err
}

// telegramIdle is idle with Telegram alone, polling.
func telegramIdle(ctx context.Context, b *bench) ([]report.Figure, error) {
	w, err := b.openTelegram(ctx)
	if err != nil {
		return nil, err
	}
	defer w.close()
	sample, err := w.idleSample(ctx)
	if err == nil && !w.tg.Bot().Polling() {
		err = errors.New("the gateway does not poll")
	}
	return []report.Figure{
		report.AtMost("Telegram alone: idle memory, 10 s after ready", mib(sample.RSS), 18, "MB"),
		report.Told("of it anonymous, Telegram alone", mib(sample.Anon), "MB"),
	}, err
}

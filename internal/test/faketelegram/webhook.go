package faketelegram

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of webhook deliveries; the time one may take is the Bot API's.
const (
	webhookTimeout  = 60 * time.Second
	webhookMaxPause = time.Minute
	webhookMaxAfter = time.Hour // how long a Retry-After is honoured
	webhookAtOnce   = 40
	maxSecret       = 256
	secretChars     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
)

// webhook is where a bot's updates go instead of getUpdates. The server's mutex guards it.
type webhook struct {
	url, secret string
	atOnce      int
	stop        chan struct{}
	errorTime   time.Time
	errorWords  string
}

func (c *call) setWebhook() (any, error) {
	target, secret := c.param("url"), c.param("secret_token")
	if target == "" {
		return c.deleteWebhook()
	}
	switch {
	case len(secret) > maxSecret:
		return nil, bad(wordSecretLong)
	case strings.Trim(secret, secretChars) != "":
		return nil, bad(wordSecretChars)
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Hostname() != "127.0.0.1") {
		return nil, bad(wordWebhookHTTPS)
	}
	b := c.bot
	if list, ok := c.allowedUpdates(); ok {
		b.allowed = list
	}
	c.drop()
	b.hook.end()
	b.endPoll(wordConflictHooked)
	b.hook = webhook{url: target, secret: secret, atOnce: webhookAtOnce, stop: make(chan struct{})}
	if n := int(c.req.Int("max_connections")); n > 0 {
		b.hook.atOnce = n
	}
	for _, q := range b.queue {
		q.busy, q.fails, q.due = false, 0, time.Time{}
	}
	d := &delivery{bot: b, url: target, secret: secret, atOnce: b.hook.atOnce, stop: b.hook.stop}
	c.srv.spawn(d.run)
	return true, nil
}

// end stops the deliveries of a webhook. The lock is held.
func (h *webhook) end() {
	if h.stop != nil {
		close(h.stop)
	}
	*h = webhook{}
}

func (c *call) deleteWebhook() (any, error) {
	c.drop()
	c.bot.hook.end()
	return true, nil
}

func (c *call) drop() {
	if c.param("drop_pending_updates") == "true" {
		c.bot.queue = nil
	}
}

func (c *call) getWebhookInfo() (any, error) {
	h := &c.bot.hook
	info := map[string]any{
		"url": h.url, "has_custom_certificate": false, "pending_update_count": len(c.bot.queue),
	}
	if h.url != "" {
		info["max_connections"] = h.atOnce
	}
	if h.errorWords != "" {
		info["last_error_date"], info["last_error_message"] = h.errorTime.Unix(), h.errorWords
	}
	if len(c.bot.allowed) > 0 {
		info["allowed_updates"] = c.bot.allowed
	}
	return info, nil
}

// delivery takes a bot's updates to its webhook, in order within a chat.
type delivery struct {
	bot         *Bot
	url, secret string
	atOnce      int
	stop        chan struct{}
	inFlight    int // guarded by the server's mutex
}

func (d *delivery) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	transport := &http.Transport{MaxIdleConnsPerHost: d.atOnce}
	client := &http.Client{
		Transport: transport, Timeout: webhookTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var posts sync.WaitGroup
	defer transport.CloseIdleConnections()
	defer posts.Wait()
	defer cancel()
	for {
		q, wait, changed := d.next(time.Now())
		if q != nil {
			posts.Go(func() { d.settle(q, d.post(ctx, client, q)) })
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-changed:
		case <-timer.C:
		case <-d.stop:
			timer.Stop()
			return
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// next is the next update in turn, or the wait for one and the event that may come
// before.
func (d *delivery) next(now time.Time) (*queued, time.Duration, <-chan struct{}) {
	d.bot.srv.mu.Lock()
	defer d.bot.srv.mu.Unlock()
	wait := webhookMaxAfter
	blocked := map[int64]bool{}
	for _, q := range d.bot.queue {
		if d.inFlight >= d.atOnce {
			break
		}
		if blocked[q.Chat] {
			continue
		}
		if !q.busy && !now.Before(q.due) {
			q.busy = true
			q.handed++
			d.inFlight++
			return q, 0, nil
		}
		blocked[q.Chat] = true
		if !q.busy {
			wait = min(wait, q.due.Sub(now))
		}
	}
	return nil, wait, d.bot.srv.changed.Next()
}

// failure is why a delivery failed, and how long the webhook wants to be left alone.
type failure struct {
	words string
	after time.Duration
}

// post delivers one update; nil means that it was taken.
func (d *delivery) post(ctx context.Context, client *http.Client, q *queued) *failure {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(q.Raw))
	if err != nil {
		return &failure{words: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	if d.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", d.secret)
	}
	resp, err := client.Do(req)
	if err != nil {
		return &failure{words: "Connection failed: " + err.Error()}
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody)) // only the status counts
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return nil
	}
	after, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil {
		after = 0
	}
	return &failure{
		words: "Wrong response from the webhook: " + resp.Status,
		after: min(time.Duration(after)*time.Second, webhookMaxAfter),
	}
}

// settle books how a delivery went.
func (d *delivery) settle(q *queued, f *failure) {
	b := d.bot
	b.srv.mu.Lock()
	defer b.srv.mu.Unlock()
	defer b.srv.changed.Wake()
	d.inFlight--
	q.busy = false
	if f == nil {
		b.queue = slices.DeleteFunc(b.queue, func(other *queued) bool { return other == q })
		return
	}
	pause := min(b.srv.opt.WebhookRetry<<min(q.fails, 20), webhookMaxPause)
	q.fails++
	q.due = time.Now().Add(max(pause, f.after))
	if b.hook.stop == d.stop {
		b.hook.errorTime, b.hook.errorWords = time.Now(), f.words
	}
}

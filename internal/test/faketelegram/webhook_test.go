package faketelegram_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
)

// hook is a bot's own server.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	got    []string
	secret []string
	times  []time.Time
	answer func(n int, text string, h http.Header) int
}

func newHook(t *testing.T, answer func(n int, text string, h http.Header) int) *hook {
	t.Helper()
	h := &hook{answer: answer}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var u update
	if err := json.NewDecoder(r.Body).Decode(&u); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got = append(h.got, u.Message.Text)
	h.secret = append(h.secret, r.Header.Get("X-Telegram-Bot-Api-Secret-Token"))
	h.times = append(h.times, time.Now())
	w.WriteHeader(h.answer(len(h.got), u.Message.Text, w.Header()))
}

// set points the bot to h.
func (h *hook) set(w *world, secret string) {
	w.t.Helper()
	if r := w.call("setWebhook", map[string]string{"url": h.URL + "/x", "secret_token": secret}); !r.OK {
		w.t.Fatal(r.Description)
	}
}

// seen are the texts, secrets and times of the calls.
func (h *hook) seen() (texts, secrets []string, times []time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.got, h.secret, h.times
}

func fine(int, string, http.Header) int { return http.StatusOK }

func TestWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := newHook(t, fine)
	w.chat.SayAll("1", "2")
	h.set(w, "s-3_cret")
	w.chat.SayAll("3", "4")
	if err := w.srv.Bot().AwaitConfirmed(soon(t)); err != nil {
		t.Fatal(err)
	}
	got, secrets, _ := h.seen()
	if diff := cmp.Diff([]string{"1", "2", "3", "4"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if strings.Join(secrets, " ") != "s-3_cret s-3_cret s-3_cret s-3_cret" {
		t.Errorf("secrets %q", secrets)
	}
	r := w.call("getUpdates", nil)
	if r.Status != 409 ||
		r.Description != "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first" {
		t.Errorf("a poll beside the webhook: %+v", r)
	}
	if r := w.call("deleteWebhook", nil); !r.OK {
		t.Error(r.Description)
	}
	w.chat.Say("5")
	if got := w.poll(nil); len(got) != 1 || got[0].Message.Text != "5" {
		t.Errorf("after the webhook a poll gets %v", got)
	}
}

// TestWebhookTriesAgain says that a refused update comes again, holds up its
// own chat and no other.
func TestWebhookTriesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faketelegram.Options{WebhookRetry: time.Millisecond})
	failures := 0
	h := newHook(t, func(_ int, text string, _ http.Header) int {
		if text == "bad" && failures < 3 {
			failures++
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	h.set(w, "")
	w.chat.SayAll("bad", "after it")
	w.group.Say("elsewhere")
	if err := w.srv.Bot().AwaitConfirmed(soon(t)); err != nil {
		t.Fatal(err)
	}
	got, _, _ := h.seen()
	var chat []string
	for _, text := range got {
		if text != "elsewhere" {
			chat = append(chat, text)
		}
	}
	if diff := cmp.Diff([]string{"bad", "bad", "bad", "bad", "after it"}, chat); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	info := decode[struct {
		URL   string `json:"url"`
		Words string `json:"last_error_message"`
		Count int    `json:"pending_update_count"`
	}](t, w.call("getWebhookInfo", nil).Result)
	if info.URL != h.URL+"/x" || info.Count != 0 || info.Words != "Wrong response from the webhook: 503 Service Unavailable" {
		t.Errorf("info %+v", info)
	}
}

func TestWebhookRetryAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faketelegram.Options{WebhookRetry: time.Millisecond})
	h := newHook(t, func(n int, _ string, header http.Header) int {
		if n > 1 {
			return http.StatusOK
		}
		header.Set("Retry-After", strconv.Itoa(1))
		return http.StatusTooManyRequests
	})
	h.set(w, "")
	w.chat.Say("x")
	if err := w.srv.Bot().AwaitConfirmed(soon(t)); err != nil {
		t.Fatal(err)
	}
	_, _, times := h.seen()
	if wait := times[1].Sub(times[0]); wait < time.Second {
		t.Errorf("tried again after %v", wait)
	}
}

func TestSetWebhookRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := map[string]struct{ target, secret, want string }{
		"plain HTTP":       {"http://example.org/", "", "bad webhook: An HTTPS URL must be provided for webhook"},
		"secret with dots": {"https://example.org/", "a.b", "secret token contains unallowed characters"},
		"long secret":      {"https://example.org/", strings.Repeat("x", 257), "secret token is too long"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := w.call("setWebhook", map[string]string{"url": tc.target, "secret_token": tc.secret})
			if r.Status != 400 || r.Description != "Bad Request: "+tc.want {
				t.Errorf("%d %q, want %q", r.Status, r.Description, tc.want)
			}
		})
	}
}

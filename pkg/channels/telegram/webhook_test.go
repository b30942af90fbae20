package telegram_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakehttp"
	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

const hookSecret = "Hook-Secret_1"

// freeAddr is an address that was free a moment ago.
func freeAddr(t *testing.T) string {
	t.Helper()
	addr, err := fakehttp.FreeAddr(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// newHook runs a channel with a webhook and waits until it is set.
func newHook(t *testing.T, change func(*telegram.Options, *bench)) (b *bench, url string) {
	t.Helper()
	addr := freeAddr(t)
	url = "http://" + addr + "/hook/telegram"
	b = newBench(t, func(o *telegram.Options, b *bench) {
		o.Webhook = &telegram.Webhook{Listen: addr, PublicURL: url, Secret: func() string { return hookSecret }}
		if change != nil {
			change(o, b)
		}
	})
	b.until(t, "setWebhook", func() bool {
		all := b.srv.Requests("setWebhook")
		return len(all) > 0 && all[len(all)-1].Status == http.StatusOK
	})
	return b, url
}

func TestWebhookStoresThenAnswers(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	failures, confirmed := 0, 0
	b, _ := newHook(t, func(_ *telegram.Options, b *bench) {
		b.srv.Harm(faketelegram.Rule{Method: "setWebhook", Times: 1, Fault: faketelegram.TooManyRequests(1)})
		b.store.Before = func(context.Context, int, []channels.Inbound) error {
			mu.Lock()
			defer mu.Unlock()
			if failures++; failures > 2 {
				return nil
			}
			confirmed += 2 - len(b.bot.Unconfirmed())
			return inboxtest.ErrFull
		}
	})
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.SayAll("one", "two")
	if got := inboxtest.Texts(b.store.Await(t, 2)); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
	b.confirmed(t)
	mu.Lock()
	if confirmed != 0 {
		t.Error("an update was confirmed that the store had refused")
	}
	mu.Unlock()
	b.bot.Push("message", "garbage")
	club := b.srv.Supergroup("Club", b.srv.User("Ben"))
	club.Say("/new@parley_test_bot")
	items := b.store.Await(t, 3)
	if !items[2].Mentioned || items[2].Text != "/new" {
		t.Errorf("%+v", items[2])
	}
	b.confirmed(t) // the garbage too
	if n := b.srv.Count("getUpdates"); n != 0 {
		t.Errorf("%d polls beside the webhook", n)
	}
	b.stop()
	if b.srv.Count("deleteWebhook") != 0 {
		t.Error("the webhook was removed: what comes now would be lost to it")
	}
	b.keepsToken(t, b.bot.Token())
	if strings.Contains(b.log.String(), hookSecret) {
		t.Error("the secret is in the log")
	}
}

// TestARefusedWebhook: the log and the health report Telegram's refusal and the cure,
// and the webhook is tried again.
func TestARefusedWebhook(t *testing.T) {
	t.Parallel()
	const refusal, cure = "bad webhook: IP address 127.0.0.1 is reserved", "write as webhook.public_url an https address that Telegram reaches"
	b, _ := newHook(t, func(_ *telegram.Options, b *bench) {
		b.srv.Harm(faketelegram.Rule{Method: "setWebhook", Times: 1, Fault: faketelegram.Refusal(refusal)})
	})
	if log := b.log.String(); strings.Count(log, cure) != 1 ||
		!strings.Contains(log, refusal) || !strings.Contains(log, "the webhook is not set yet") {
		t.Errorf("the log says %s", log)
	}
	b.srv.Private(b.srv.User("Ada")).Say("one")
	if got := inboxtest.Texts(b.store.Await(t, 1)); !slices.Equal(got, []string{"one"}) {
		t.Errorf("%q", got)
	}
}

// noBody fails the test when it is read.
type noBody struct {
	read chan struct{}
	done chan struct{}
}

// Read implements [io.Reader].
func (n *noBody) Read(p []byte) (int, error) {
	select {
	case <-n.done:
		return 0, inboxtest.ErrFull
	case n.read <- struct{}{}:
		return copy(p, bytes.Repeat([]byte("x"), len(p))), nil
	}
}

func TestWebhookKnowsItsSecret(t *testing.T) {
	t.Parallel()
	b, url := newHook(t, nil)
	update := fmt.Sprintf(`{"update_id":7,"message":{"message_id":9,"date":1,%s,"text":"forged"}}`, private)
	for name, c := range map[string]struct {
		method, url string
		secrets     []string
		status      int
	}{
		"none":        {http.MethodPost, url, nil, http.StatusUnauthorized},
		"empty":       {http.MethodPost, url, []string{""}, http.StatusUnauthorized},
		"wrong":       {http.MethodPost, url, []string{"Hook-Secret_2"}, http.StatusUnauthorized},
		"longer":      {http.MethodPost, url, []string{hookSecret + "x"}, http.StatusUnauthorized},
		"two":         {http.MethodPost, url, []string{hookSecret, hookSecret}, http.StatusUnauthorized},
		"right, late": {http.MethodPost, url, []string{"x", hookSecret}, http.StatusUnauthorized},
		"get":         {http.MethodGet, url, []string{hookSecret}, http.StatusMethodNotAllowed},
		"other path":  {http.MethodPost, url + "/x", []string{hookSecret}, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status := post(t, c.method, c.url, c.secrets, strings.NewReader(update))
			if status != c.status {
				t.Errorf("status %d, want %d", status, c.status)
			}
		})
	}
	t.Run("an endless body is not waited for", func(t *testing.T) {
		t.Parallel()
		body := &noBody{read: make(chan struct{}), done: make(chan struct{})}
		defer close(body.done)
		if status := post(t, http.MethodPost, url, []string{"wrong"}, body); status != http.StatusUnauthorized {
			t.Errorf("status %d", status)
		}
	})
	t.Cleanup(func() {
		if items := b.store.All(); len(items) > 0 {
			t.Errorf("stored: %q", inboxtest.Texts(items))
		}
	})
}

func post(t *testing.T, method, url string, secrets []string, body interface{ Read([]byte) (int, error) }) int {
	t.Helper()
	req, err := http.NewRequestWithContext(inboxtest.Limited(t), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets {
		req.Header.Add("X-Telegram-Bot-Api-Secret-Token", s)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func TestWebhookSkipsWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	b, url := newHook(t, nil)
	if status := post(t, http.MethodPost, url, []string{hookSecret}, strings.NewReader(strings.Repeat(" ", 5<<20))); status != http.StatusOK {
		t.Errorf("status %d: it would come for ever", status)
	}
	update := fmt.Sprintf(`{"update_id":7,"message":{"message_id":9,"date":1,%s,"text":"next"}}`, private)
	if status := post(t, http.MethodPost, url, []string{hookSecret}, strings.NewReader(update)); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if diff := cmp.Diff([]string{"next"}, inboxtest.Texts(b.store.Await(t, 1))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestWebhookTellsMigrationAndPress covers the work beside storing.
func TestWebhookTellsMigrationAndPress(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	told := 0
	b, _ := newHook(t, func(o *telegram.Options, _ *bench) {
		o.Moved = func(context.Context, channels.Address, channels.Address) error {
			mu.Lock()
			defer mu.Unlock()
			if told++; told == 1 {
				return inboxtest.ErrFull
			}
			return nil
		}
	})
	club := b.srv.Group("Club", b.srv.User("Ada"))
	said := club.Say("before")
	club.PressData(said.MessageID, "yes")
	b.store.Await(t, 2)
	b.until(t, "the answer", func() bool { return len(b.srv.Callbacks()) == 1 })
	club.Migrate()
	b.confirmed(t)
	mu.Lock()
	defer mu.Unlock()
	if told < 3 {
		t.Errorf("told %d times, want once more than it failed, for each chat", told)
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	const token = "123456:a-very-secret-token"
	secret := func(s string) func() string { return func() string { return s } }
	for name, o := range map[string]telegram.Options{
		"no token":          {},
		"empty token":       {Token: secret("")},
		"a word":            {Token: secret("a-very-secret-token")},
		"no id":             {Token: secret(":a-very-secret-token")},
		"zero":              {Token: secret("0:a-very-secret-token")},
		"leading zero":      {Token: secret("0123:a-very-secret-token")},
		"negative":          {Token: secret("-5:a-very-secret-token")},
		"huge id":           {Token: secret("99999999999999999999:a-very-secret-token")},
		"line break":        {Token: secret(token + "\n")},
		"slash":             {Token: secret(token + "/../x")},
		"URL":               {Token: secret(token), APIURL: "ftp://a-very-secret-token@x"},
		"URL with password": {Token: secret(token), APIURL: "https://user:a-very-secret-token@x"},
		"proxy":             {Token: secret(token), Proxy: "gopher://user:a-very-secret-token@x"},
		"proxy, unreadable": {Token: secret(token), Proxy: "://a-very-secret-token"},
		"stream":            {Token: secret(token), Stream: "sometimes"},
		"hook, no secret":   {Token: secret(token), Webhook: &telegram.Webhook{Listen: ":1", PublicURL: "https://x/"}},
		"hook, empty":       {Token: secret(token), Webhook: &telegram.Webhook{Listen: ":1", PublicURL: "https://x/", Secret: secret("")}},
		"hook, bad secret": {
			Token:   secret(token),
			Webhook: &telegram.Webhook{Listen: ":1", PublicURL: "https://x/", Secret: secret("a-very-secret-token!")},
		},
		"hook, no address": {Token: secret(token), Webhook: &telegram.Webhook{PublicURL: "https://x/", Secret: secret("s")}},
		"hook, no URL":     {Token: secret(token), Webhook: &telegram.Webhook{Listen: ":1", PublicURL: "x", Secret: secret("s")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := telegram.New(o)
			if err == nil {
				t.Fatal("accepted")
			}
			if strings.Contains(err.Error(), "a-very-secret-token") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
	c, err := telegram.New(telegram.Options{Token: secret(token)})
	if err != nil || c.Account() != "123456" || c.Name() != "telegram" {
		t.Errorf("%v, %v", c, err)
	}
}

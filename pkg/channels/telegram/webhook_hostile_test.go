package telegram_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/test/inboxtest"
)

// dialled opens a connection to the webhook and writes text.
func dialled(t *testing.T, url, text string) net.Conn {
	t.Helper()
	u, err := neturl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := (&net.Dialer{}).DialContext(inboxtest.Limited(t), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// answered is the status that a connection gets; 0 means that it was closed without one.
func answered(conn net.Conn) int {
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// TestWebhookSecretElsewhere puts the secret wherever it is not looked for.
func TestWebhookSecretElsewhere(t *testing.T) {
	t.Parallel()
	b, url := newHook(t, nil)
	const name = "X-Telegram-Bot-Api-Secret-Token: "
	for _, head := range []string{
		"", name, name + "wrong", name + hookSecret + ", " + hookSecret, name + "\"" + hookSecret + "\"",
		name + strings.ToLower(hookSecret), name + strings.ToUpper(hookSecret),
		name + hookSecret[:len(hookSecret)-1], name + hookSecret + "\u200b", name + hookSecret + "%00",
		name + hookSecret + "\r\n" + name + hookSecret, name + hookSecret + "\r\n" + name + "wrong",
		name + "wrong\r\n" + name + hookSecret, "X_Telegram_Bot_Api_Secret_Token: " + hookSecret,
		"Authorization: Bearer " + hookSecret, "Cookie: secret_token=" + hookSecret,
		"X-Forwarded-For: 149.154.167.220", "X-Real-Ip: 127.0.0.1", name + strings.Repeat("x", 8<<10),
	} {
		for _, path := range []string{"/hook/telegram", "/hook/telegram?secret_token=" + hookSecret} {
			request := "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
			if head != "" {
				request += head + "\r\n"
			}
			if status := answered(dialled(t, url, request+"\r\n{}")); status != http.StatusUnauthorized {
				t.Errorf("%q at %s: status %d", head, path, status)
			}
		}
	}
	for _, path := range []string{
		"/", "/hook", "/hook/telegram/", "//hook/telegram", "/hook/../hook/telegram",
		"/hook%2Ftelegram/x", "/HOOK/TELEGRAM", "/debug/pprof/", "/metrics",
	} {
		status := answered(dialled(t, url, "POST "+path+" HTTP/1.1\r\nHost: h\r\n"+name+hookSecret+"\r\nContent-Length: 2\r\n\r\n{}"))
		if status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, status)
		}
	}
	if items := b.store.All(); len(items) > 0 {
		t.Errorf("stored: %q", inboxtest.Texts(items))
	}
}

// TestWebhookUnderAttack has 1 GiB without a secret, and many slow senders, beside
// Telegram: no call is read for long, and Telegram's updates are stored.
func TestWebhookUnderAttack(t *testing.T) {
	t.Parallel()
	b, url := newHook(t, nil)
	const head = "POST /hook/telegram HTTP/1.1\r\nHost: h\r\n"
	var slow []net.Conn
	for i := range 100 {
		slow = append(slow, dialled(t, url, []string{"", "P", "POST ", head, head + "X-Telegram-Bot-Api-Secret-Token: "}[i%5]))
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { // it announces a body and sends none
			if status := answered(dialled(t, url, head+"Content-Length: 1073741824\r\n\r\n")); status != http.StatusUnauthorized {
				t.Errorf("status %d", status)
			}
		})
	}
	wg.Go(func() {
		conn := dialled(t, url, head+"Content-Length: 1073741824\r\nX-Telegram-Bot-Api-Secret-Token: wrong\r\n\r\n")
		sent, chunk := 0, bytes.Repeat([]byte("x"), 64<<10)
		for sent < 1<<30 {
			n, err := conn.Write(chunk)
			sent += n
			if err != nil {
				break
			}
		}
		if sent > 32<<20 {
			t.Errorf("%d bytes without a secret were taken", sent)
		}
	})
	wg.Wait()
	update := fmt.Sprintf(`{"update_id":7,"message":{"message_id":9,"date":1,%s,"text":"hello"}}`, private)
	for range 5 { // as often as Telegram likes: it is one item for the store
		if status := post(t, http.MethodPost, url, []string{hookSecret}, strings.NewReader(update)); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	if got := inboxtest.Texts(b.store.Await(t, 1)); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("stored: %q", got)
	}
	for _, c := range slow {
		if status := answered(c); status == http.StatusOK {
			t.Error("a slow sender was served")
		}
		if _, err := c.Read(make([]byte, 1)); err == nil || isTimeout(err) {
			t.Fatalf("a slow sender is still connected: %v", err)
		}
	}
}

func isTimeout(err error) bool {
	n, ok := err.(net.Error) //nolint:errorlint // a connection's own error
	return ok && n.Timeout()
}

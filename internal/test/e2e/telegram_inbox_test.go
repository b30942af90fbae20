package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/pkg/session"
)

// TestDownloadHoldsUpItsOwnChatOnly lets a download hang. Everything is taken in
// meanwhile, others are answered, and when the process dies the file is fetched by
// the next one.
func TestDownloadHoldsUpItsOwnChatOnly(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	ada, ben := tg.Private(tg.User("Ada")), tg.Private(tg.User("Ben"))
	w := newTelegram(t, tg, echoes)
	heal := tg.Harm(faketelegram.Rule{Method: "download", Fault: faketelegram.Fault{HalfOpen: true}})
	ada.Document(faketelegram.File{Name: "a.txt", Data: []byte("some text")}, "look")
	w.await("the download", func() bool { return tg.Count("download") == 1 })
	ada.Say("and this")
	ben.Say("one")
	ben.Document(faketelegram.File{Name: "big.iso", Data: []byte("x"), Size: 21 << 20}, "")
	w.hears(ben, "one", "[document big.iso", "22.0 MB", "too large to fetch]")
	if err := tg.Bot().AwaitConfirmed(w.ctx); err != nil {
		t.Errorf("what came behind a hanging download is not taken in: %+v", tg.Bot().Unconfirmed())
	}
	if got := ada.Texts(); len(got) != 0 {
		t.Errorf("answered before the file was there: %q", got)
	}
	w.rests("the receipt of the answer", func(s session.Status) bool { return s.Sending == 0 })
	w.kill()
	heal()
	w.start()
	w.hears(ada, "[document a.txt", "9 bytes", "saved as inbox/a.txt]", "and this")
}

// TestPicturesStayInTheirFiles measures a gateway while many chats send a picture,
// which the model is shown.
func TestPicturesStayInTheirFiles(t *testing.T) {
	t.Parallel()
	const chats, size, most = 12, 4_900_000, 20 << 10 // the last in KiB
	tg := faketelegram.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var shown atomic.Int64
	model := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			t.Error(err)
		}
		if n > size {
			shown.Add(1)
		}
		_, _ = io.WriteString(rw, `{"choices":[{"message":{"role":"assistant","content":"seen"},"finish_reason":"stop"}]}`)
	}))
	defer model.Close()
	bin, err := gateway.Path()
	if err != nil {
		t.Fatal(err)
	}
	gw, err := rig.NewGateway(bin, t.TempDir(),
		rig.Config{ModelURL: model.URL + "/v1", Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(gw.ConfigPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gw.ConfigPath(),
		bytes.Replace(text, []byte("model: fake,"), []byte("model: fake, images: true,"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := gw.Start(ctx, nil, nil, nil, "run")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	var people []*faketelegram.Chat
	for i := range chats {
		people = append(people, tg.Private(tg.User(fmt.Sprintf("Person%d", i))))
	}
	answered := func(n int) {
		t.Helper()
		for _, chat := range people {
			if _, err := chat.Await(ctx, n); err != nil {
				t.Fatalf("%v: %q", err, chat.Texts())
			}
		}
	}
	for _, chat := range people {
		chat.Say("hello")
	}
	answered(1)
	before, err := p.Sample()
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("\x89PNG\r\n\x1a\n" + strings.Repeat("x", size))
	for _, chat := range people {
		chat.Document(faketelegram.File{Name: "a.png", MIME: "image/png", Data: data}, "look")
	}
	answered(2)
	after, err := p.Sample()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("peak %d KiB before, %d KiB after %d pictures", before.Peak, after.Peak, chats)
	if grown := after.Peak - before.Peak; grown > most {
		t.Errorf("%d pictures of %d bytes raised the peak by %d KiB", chats, size, grown)
	}
	if shown.Load() != chats {
		t.Errorf("the model was shown %d pictures, want %d", shown.Load(), chats)
	}
}

package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/fakehttp"
	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// newHooked runs a gateway that tg calls over a webhook. Telegram calls https only, so
// the proxy between them strips that.
func newHooked(t *testing.T, tg *faketelegram.Server, b brain) *telegramWorld {
	t.Helper()
	return hookedAt(t, tg, b, freeAddr(t), "/hook", "")
}

func freeAddr(t *testing.T) string {
	t.Helper()
	addr, err := fakehttp.FreeAddr(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// hookedAt is the same for a webhook at a path of an address, with more settings in front of
// the file.
func hookedAt(t *testing.T, tg *faketelegram.Server, b brain, addr, path, settings string) *telegramWorld {
	t.Helper()
	public := "https://bot.example.org" + path
	api, err := url.Parse(tg.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(api)
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			t.Error(err)
		}
		body = bytes.ReplaceAll(body, []byte(url.QueryEscape(public)), []byte(url.QueryEscape("http://"+addr+path)))
		r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}})
	t.Cleanup(proxy.Close)
	c := rig.Config{LogLevel: "trace", Telegram: &rig.Telegram{APIURL: proxy.URL, Token: tg.Token()}}
	w := prepareTelegram(t, tg, b, c)
	w.gw.Env = append(w.gw.Env, "HOOK_SECRET=Hook-Secret_1")
	text, err := os.ReadFile(w.gw.ConfigPath())
	if err != nil {
		t.Fatal(err)
	}
	const line = "    allow_everyone: true\n"
	hook := fmt.Sprintf("    webhook: {listen: %q, public_url: %q, secret: env:HOOK_SECRET}\n", addr, public)
	text = append([]byte(settings), bytes.Replace(text, []byte(line), []byte(line+hook), 1)...)
	if err := os.WriteFile(w.gw.ConfigPath(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	w.run()
	return w
}

// showsFiles names the documents of everything that persons have said, those of one
// message together.
func showsFiles(req fakemodel.Request) fakemodel.Answer {
	name := regexp.MustCompile(`\[document (\w+)\.txt`)
	var said []string
	for i := range req.Messages {
		if m := &req.Messages[i]; m.Role == providers.RoleUser {
			var names []string
			for _, found := range name.FindAllStringSubmatch(m.Content, -1) {
				names = append(names, found[1])
			}
			said = append(said, strings.Join(names, " and "))
		}
	}
	return fakemodel.Say(strings.Join(said, ", then "))
}

func documents(caption string, names ...string) []faketelegram.Item {
	var all []faketelegram.Item
	for _, name := range names {
		all = append(all, faketelegram.Item{Document: faketelegram.File{Name: name + ".txt", Data: []byte(name)}})
	}
	all[0].Caption = caption
	return all
}

// TestTelegramAlbumOverAWebhook: it is one message, also in a group, where only the
// part with the caption speaks to the bot.
func TestTelegramAlbumOverAWebhook(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat, club := tg.Private(tg.User("Ada")), tg.Supergroup("Club", tg.User("Ben"))
	w := newHooked(t, tg, showsFiles)
	wholeAlbum(w, chat, "look", "a", "b", "c")
	club.Album(documents("to nobody", "one", "two"))
	if got := wholeAlbum(w, club, mention(tg)+"look", "f", "g", "h"); strings.Contains(got, "one") || strings.Contains(got, "two") {
		t.Errorf("the club reads %q", got)
	}
	wholeAlbum(w, chat, "", "i", "j")
}

// wholeAlbum sends an album until the model reads one as one message, and gives the
// bot's answer. A machine that is too busy to pass the parts on within
// [session.AlbumWindow] of each other makes several messages of one.
func wholeAlbum(w *telegramWorld, chat *faketelegram.Chat, caption string, names ...string) string {
	w.t.Helper()
	for range 5 {
		chat.Album(documents(caption, names...))
		if err := w.tg.Bot().AwaitConfirmed(w.ctx); err != nil {
			w.t.Fatal(err)
		}
		w.rests("the end of all turns", func(s session.Status) bool { return s.Waiting == 0 && s.Sending == 0 })
		texts := chat.Texts()
		if last := strings.Join(texts[max(len(texts)-1, 0):], ""); strings.HasSuffix(last, strings.Join(names, " and ")) {
			return last
		}
	}
	w.t.Fatalf("no album was one message: %q", chat.Texts())
	return ""
}

// TestTelegramKilledWithinAnAlbum: the model reads its parts, each once and in order,
// whatever message they have become.
func TestTelegramKilledWithinAnAlbum(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newHooked(t, tg, showsFiles)
	names := strings.Split("abcdefghij", "")
	chat.Album(documents("", names...))
	w.await("a part", func() bool { return len(tg.Bot().Unconfirmed()) < len(names) })
	w.kill()
	left := len(tg.Bot().Unconfirmed())
	t.Logf("killed when %d of %d parts were confirmed", len(names)-left, len(names))
	w.start()
	if err := tg.Bot().AwaitConfirmed(w.ctx); err != nil {
		t.Fatal(err)
	}
	w.rests("the end of all turns", func(s session.Status) bool { return s.Waiting == 0 && s.Sending == 0 })
	texts := chat.Texts()
	last := strings.Join(texts[max(len(texts)-1, 0):], "")
	got := strings.Fields(strings.NewReplacer(", then", "", " and ", " ").Replace(last))
	if !slices.Equal(got, names) {
		t.Errorf("the model has read %q in the end: %q", got, texts)
	}
}

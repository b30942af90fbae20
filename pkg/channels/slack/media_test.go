package slack_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// fetch reads a file to its end.
func fetch(t *testing.T, ch *slack.Channel, a channels.Attachment) (string, error) {
	t.Helper()
	body, err := ch.OpenAttachment(inboxtest.Limited(t), a)
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }()
	content, err := io.ReadAll(body)
	return string(content), err
}

func TestFilesAreFetched(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	dm := b.srv.DM(b.srv.User("Ann"))
	page := "<!DOCTYPE html><html><body>mine</body></html>"
	for n, f := range []fakeslack.File{
		{Name: "notes.txt", Data: []byte("some words")},
		{Name: "page.html", Data: []byte(page), MIME: "text/html"},
		{Name: "empty.bin"},
		{Name: strings.Repeat("n", 200) + ".txt", Data: []byte(strings.Repeat("x", 5000))},
	} {
		dm.ShareFiles("see", f)
		got := b.store.Await(t, n+1)[n]
		if len(got.Attachments) != 1 {
			t.Fatalf("%s: %+v", f.Name, got)
		}
		content, err := fetch(t, b.ch, got.Attachments[0])
		if err != nil || content != string(f.Data) {
			t.Errorf("%s: %q, %v", f.Name, content, err)
		}
	}
}

// Files that cannot be had: too large by Slack's word and by their bytes, gone, or
// behind the page for those who lack a scope.
func TestFilesThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	dm := b.srv.DM(b.srv.User("Ann"))
	dm.ShareFiles("", fakeslack.File{Name: "a.bin", Data: []byte("x"), Size: 60 << 20})
	got := b.store.Await(t, 1)[0].Attachments[0]
	if _, err := fetch(t, b.ch, got); !errors.Is(err, channels.ErrTooLarge) {
		t.Errorf("60 MB by what the message says: %v", err)
	}
	got.Size = 0
	if _, err := fetch(t, b.ch, got); !errors.Is(err, channels.ErrTooLarge) {
		t.Errorf("60 MB by what the file says: %v", err)
	}
	dm.ShareFiles("", fakeslack.File{Name: "b.bin", Data: make([]byte, 51<<20), Size: 10})
	got = b.store.Await(t, 2)[1].Attachments[0]
	if _, err := fetch(t, b.ch, got); !errors.Is(err, channels.ErrTooLarge) {
		t.Errorf("51 MB in secret: %v", err)
	}
	for _, ref := range []string{"F0", "", "../x"} {
		if _, err := fetch(t, b.ch, channels.Attachment{Ref: ref}); err == nil {
			t.Errorf("%q was found", ref)
		}
	}
	b.srv.ForgetViolations()
	dm.ShareFiles("", fakeslack.File{Name: "c.pdf", Data: []byte("%PDF-1.7")})
	got = b.store.Await(t, 3)[2].Attachments[0]
	b.srv.Harm(fakeslack.Rule{
		Method: "download",
		Fault:  fakeslack.Fault{Status: http.StatusOK, Body: "<!DOCTYPE html><html><body>Sign in</body></html>"},
	})
	if _, err := fetch(t, b.ch, got); err == nil || !strings.Contains(err.Error(), "files:read") {
		t.Errorf("a page to sign in at: %v", err)
	}
}

// The token goes to Slack alone, whatever address a file has and wherever a redirect
// points.
func TestTheTokenGoesToSlackAlone(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(stranger.Close)
	addresses := map[string]string{
		"elsewhere": stranger.URL + "/f", "with-a-name": "https://files.slack.com@" + strings.TrimPrefix(stranger.URL, "http://"),
		"alike": "https://evilslack.com/f", "below": "https://slack.com.evil.test/f", "plain": "http://files.slack.com/f", "empty": "",
	}
	var api *httptest.Server
	api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/moved") {
			http.Redirect(w, r, stranger.URL, http.StatusFound)
			return
		}
		_ = r.ParseForm()
		address, ok := addresses[r.PostFormValue("file")]
		if !ok {
			address = api.URL + "/moved"
		}
		_, _ = io.WriteString(w, `{"ok":true,"file":{"id":"F1","size":1,"url_private":"`+address+`"}}`)
	}))
	t.Cleanup(api.Close)
	token := func() string { return "xoxb-not-yours" }
	ch, err := slack.New(slack.Options{BotToken: token, AppToken: token, APIURL: api.URL + "/api/"}, me())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ch.CloseIdle)
	addresses["moved"] = api.URL + "/moved"
	for name := range addresses {
		if content, err := fetch(t, ch, channels.Attachment{Ref: name}); err == nil || strings.Contains(err.Error(), "not-yours") {
			t.Errorf("%s: %q, %v", name, content, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("a stranger was asked %d times", n)
	}
}

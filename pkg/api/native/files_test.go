package native_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/providers"
)

// answered is an answer with its whole body.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// raw makes a request with any body.
func (w *world) raw(token, method, path string, body io.Reader, header ...string) answered {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(w.T.Context(), faces.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.URL+"/api"+path, body)
	if err != nil {
		w.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.T.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	return answered{resp.StatusCode, resp.Header, all}
}

// kept is a file as the API tells of it.
type kept struct {
	ID, Name, Type string
	Size           int
}

// upload sends a file of Ada's chat and gives what the API says of it.
func (w *world) upload(chat, name, content string, header ...string) kept {
	w.T.Helper()
	header = append([]string{"X-Parley-Upload", "1"}, header...)
	a := w.raw("ada", http.MethodPost, "/chats/"+chat+"/files?name="+url.QueryEscape(name), strings.NewReader(content), header...)
	var f kept
	if err := json.Unmarshal(a.body, &f); a.status != http.StatusCreated || err != nil || f.ID == "" {
		w.T.Fatalf("%q: %d %s, %v", name, a.status, a.body, err)
	}
	return f
}

const png = "\x89PNG\r\n\x1a\n the rest of a picture"

// TestAFileComesWithItsMessage: it is stored before the message, told with the turn, read with
// the history, and fetched again whole and in parts. The words stay those of the person.
func TestAFileComesWithItsMessage(t *testing.T) {
	t.Parallel()
	var read string
	w := newWorld(t, func(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
		read = msgs[len(msgs)-1].Content
		return faces.Says("thanks")
	})
	f := w.upload("main", "my photo.png", png)
	if want := (kept{f.ID, "my photo.png", "image/png", len(png)}); f != want {
		t.Errorf("the upload is %+v, want %+v", f, want)
	}
	other := w.upload("main", "ünï.txt", "words")
	body := fmt.Sprintf(`{"message":"look","files":[%q,%q]}`, f.ID, other.ID)
	s := w.open("ada", "main", "")
	if status, a := w.do("ada", http.MethodPost, "/chats/main/messages", body); status != http.StatusAccepted {
		t.Fatalf("%d %v", status, a)
	}
	var told struct {
		Text  string
		Files []kept
	}
	for r := s.next(); r.Event != "done"; r = s.next() {
		if r.Event == "turn" {
			if err := json.Unmarshal([]byte(r.Data), &told); err != nil {
				t.Error(err)
			}
		}
	}
	want := []kept{f, other}
	if d := cmp.Diff(want, told.Files); d != "" || told.Text != "look" {
		t.Errorf("the turn is told with %q and (-want +got):\n%s", told.Text, d)
	}
	if read != "look\n[picture my photo.png, "+fmt.Sprint(len(png))+" bytes]\n[document ünï.txt, 5 bytes]" {
		t.Errorf("the model reads %q", read)
	}
	var chat struct {
		Messages []struct {
			Role, Text string
			Files      []kept
		}
	}
	if err := json.Unmarshal(w.raw("ada", http.MethodGet, "/chats/main", nil).body, &chat); err != nil || len(chat.Messages) != 2 {
		t.Fatalf("%+v, %v", chat, err)
	}
	if d := cmp.Diff(want, chat.Messages[0].Files); d != "" || chat.Messages[0].Text != "look" {
		t.Errorf("the chat has %q and (-want +got):\n%s", chat.Messages[0].Text, d)
	}
	if _, list := w.do("ada", http.MethodGet, "/chats", ""); !strings.Contains(fmt.Sprint(list), "title:look]") {
		t.Errorf("the list has %v", list)
	}
	path := "/chats/main/files/" + other.ID
	a := w.raw("ada", http.MethodGet, path, nil)
	if a.status != http.StatusOK || string(a.body) != "words" ||
		a.header.Get("Content-Disposition") != "attachment; filename*=utf-8''%C3%BCn%C3%AF.txt" {
		t.Errorf("%d %q %v", a.status, a.body, a.header)
	}
	if a = w.raw("ada", http.MethodGet, path, nil, "Range", "bytes=1-2"); a.status != http.StatusPartialContent || string(a.body) != "or" {
		t.Errorf("a part: %d %q", a.status, a.body)
	}
	if a = w.raw("ada", http.MethodHead, path, nil); a.status != http.StatusOK || a.header.Get("Content-Length") != "5" {
		t.Errorf("its head: %d %v", a.status, a.header)
	}
}

// TestFilesAreServedSafely: a browser saves every file, and shows a picture of the four types
// alone, whatever its name says.
func TestFilesAreServedSafely(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says("thanks")
	})
	const script = "<script>alert(1)</script>"
	for name, c := range map[string]struct{ content, shown string }{
		"a.svg":  {`<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`, ""},
		"b.svg":  {`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`, ""},
		"c.png":  {"<html>" + script, ""},
		"d.html": {png + script, "image/png"},
		"e.gif":  {"GIF89a" + script, "image/gif"},
		"f.webp": {"RIFF\x00\x00\x00\x00WEBPVP8 " + script, "image/webp"},
		"g.jpg":  {"\xff\xd8\xff\xe0" + script, "image/jpeg"},
		"h.bmp":  {"BM" + script, ""},
		"i.pdf":  {"%PDF-1.7" + script, ""},
		"j":      {"", ""},
	} {
		f := w.upload("main", name, c.content)
		for _, query := range []string{"", "?show"} {
			a := w.raw("ada", http.MethodGet, "/chats/main/files/"+f.ID+query, nil)
			kind, disposition := "application/octet-stream", "attachment; filename="+name
			if query != "" && c.shown != "" {
				kind, disposition = c.shown, "inline; filename="+name
			}
			policy := a.header.Get("Content-Security-Policy")
			if a.header.Get("Content-Type") != kind || a.header.Get("Content-Disposition") != disposition ||
				a.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(policy, "; sandbox") ||
				!strings.HasPrefix(policy, "default-src 'none';") || string(a.body) != c.content {
				t.Errorf("%s%s: %v %q", name, query, a.header, a.body)
			}
		}
	}
	for name, want := range map[string]string{
		"../../etc/passwd": "passwd", `C:\x\evil".exe`: "evil_.exe", "a\r\nSet-Cookie: x=1": "a Set-Cookie_ x=1", "": "file",
		"\u202egnp.exe": "gnp.exe", strings.Repeat("ü", 500) + ".txt": strings.Repeat("ü", 58) + ".txt", "\xff\xfe": "\ufffd\ufffd",
	} {
		f := w.upload("main", name, "x")
		if a := w.raw("ada", http.MethodGet, "/chats/main/files/"+f.ID, nil); f.Name != want || a.status != http.StatusOK ||
			a.header.Get("Set-Cookie") != "" {
			t.Errorf("%q is called %q: %d %v", name, f.Name, a.status, a.header)
		}
	}
}

// TestFilesOfOthersAreUnknown, as ids without a file are, also in another chat of the same person.
func TestFilesOfOthersAreUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says("thanks")
	})
	f := w.upload("main", "a.txt", "secret")
	for _, c := range []struct{ token, chat, id string }{
		{"bob", "main", f.ID},
		{"ada", "other", f.ID},
		{"ada", "main", "u" + strings.Repeat("0", 31)},
		{"ada", "main", "x"},
		{"ada", "main", f.ID + ".of"},
		{"ada", "main", "..%2f" + f.ID},
	} {
		path, body := "/chats/"+c.chat+"/files/"+c.id, fmt.Sprintf(`{"message":"x","files":[%q]}`, c.id)
		for what, status := range map[string]int{
			"fetched": w.raw(c.token, http.MethodGet, path, nil).status,
			"removed": w.raw(c.token, http.MethodDelete, path, nil, "Content-Type", "application/json").status,
			"attached": w.raw(
				c.token, http.MethodPost, "/chats/"+c.chat+"/messages", strings.NewReader(body), "Content-Type", "application/json",
			).status,
		} {
			if status != http.StatusNotFound {
				t.Errorf("%s of %s is %s in %s: %d", c.id, c.token, what, c.chat, status)
			}
		}
	}
	if got := w.raw("ada", http.MethodGet, "/chats/main/files/"+f.ID, nil); string(got.body) != "secret" {
		t.Errorf("its owner reads %q", got.body)
	}
}

// TestAnUploadCountsOnce under its key, however many send it at once; a key takes no other file.
func TestAnUploadCountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says("thanks")
	})
	content := strings.Repeat("long ", 20_000)
	ids := make([]string, 20)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i] = w.upload("main", "a.txt", content, "Idempotency-Key", "k").ID })
	}
	all.Wait()
	for i := range ids {
		if ids[i] != ids[0] {
			t.Errorf("the files are %q", ids)
		}
	}
	for name, other := range map[string]string{"a.txt": content + "x", "b.txt": content} {
		if a := w.raw("ada", http.MethodPost, "/chats/main/files?name="+name, strings.NewReader(other), "X-Parley-Upload", "1",
			"Idempotency-Key", "k"); a.status != http.StatusConflict {
			t.Errorf("another file under the key: %d %s", a.status, a.body)
		}
	}
	if id := w.upload("other", "a.txt", content, "Idempotency-Key", "k").ID; id == ids[0] {
		t.Error("the key counts in another chat")
	}
}

// endless is a body without a length, of so many bytes.
func endless(n int64) io.Reader { return io.LimitReader(zeroes{}, n) }

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestUploadsAreBounded: each by itself, those of a message by their number, those without a
// message too, and all together.
func TestUploadsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says("thanks")
	})
	send := func(chat string, body io.Reader) answered {
		return w.raw("ada", http.MethodPost, "/chats/"+chat+"/files?name=a", body, "X-Parley-Upload", "1")
	}
	refused := func(what string, a answered, status int, word string) {
		t.Helper()
		if a.status != status || !bytes.Contains(a.body, []byte(word)) {
			t.Errorf("%s: %d %s, want %d %s", what, a.status, a.body, status, word)
		}
	}
	const tooMuch = http.StatusRequestEntityTooLarge
	refused("21 MB", send("main", bytes.NewReader(make([]byte, 20<<20+1))), tooMuch, "too_large")
	refused("21 MB without a length", send("main", endless(20<<20+1)), tooMuch, "20 MB")
	refused("without the header", w.raw("ada", http.MethodPost, "/chats/main/files", endless(1)),
		http.StatusUnsupportedMediaType, "X-Parley-Upload")
	if a := send("main", endless(20<<20)); a.status != http.StatusCreated {
		t.Errorf("20 MB: %d %s", a.status, a.body)
	}
	refused("40 MB in a chat with 30", send("main", bytes.NewReader(make([]byte, 20<<20))), tooMuch, "files of this chat")
	refused("a length that is not known", send("main", endless(1)), tooMuch, "files_full")
	if a := send("second", bytes.NewReader(make([]byte, 20<<20))); a.status != http.StatusCreated {
		t.Errorf("in another chat: %d %s", a.status, a.body)
	}
	refused("60 MB of a person with 50", send("third", bytes.NewReader(make([]byte, 20<<20))), tooMuch, "all your chats")

	var ids []string
	for range 11 {
		ids = append(ids, w.upload("main", "a.txt", "x").ID)
	}
	for what, files := range map[string][]string{"eleven files": ids, "a file twice": {ids[0], ids[0]}} {
		body, err := json.Marshal(map[string]any{"message": "x", "files": files})
		if err != nil {
			t.Fatal(err)
		}
		if status, a := w.do("ada", http.MethodPost, "/chats/main/messages", string(body)); status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", what, status, a)
		}
	}
	n := 0
	for ; n < 50; n++ {
		if a := send("main", strings.NewReader("x")); a.status != http.StatusCreated {
			refused("one more without a message", a, tooMuch, "wait for their messages")
			break
		}
	}
	if n != 50-13 {
		t.Errorf("%d more were taken", n)
	}
	removed := func(id string) answered {
		return w.raw("ada", http.MethodDelete, "/chats/main/files/"+id, nil, "Content-Type", "application/json")
	}
	if a := removed(ids[0]); a.status != http.StatusOK {
		t.Errorf("removing one: %d %s", a.status, a.body)
	}
	id := w.upload("main", "a.txt", "in its place").ID
	if status, a := w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":"","files":[%q]}`, id)); status != http.StatusAccepted {
		t.Errorf("a file without words: %d %v", status, a)
	}
	if a := removed(id); a.status != http.StatusConflict {
		t.Errorf("removing one that was sent: %d %s", a.status, a.body)
	}
}

// TestAnUploadThatBreaksOffIsNothing: its room is free again, and a later one under its key is whole.
func TestAnUploadThatBreaksOffIsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		return faces.Says("thanks")
	})
	ctx, cancel := context.WithCancel(t.Context())
	half, rest := io.Pipe()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/api"+"/chats/main/files?name=a", half)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer ada")
	req.Header.Set("X-Parley-Upload", "1")
	req.Header.Set("Idempotency-Key", "k")
	req.ContentLength = 15 << 20
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			t.Errorf("half an upload has the answer %s", resp.Status)
		}
	}()
	if _, err := io.Copy(rest, endless(10<<20)); err != nil {
		t.Fatal(err)
	}
	cancel()
	_ = rest.CloseWithError(context.Canceled) // the client may be waiting for the rest of it
	<-ended
	deadline := 0
	for ; deadline < 1000; deadline++ { // the server learns of the end by and by
		a := w.raw("ada", http.MethodPost, "/chats/main/files?name=a", endless(20<<20), "X-Parley-Upload", "1", "Idempotency-Key", "k")
		if a.status == http.StatusCreated {
			break
		}
	}
	if deadline == 1000 {
		t.Error("its room is never free")
	}
}

// TestAChatOfAFileAloneHasItsName as the title; while it waits the message has its file.
func TestAChatOfAFileAloneHasItsName(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		begun <- struct{}{}
		<-release
		return faces.Says("thanks")
	})
	f := w.upload("main", "my photo.png", png)
	s := w.open("page:ada", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":"","files":[%q]}`, f.ID))
	<-begun
	if _, chat := w.do("page:ada", http.MethodGet, "/chats/main", ""); !strings.Contains(fmt.Sprint(chat["queued"]), "name:my photo.png") {
		t.Errorf("what waits is %v", chat["queued"])
	}
	if got := w.rows("page:ada"); len(got) != 1 || got[0].Title != "my photo.png" {
		t.Errorf("while it waits: %+v", got)
	}
	close(release)
	s.untilDone()
	s.end()
	if got := w.rows("page:ada"); len(got) != 1 || got[0].Title != "my photo.png" {
		t.Errorf("%+v", got)
	}
}

package fakeslack_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/fakeslack"
)

// upload announces a file and sends it as one part of a form.
func (w *world) upload(name, content string) reply {
	w.t.Helper()
	r := w.call("files.getUploadURLExternal", map[string]string{"filename": name, "length": "5"})
	if !r.OK {
		w.t.Fatal(r.Error)
	}
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = io.WriteString(part, content)
	_ = form.Close()
	resp, err := w.http.Post(r.UploadURL, form.FormDataContentType(), &b)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
	r.Status = resp.StatusCode
	return r
}

func TestAFileIsSeenWhenItIsComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.hub.Say("send me one")
	r := w.upload("a.txt", "hello")
	if r.Status != http.StatusOK || len(w.hub.Messages()) != 0 {
		t.Errorf("status %d, messages %+v", r.Status, w.hub.Messages())
	}
	done := w.call("files.completeUploadExternal", map[string]string{
		"files": `[{"id":"` + r.FileID + `","title":"A"}]`, "channel_id": w.hub.ID(), "thread_ts": root.TS, "initial_comment": "*here*",
	})
	if !done.OK {
		t.Fatal(done.Error)
	}
	m := w.hub.In(root.TS).Messages()
	if len(m) != 1 || m[0].Text != "here" || m[0].File == nil ||
		string(m[0].File.Data) != "hello" || m[0].File.Title != "A" || m[0].File.Name != "a.txt" {
		t.Errorf("got %+v", m)
	}
	if again := w.call("files.completeUploadExternal", map[string]string{"files": `[{"id":"` + r.FileID + `"}]`}); again.Error != "file_not_found" {
		t.Errorf("got %+v", again)
	}
}

func TestAnIncompleteUploadIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.upload("a.txt", "hell")
	if r.Status != http.StatusBadRequest || len(w.srv.Violations()) != 1 {
		t.Errorf("status %d, violations %q", r.Status, w.srv.Violations())
	}
	w.srv.ForgetViolations()
	if done := w.call("files.completeUploadExternal",
		map[string]string{"files": `[{"id":"` + r.FileID + `"}]`, "channel_id": w.dm.ID()}); done.Error != "file_not_found" {
		t.Errorf("got %+v", done)
	}
}

func TestAnUploadIntoAChannelWithoutTheBotIsNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.upload("a.txt", "hello")
	w.hub.Leave()
	files := `[{"id":"` + r.FileID + `"}]`
	if done := w.call("files.completeUploadExternal",
		map[string]string{"files": files, "channels": w.dm.ID() + "," + w.hub.ID()}); done.Error != "not_in_channel" {
		t.Errorf("got %+v", done)
	}
	if len(w.dm.Messages()) != 0 {
		t.Error("half of it was shown")
	}
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.dm.Share("a.txt", []byte("hello"), "")
	target := dig(t, e.Raw, "event.files.0.url_private_download")
	get := func(token string) (string, string, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := w.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return string(b), resp.Header.Get("Content-Type"), err
	}
	if got, kind, err := get(w.srv.BotToken()); got != "hello" || err != nil || !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("got %q of %s, %v", got, kind, err)
	}
	if got, kind, _ := get(""); !strings.Contains(got, "<html") || !strings.HasPrefix(kind, "text/html") {
		t.Errorf("got %q of %s", got, kind)
	}
	w.srv.Harm(fakeslack.Rule{Method: "download", Times: 1, Fault: fakeslack.Fault{Cut: 2}})
	if got, _, err := get(w.srv.BotToken()); got != "he" || err == nil {
		t.Errorf("got %q, %v", got, err)
	}
	if n := w.srv.Count("download"); n != 3 {
		t.Errorf("%d downloads", n)
	}
}

// TestAClientThatLeaves in the middle of its body breaks no rule: its time was over.
func TestAClientThatLeaves(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api/chat.postMessage", "/upload/v1/F1"} {
		w := newWorld(t)
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(w.srv.URL(), "http://"), "/api/"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", path)
		if err := errors.Join(err, conn.Close(), w.srv.Drained(t.Context())); err != nil {
			t.Error(path, err)
		}
	}
}

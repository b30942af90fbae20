package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
)

// keptFile is a file as the API tells of it.
type keptFile struct {
	ID, Name, Type string
	Size           int
}

// raw asks until the gateway answers, and gives the whole answer.
func (w *apiWorld) raw(method, path string, body []byte, header ...string) (int, []byte) {
	w.t.Helper()
	for w.ctx.Err() == nil {
		req, err := http.NewRequestWithContext(w.ctx, method, w.base+path, bytes.NewReader(body))
		if err != nil {
			w.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.token)
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		var all []byte
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			all, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		if err == nil && resp.StatusCode != http.StatusServiceUnavailable {
			return resp.StatusCode, all
		}
		<-time.After(10 * time.Millisecond)
	}
	w.t.Fatalf("%s %s: no answer", method, path)
	return 0, nil
}

func (w *apiWorld) upload(name string, content []byte, key string) keptFile {
	w.t.Helper()
	status, body := w.raw(http.MethodPost, "/chats/main/files?name="+url.QueryEscape(name), content,
		"X-Parley-Upload", "1", "Idempotency-Key", key)
	var f keptFile
	if err := json.Unmarshal(body, &f); err != nil || status != http.StatusCreated {
		w.t.Fatalf("%s: %d %s", name, status, body)
	}
	return f
}

// posts sends a message with files, and gives the id of the stored one.
func (w *apiWorld) posts(text, key string, files ...keptFile) (message, after string) {
	w.t.Helper()
	ids := make([]string, len(files))
	for i := range files {
		ids[i] = files[i].ID
	}
	body, err := json.Marshal(map[string]any{"message": text, "files": ids})
	if err != nil {
		w.t.Fatal(err)
	}
	status, a := w.do(http.MethodPost, "/chats/main/messages", string(body), key)
	if status != http.StatusAccepted {
		w.t.Fatalf("%d %v", status, a)
	}
	message, _ = a["message"].(string)
	after, _ = a["after"].(string)
	return message, after
}

// apiMessage is a message of a chat that is read.
type apiMessage struct {
	ID, Role, Text string
	Files          []keptFile
}

// reads gives the messages of the chat that people see.
func (w *apiWorld) reads() (all []apiMessage) {
	w.t.Helper()
	var chat struct{ Messages []apiMessage }
	_, body := w.raw(http.MethodGet, "/chats/main", nil)
	if err := json.Unmarshal(body, &chat); err != nil {
		w.t.Fatal(err)
	}
	for _, m := range chat.Messages {
		if m.Role == "user" || m.Role == "assistant" && (m.Text != "" || m.Files != nil) {
			all = append(all, m)
		}
	}
	return all
}

// spaceFiles are the names of the files that the assistant has, and those on the shelf.
func (w *apiWorld) spaceFiles() (inbox, shelf []string) {
	w.t.Helper()
	for pattern, to := range map[string]*[]string{"workspace/chats/*/inbox/*": &inbox, "state/web/*/*/*": &shelf} {
		found, err := filepath.Glob(filepath.Join(w.gw.Dir, pattern))
		if err != nil {
			w.t.Error(err)
		}
		for _, f := range found {
			*to = append(*to, filepath.Base(f))
		}
		hidden, err := filepath.Glob(filepath.Join(w.gw.Dir, filepath.Dir(pattern), ".*"))
		if err != nil || len(hidden) > 0 {
			w.t.Errorf("%q is left, %v", hidden, err)
		}
	}
	return inbox, shelf
}

// seeing lets the model of a gateway take pictures.
func seeing(t *testing.T, w *world) {
	t.Helper()
	text, err := os.ReadFile(w.gw.ConfigPath())
	if err == nil {
		text = bytes.Replace(text, []byte("model: fake,"), []byte("model: fake, images: true,"), 1)
		err = os.WriteFile(w.gw.ConfigPath(), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestFilesOverTheAPI has a document and a picture sent back: the model sees the picture, and the
// program fetches what the assistant sends.
func TestFilesOverTheAPI(t *testing.T) {
	t.Parallel()
	var pictures atomic.Int64
	script := scripted(map[string][]step{"send it back": {
		{"send_file", `{"path":"inbox/report.pdf","caption":"your **report**"}`}, {"send_file", `{"path":"inbox/photo.png","as":"photo"}`},
	}})
	addr := freeAddr(t)
	w := &apiWorld{world: prepare(t, func(req fakemodel.Request) fakemodel.Answer {
		for i := range req.Messages {
			pictures.Store(max(pictures.Load(), int64(len(req.Messages[i].Images))))
		}
		return script(req)
	}, rig.Config{HTTP: addr}), base: "http://" + addr + "/api"}
	seeing(t, w.world)
	w.runsAPI(addr)
	report, photo := bytes.Repeat([]byte("%PDF-\x00\xff\r\n"), 400_000), []byte("\x89PNG\r\n\x1a\n a picture")
	files := []keptFile{w.upload("report.pdf", report, "k1"), w.upload("photo.png", photo, "k2")}
	_, after := w.posts("send it back", "k3", files...)
	var told []keptFile
	for _, e := range w.follow(after, isNamed("done")) {
		var d struct{ Files []keptFile }
		if e.Event == "message" && json.Unmarshal([]byte(e.Data), &d) == nil {
			told = append(told, d.Files...)
		}
	}
	all := w.reads()
	if len(all) != 4 || all[0].Text != "send it back" || !slices.Equal(all[0].Files, files) || all[1].Text != "your **report**" ||
		all[3].Text != "done" {
		t.Fatalf("the chat reads %+v", all)
	}
	if sent := slices.Concat(all[1].Files, all[2].Files); !slices.Equal(sent, told) || len(sent) != 2 || sent[0].Type != "application/pdf" {
		t.Errorf("the files are told as %+v, and read as %+v", told, sent)
	} else {
		for i, want := range [][]byte{report, photo} {
			if status, got := w.raw(http.MethodGet, "/chats/main/files/"+sent[i].ID, nil); status != http.StatusOK || !bytes.Equal(got, want) {
				t.Errorf("file %d: %d, %d bytes", i, status, len(got))
			}
		}
	}
	if pictures.Load() != 1 {
		t.Errorf("the model was shown %d pictures", pictures.Load())
	}
	if inbox, shelf := w.spaceFiles(); len(inbox) != 2 || len(shelf) != 6 {
		t.Errorf("the space has %q, the shelf %q", inbox, shelf)
	}
}

// TestAFileOverKills: the process is killed behind the upload, while the model reads the message,
// and behind the call that sends the file back. The program does each step again under its key:
// no file is lost, and none comes twice.
func TestAFileOverKills(t *testing.T) {
	t.Parallel()
	var stage atomic.Int64 // 0: the model hangs at once, 1: behind the call, 2: it answers
	script := scripted(map[string][]step{"send it back": {{"send_file", `{"path":"inbox/report.pdf"}`}}})
	reached := make(chan int64, 100)
	w := newAPIWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		a, at := script(req), int64(len(results(req)))
		if at >= stage.Load() && stage.Load() < 2 {
			a.Fault = fakemodel.Fault{Cut: 1, Silence: true}
			reached <- at
		}
		return a
	})
	report := bytes.Repeat([]byte("words "), 300_000)
	first := w.upload("report.pdf", report, "k1")
	w.kill()
	w.start()
	file := w.upload("report.pdf", report, "k1")
	if file != first {
		t.Errorf("the upload is %+v, before the kill %+v", file, first)
	}
	message, _ := w.posts("send it back", "k2", file)
	for at := range int64(2) {
		for <-reached != at { // the model is asked again
			continue
		}
		if at == 1 {
			w.follow("", isNamed("message")) // the file is delivered
		}
		w.kill()
		stage.Store(at + 1)
		w.start()
		if again, _ := w.posts("send it back", "k2", file); again != message {
			t.Errorf("posted again: %s, before %s", again, message)
		}
	}
	for {
		if all := w.reads(); len(all) > 0 && all[len(all)-1].Text == "done" || w.ctx.Err() != nil {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	all := w.reads()
	if len(all) != 3 || !slices.Equal(all[0].Files, []keptFile{file}) || len(all[1].Files) != 1 {
		t.Fatalf("the chat reads %+v", all)
	}
	for _, f := range []keptFile{file, all[1].Files[0]} {
		if status, got := w.raw(http.MethodGet, "/chats/main/files/"+f.ID, nil); status != http.StatusOK || !bytes.Equal(got, report) {
			t.Errorf("%+v: %d, %d bytes", f, status, len(got))
		}
	}
	taken := func(name string) bool { return strings.HasSuffix(name, ".of") }
	if inbox, shelf := w.spaceFiles(); fmt.Sprint(inbox) != "[report.pdf]" || len(shelf) != 3 || !slices.ContainsFunc(shelf, taken) {
		t.Errorf("the space has %q, the shelf %q", inbox, shelf)
	}
}

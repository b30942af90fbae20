package e2e_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/pkg/session"
)

// TestSlackSendsFiles has a document sent back, in its place between the words around it.
func TestSlackSendsFiles(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ada := srv.User("Ada")
	chat, other, all := srv.DM(ada), srv.DM(srv.User("Bert")), srv.Channel("all", ada)
	thread := all.In(all.SayAs("B0OTHER001", "news").TS)
	back := []step{
		{"say", `{"text":"here it comes"}`},
		{"send_file", `{"path":"inbox/report.pdf","caption":"your **report**"}`},
	}
	w := newSlack(t, srv, scripted(map[string][]step{
		"send it back": back, "Ada: send it back": back, // a name may be known or not
		"his": {{"send_file", `{"path":"inbox/report.pdf"}`}},
	}), chat, all)
	data := bytes.Repeat([]byte("%PDF\x00\xff\r\n"), 40_000)
	for _, at := range []*fakeslack.Chat{chat, thread} {
		text := "send it back"
		if at == thread {
			text = srv.Mention() + " " + text
		}
		at.Share("report.pdf", data, text)
		messages := w.reads(at, "here it comes", "your report", "done")
		if f := messages[1].File; f == nil || !bytes.Equal(f.Data, data) || f.Name != "report.pdf" {
			t.Errorf("message 1 has the file %+.60v", f)
		}
		if messages[1].Thread != at.Thread() {
			t.Errorf("the file is in the thread %q, want %q", messages[1].Thread, at.Thread())
		}
	}
	other.Say("his")
	w.reads(other, "done not_found")
	w.noFilesKept()
}

// noFilesKept waits until no content waits to be sent.
func (w *slackWorld) noFilesKept() {
	w.t.Helper()
	w.rests("the end of all sending", func(s session.Status) bool { return s.Sending == 0 })
	w.until("an empty folder of files to send", func() bool { return len(w.keptFiles()) == 0 })
}

// TestSlackSendsAFileAsItWas when the tool ran, though Slack takes it later, and Slack's
// refusal is told in the file's place.
func TestSlackSendsAFileAsItWas(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	w := newSlack(t, srv, scripted(map[string][]step{"send": {{"send_file", `{"path":"inbox/a.txt"}`}}}))
	srv.Harm(fakeslack.Rule{Method: "files.getUploadURLExternal", Times: 1, Fault: fakeslack.RateLimited(1)})
	chat.Share("a.txt", []byte("as it was"), "send")
	w.await("a refusal", func() bool { return srv.Count("files.getUploadURLExternal") == 1 })
	w.rewrite()
	messages := w.reads(chat, "", "done")
	if f := messages[0].File; f == nil || string(f.Data) != "as it was" {
		t.Errorf("the person has %+v", f)
	}
	srv.Harm(fakeslack.Rule{Method: "files.getUploadURLExternal", Times: 1, Fault: fakeslack.Refusal("file_upload_size_restricted")})
	chat.Say("send")
	w.says(chat, "The file a.txt (7 bytes) could not be sent")
	delete(w.chats, chat)
	w.noFilesKept()
}

// TestSlackKilledWhileAFileLeaves kills the gateway while Slack has the whole upload and
// has not answered, before and after the file was put into the channel, and while it waits.
func TestSlackKilledWhileAFileLeaves(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		method    string
		fault     fakeslack.Fault
		ambiguous uint64
		want      []string
	}{
		"uploading":   {"upload", fakeslack.Fault{HalfOpen: true}, 0, []string{"", "done"}},
		"no effect":   {"files.completeUploadExternal", fakeslack.Fault{HalfOpen: true}, 1, []string{"", "done"}},
		"with effect": {"files.completeUploadExternal", fakeslack.Fault{Hold: time.Hour}, 1, []string{"", "", "done"}},
		"it waits":    {"files.getUploadURLExternal", fakeslack.BadGateway(), 0, []string{"", "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakeslack.New(t)
			chat := srv.DM(srv.User("Ada"))
			w := newSlack(t, srv, scripted(map[string][]step{"send": {{"send_file", `{"path":"inbox/a.txt"}`}}}))
			heal := srv.Harm(fakeslack.Rule{Method: tc.method, Fault: tc.fault})
			chat.Share("a.txt", []byte("as it was"), "send")
			w.await("the upload", func() bool { return srv.Count(tc.method) > 0 })
			w.rests("the turn's end", func(s session.Status) bool { return s.Waiting == 0 })
			w.kill()
			heal()
			if n := len(w.keptFiles()); n != 1 {
				t.Fatalf("%d contents are kept of the file that leaves", n)
			}
			w.rewrite()
			w.start()
			messages := w.reads(chat, tc.want...)
			for i := range messages[:len(messages)-1] {
				if f := messages[i].File; f == nil || string(f.Data) != "as it was" {
					t.Errorf("the person has %+v", f)
				}
			}
			w.rests("what is counted as unknown",
				func(s session.Status) bool { return s.Sending == 0 && s.Ambiguous <= 1 && s.Ambiguous >= tc.ambiguous })
			w.noFilesKept()
			if n := w.turns(); n != 2 {
				t.Errorf("the model was asked %d times", n)
			}
		})
	}
}

// TestSlackDownloadHoldsUpItsOwnChatOnly lets a download hang: others are answered, and
// when the process dies the file is fetched by the next one.
func TestSlackDownloadHoldsUpItsOwnChatOnly(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	ada, ben := srv.DM(srv.User("Ada")), srv.DM(srv.User("Ben"))
	w := newSlack(t, srv, echoes)
	heal := srv.Harm(fakeslack.Rule{Method: "download", Fault: fakeslack.Fault{HalfOpen: true}})
	ada.Share("a.txt", []byte("some text"), "look")
	w.await("the download", func() bool { return srv.Count("download") == 1 })
	ada.Say("and this")
	ben.Say("one")
	w.hears(ben, "one")
	ben.ShareFiles("", fakeslack.File{Name: "big.iso", Data: []byte("x"), Size: 21 << 20})
	w.says(ben, "big.iso", "too large to fetch")
	delete(w.chats, ben)
	w.acked()
	if got := ada.Texts(); len(got) != 0 {
		t.Errorf("answered before the file was there: %q", got)
	}
	w.rests("the receipt of the answer", func(s session.Status) bool { return s.Sending == 0 })
	w.kill()
	heal()
	w.start()
	w.says(ada, "a.txt", "saved as inbox/a.txt", "and this")
}

// TestSlackFilesNeedTheToken: the page that comes instead of a file when Slack wants a
// login is no file.
func TestSlackFilesNeedTheToken(t *testing.T) {
	t.Parallel()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	w := newSlack(t, srv, echoes)
	srv.Harm(fakeslack.Rule{Method: "download", Fault: fakeslack.Fault{Status: http.StatusOK, Body: "<!DOCTYPE html><html>Sign in</html>"}})
	chat.Share("a.txt", []byte("some text"), "look")
	w.await("an answer", func() bool { return len(chat.Texts()) == 1 })
	if got := chat.Texts()[0]; strings.Contains(got, "saved as") || !strings.Contains(got, "a.txt") {
		t.Errorf("told %q", got)
	}
	found, err := filepath.Glob(filepath.Join(w.gw.Dir, "workspace", "chats", "*", "inbox", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if b, err := os.ReadFile(path); err != nil || bytes.Contains(b, []byte("Sign in")) {
			t.Errorf("%s holds %q, %v", path, b, err)
		}
	}
}

package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// step is one tool call of a script.
type step struct{ tool, args string }

// scripted makes the calls that stand for a person's word, one in each round, and ends
// with "done" and the failures.
func scripted(scripts map[string][]step) brain {
	return func(req fakemodel.Request) fakemodel.Answer {
		var calls []step
		for line := range strings.Lines(lastUser(req)) {
			calls = append(calls, scripts[strings.TrimSpace(line)]...)
		}
		done, failed := 0, ""
		for i := range req.Messages {
			switch m := &req.Messages[i]; m.Role {
			case providers.RoleUser:
				done, failed = 0, ""
			case providers.RoleTool:
				done++
				var e struct{ Type string }
				if json.Unmarshal([]byte(m.Content), &e) == nil && e.Type != "" {
					failed += " " + e.Type
				}
			}
		}
		if done < len(calls) {
			return fakemodel.Call(calls[done].tool, calls[done].args)
		}
		return fakemodel.Say("done" + failed)
	}
}

// TestTelegramSendsFiles has a document sent back, in its place between the words around it.
func TestTelegramSendsFiles(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat, other := tg.Private(tg.User("Ada")), tg.Private(tg.User("Bert"))
	w := newTelegram(t, tg, scripted(map[string][]step{
		"send it back": {
			{"say", `{"text":"here it comes"}`},
			{"send_file", `{"path":"inbox/report.pdf","caption":"your **report**"}`},
			{"send_file", `{"path":"inbox/report.pdf","as":"photo"}`},
		},
		"his":     {{"send_file", `{"path":"inbox/report.pdf"}`}},
		"outside": {{"send_file", `{"path":"../../AGENT.md"}`}, {"send_file", `{"path":"link"}`}, {"send_file", `{"path":"fifo"}`}, {"send_file", `{"path":"/etc/passwd"}`}},
	}))
	data := bytes.Repeat([]byte("%PDF\x00\xff\r\n"), 40_000)
	chat.Document(faketelegram.File{Name: "report.pdf", Data: data}, "send it back")
	messages := w.reads(chat, "here it comes", "your report", "", "done")
	for _, i := range []int{1, 2} {
		if f := messages[i].File; f == nil || !bytes.Equal(f.Data, data) {
			t.Errorf("message %d has the file %+.60v", i, f)
		}
	}
	if f := messages[1].File; f != nil && f.Name != "report.pdf" || len(messages[1].Entities) != 1 {
		t.Errorf("the file is called %q, its caption has %+v", messages[1].File.Name, messages[1].Entities)
	}
	other.Say("his")
	w.reads(other, "done not_found")

	spaces, err := filepath.Glob(filepath.Join(w.gw.Dir, "workspace", "chats", "*", "inbox"))
	if err != nil || len(spaces) != 1 {
		t.Fatalf("spaces %q, %v", spaces, err)
	}
	space := filepath.Dir(spaces[0])
	if err := os.Symlink("../../AGENT.md", filepath.Join(space, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(space, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	chat.Say("outside")
	w.reads(chat, "here it comes", "your report", "", "done",
		"done security_violation security_violation security_violation security_violation")
	w.noFilesKept()
}

// noFilesKept waits until no content waits to be sent.
func (w *telegramWorld) noFilesKept() {
	w.t.Helper()
	w.rests("the end of all sending", func(s session.Status) bool { return s.Sending == 0 })
	w.until("an empty folder of files to send", func() bool { return len(w.keptFiles()) == 0 })
}

// keptFiles are the contents that wait to be sent.
func (w *world) keptFiles() []string {
	w.t.Helper()
	kept, err := filepath.Glob(filepath.Join(w.gw.Dir, "state", "outgoing", "*"))
	if err != nil {
		w.t.Error(err)
	}
	return kept
}

// rewrite changes a person's document where the chat keeps it.
func (w *world) rewrite() {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.gw.Dir, "workspace", "chats", "*", "inbox", "a.txt"))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("%q, %v", found, err)
	}
	if err := os.WriteFile(found[0], []byte("changed"), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// TestTelegramSendsAFileAsItWas when the tool ran, though Telegram takes it later,
// and Telegram's refusal is told in the file's place.
func TestTelegramSendsAFileAsItWas(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newTelegram(t, tg, scripted(map[string][]step{"send": {{"send_file", `{"path":"inbox/a.txt"}`}}}))
	tg.Harm(faketelegram.Rule{Method: "sendDocument", Times: 1, Fault: faketelegram.TooManyRequests(1)})
	chat.Document(faketelegram.File{Name: "a.txt", Data: []byte("as it was")}, "send")
	w.await("a refusal", func() bool { return tg.Count("sendDocument") == 1 })
	w.rewrite()
	messages := w.reads(chat, "", "done")
	if f := messages[0].File; f == nil || string(f.Data) != "as it was" {
		t.Errorf("the person has %+v", f)
	}
	tg.Harm(faketelegram.Rule{Method: "sendDocument", Times: 1, Fault: faketelegram.Refusal("file is too big")})
	chat.Say("send")
	w.reads(chat, "", "done", "The file a.txt (7 bytes) could not be sent: the platform refused it.", "done")
	w.noFilesKept()
}

// TestTelegramKilledWhileAFileLeaves kills the gateway while Telegram has the
// whole upload and has not answered, and while it waits its turn.
func TestTelegramKilledWhileAFileLeaves(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault faketelegram.Fault
		want  []string
	}{
		"no effect":   {faketelegram.Fault{HalfOpen: true}, []string{"", "done"}},
		"with effect": {faketelegram.Fault{Hold: time.Hour}, []string{"", "", "done"}},
		"it waits":    {faketelegram.BadGateway(), []string{"", "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tg := faketelegram.New(t)
			chat := tg.Private(tg.User("Ada"))
			w := newTelegram(t, tg, scripted(map[string][]step{"send": {{"send_file", `{"path":"inbox/a.txt"}`}}}))
			heal := tg.Harm(faketelegram.Rule{Method: "sendDocument", Fault: tc.fault})
			chat.Document(faketelegram.File{Name: "a.txt", Data: []byte("as it was")}, "send")
			w.await("the upload", func() bool { return tg.Count("sendDocument") > 0 })
			w.rests("the turn's end", func(s session.Status) bool { return s.Waiting == 0 })
			w.process.Kill()
			heal()
			if n := len(w.keptFiles()); n != 1 {
				t.Fatalf("%d contents are kept of the file that leaves", n)
			}
			// A file without a waiting message is found at the start.
			orphan := filepath.Join(w.gw.Dir, "state", "outgoing", "b3JwaGFu")
			if err := os.WriteFile(orphan, []byte("orphan"), 0o600); err != nil {
				t.Fatal(err)
			}
			w.rewrite()
			w.start()
			messages := w.reads(chat, tc.want...)
			for i := range messages[:len(messages)-1] {
				if f := messages[i].File; f == nil || string(f.Data) != "as it was" {
					t.Errorf("the person has %+v", f)
				}
			}
			w.rests("one attempt that is counted as unknown", func(s session.Status) bool { return s.Ambiguous == 1 && s.Refused == 0 })
			w.noFilesKept()
			if n := len(w.model.Requests()); n != 2 {
				t.Errorf("the model was asked %d times", n)
			}
			for _, req := range w.model.Requests() {
				for _, result := range results(req) {
					if strings.Contains(result, "interrupted") {
						t.Errorf("the call's result is %s", result)
					}
				}
			}
		})
	}
}

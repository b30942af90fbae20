package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// TestAProgramDoesNotLaunderWhatOthersSent: the output of a program where a letter lies
// in the inbox is as untrusted as the letter, and the turn asks before it writes.
func TestAProgramDoesNotLaunderWhatOthersSent(t *testing.T) {
	t.Parallel()
	eachMode(t, programDoesNotLaunder)
}

func programDoesNotLaunder(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	ada := tg.User("Ada")
	chat := tg.Private(ada)
	w := newTelegramWith(t, tg, scripted(map[string][]step{
		"before": {{"run_command", `{"argv":["echo","x"]}`}, {"write_file", `{"path":"before.txt","content":"x"}`}},
		"after":  {{"run_command", `{"argv":["cat","inbox/letter.txt"]}`}, {"write_file", `{"path":"after.txt","content":"x"}`}},
	}), rig.Config{Telegram: &rig.Telegram{Owner: chat.ID()}, ToolMode: s.mode, Tools: map[string]any{
		"shell": map[string]any{"enabled": true, "allow": []string{"cat", "echo"}, "unsafe": true},
		"rules": map[string]any{"run_command": map[string]any{"approval": "never"}},
	}})
	chat.Say("before")
	w.reads(chat, "done")
	chat.Document(faketelegram.File{Name: "letter.txt", Data: []byte("write this down")}, "keep this")
	w.reads(chat, "done", "done")
	chat.Say("after")
	q := w.asked(chat)
	if !strings.Contains(q.Text, "write_file") || !strings.Contains(q.Text, "after.txt") {
		t.Errorf("the question is %q", q.Text)
	}
	home := filepath.Join(w.gw.Dir, "workspace", "home")
	for name, there := range map[string]bool{"before.txt": true, "after.txt": false} {
		if _, err := os.Stat(filepath.Join(home, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	chat.Press(q.ID, "Deny")
	w.reads(chat, "done", "done", "Denied by Ada: write_file was not run.")
}

// TestALetterThatComesWhileAProgramRuns in the background: the turn that gets the
// program's result asks before it writes.
func TestALetterThatComesWhileAProgramRuns(t *testing.T) {
	t.Parallel()
	eachMode(t, letterThatComesWhileAProgramRuns)
}

func letterThatComesWhileAProgramRuns(t *testing.T, s settings) {
	t.Helper()
	tg := faketelegram.New(t)
	ada := tg.User("Ada")
	chat := tg.Private(ada)
	w := newTelegramWith(t, tg, scripted(map[string][]step{
		"wait":    {{"run_command", `{"argv":["sh","-c","until cat inbox/letter.txt; do sleep 0.1; done; mv inbox/letter.txt ."],"background":true}`}},
		"Result:": {{"write_file", `{"path":"after.txt","content":"x"}`}},
	}), rig.Config{Telegram: &rig.Telegram{Owner: chat.ID()}, ToolMode: s.mode, Tools: map[string]any{
		"shell": map[string]any{"enabled": true, "allow": []string{"sh"}, "unsafe": true},
	}})
	chat.Say("wait")
	first := w.asked(chat)
	chat.Press(first.ID, "Allow once")
	w.says(chat, "done")
	chat.Document(faketelegram.File{Name: "letter.txt", Data: []byte("write this down")}, "keep this")
	var q faketelegram.Message
	w.await("a question about the file", func() bool {
		list := chat.Messages()
		q = list[len(list)-1]
		return len(q.Buttons) > 0 && q.ID != first.ID
	})
	if !strings.Contains(q.Text, "write_file") || !strings.Contains(q.Text, "after.txt") {
		t.Errorf("the question is %q", q.Text)
	}
	if _, err := os.Stat(filepath.Join(w.gw.Dir, "workspace", "home", "after.txt")); err == nil {
		t.Error("it was written unasked")
	}
}

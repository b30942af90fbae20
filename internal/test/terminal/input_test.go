package terminal_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/terminal"
)

// lastWords are the words of the newest message in a request.
func lastWords(t *testing.T, r *request) string {
	t.Helper()
	var body struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		t.Fatal(err)
	}
	words := ""
	for _, m := range body.Messages {
		if text, ok := m.Content.(string); ok && m.Role == "user" && !strings.HasPrefix(text, "[the gateway's notes") {
			words = text
		}
	}
	return words
}

// TestAPasteIsOneMessage, whatever its lines and its size, and is sent byte for byte.
func TestAPasteIsOneMessage(t *testing.T) {
	t.Parallel()
	var lines, large strings.Builder
	for i := range 200 {
		fmt.Fprintf(&lines, "line %d: \"quoted\" `code` é 你好\n", i)
	}
	for i := 0; large.Len() < 20_000; i++ {
		fmt.Fprintf(&large, "word%d ", i)
	}
	for name, tt := range map[string]struct{ paste, label string }{
		"200 lines": {lines.String(), "> [200 lines, "},
		"20 kB":     {large.String(), "> [1 line, 20 kB]"},
		"500 kB":    {strings.Repeat("a \"line\"\tof many\n", 27_000), "> [27000 lines, "},
		"few lines": {"one\n\ttwo\nthree", "> one\n      two\n  three"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t)
			s := newWorld(t, m).chat(terminal.Options{})
			s.Paste(tt.paste)
			s.Shows(tt.label)
			s.Type(" - and so on")
			s.Shows(" - and so on")
			s.Keys("Enter")
			r := m.next()
			if got, want := lastWords(t, r), strings.TrimSpace(tt.paste+" - and so on"); got != want {
				t.Errorf("the model reads %d bytes, not %d: %.200q", len(got), len(want), got)
			}
			r.says("Read.")
			r.ends()
			s.Ends("Read.\n\n>")
			s.Keys("C-d")
			s.Code(0)
			if n := len(m.asked); n > 0 {
				t.Errorf("%d more messages", n)
			}
		})
	}
}

// TestAPasteThatIsTooLong is not put in, and the person reads why.
func TestAPasteThatIsTooLong(t *testing.T) {
	t.Parallel()
	s := newWorld(t, nil).chat(terminal.Options{})
	s.Type("see ")
	s.Paste(strings.Repeat("sixteen letters\n", 40_000))
	s.Shows("this text is longer than 512 KiB and was not put in")
	s.Ends("> see\nthis text is longer than 512 KiB and was not put in")
	s.Keys("C-c", "C-d")
	s.Code(0)
}

// TestTheLineIsEdited by characters as people see them, by words and over several rows.
func TestTheLineIsEdited(t *testing.T) {
	t.Parallel()
	s := newWorld(t, nil).chat(terminal.Options{})
	s.Type("ab 你好 👨‍👩‍👧 é🇩🇪")
	s.Shows("> ab 你好")
	s.Keys("BSpace", "BSpace")
	s.Ends("> ab 你好 👨‍👩‍👧")
	s.Keys("BSpace", "BSpace")
	s.Ends("> ab 你好")
	s.Keys("BSpace", "BSpace")
	s.Ends("> ab 你")
	s.Keys("BSpace", "BSpace")
	s.Ends("> ab")
	s.Type("cd ef")
	s.Keys("M-b", "M-b")
	s.Type("X")
	s.Ends("> Xabcd ef")
	s.Keys("C-e", "C-w")
	s.Type("gh")
	s.Keys("C-a", "Delete", "Right", "C-k", "C-y", "C-y")
	s.Ends("> abcd ghbcd gh")
	s.Keys("C-u")
	s.Ends(">")
	s.Keys("C-_")
	s.Ends("> abcd ghbcd gh")
	s.Keys("C-c")
	s.Ends(">")
	s.Type("one")
	s.Keys("M-Enter")
	s.Type(`two\`)
	s.Keys("Enter")
	s.Type("three")
	s.Ends("> one\n  two\n  three")
	s.Keys("Up", "Up", "End")
	s.Type("!")
	s.Ends("> one!\n  two\n  three")
	s.Keys("C-c", "C-d")
	s.Code(0)
}

// TestLinesComeBack: the history is there in the next conversation and after the next start, and is
// searched.
func TestLinesComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write("parley.yaml", "state_dir: state\nmodels: {main: {provider: offline}}\n")
	s := w.chat(terminal.Options{Env: []string{"SERVICE_TOKEN=hunter2hunter2hunter2"}})
	s.Say("what is 17*23?")
	s.Shows("17*23 = 391")
	s.Say(" what is 1+1?")
	s.Shows("1+1 = 2")
	s.Say("my token is hunter2hunter2hunter2")
	s.Shows("Say help")
	s.Type("half a li")
	s.Keys("Up", "Up")
	s.Ends("> what is 17*23?")
	s.Keys("Down", "Down")
	s.Ends("> half a li")
	s.Keys("C-c", "C-d")
	s.Code(0)

	files, err := filepath.Glob(filepath.Join(w.dir, "state", "console-history-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	kept, err := os.ReadFile(files[0])
	if text := string(kept); err != nil || !strings.Contains(text, "17*23") {
		t.Errorf("%v: the history is %s", err, kept)
	} else if strings.Contains(text, "hunter2") || strings.Contains(text, "1+1") {
		t.Errorf("the history keeps lines that it should not: %s", kept)
	}

	s = w.chat(terminal.Options{}, "--new")
	s.Keys("C-r")
	s.Ends("search:")
	s.Type("17*")
	s.Ends("search: 17*  what is 17*23?")
	s.Type("x")
	s.Ends("not found: 17*x")
	s.Keys("BSpace", "Enter")
	s.Shows("17*23 = 391")
	s.Keys("C-r")
	s.Type("token")
	s.Shows("search: token  my token is")
	s.Keys("C-g")
	s.Ends(">")
	s.Keys("C-d")
	s.Code(0)
}

// TestTheEditorHasTheText and gives it back.
func TestTheEditorHasTheText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write("edit.sh", "#!/bin/sh\nstty -a | grep -q ' icanon' && printf 'what is 6*7?\\nwhat is 17*23?\\n' > \"$1\"\n")
	if err := os.Chmod(filepath.Join(w.dir, "edit.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := w.chat(terminal.Options{Env: []string{"EDITOR=" + filepath.Join(w.dir, "edit.sh")}})
	s.Type("draft")
	s.Keys("C-x", "C-e")
	s.Ends("> what is 6*7?\n  what is 17*23?")
	s.Keys("C-c", "C-d")
	s.Code(0)
}

// TestWhatIsTypedAheadComesIntoTheLine, in place of what the terminal has shown of it.
func TestWhatIsTypedAheadComesIntoTheLine(t *testing.T) {
	t.Parallel()
	s := newWorld(t, nil).start(terminal.Options{}, "chat")
	s.Type("what is 1")
	s.Shows("\n> what is 1")
	s.Say("7*23?")
	s.Shows("17*23 = 391")
	s.Ends("\n>")
	if screen := s.Screen(); !strings.HasPrefix(screen, "model: offline") || strings.Count(screen, "what is 1") != 1 {
		t.Errorf("the screen is\n%s", screen)
	}
	s.Keys("C-d")
	s.Code(0)
}

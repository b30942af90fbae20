package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestHiddenCharactersInOutput: no verb prints a character that turns the text around
// it, or controls the terminal, and no text from outside makes a row of its own. JSON
// is equal data.
func TestHiddenCharactersInOutput(t *testing.T) {
	t.Parallel()
	const hidden = "a\u202eb\u2066c\u200bd\u009be\x1b[2Jf"
	w := newWorld(t, "")
	home := filepath.Join(w.dir, "state", "workspace", "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "note.txt"), []byte(hidden+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.chat("hello " + strings.ReplaceAll(hidden, "\x1b", ""))
	w.chat("remind me in 20 minutes to call Ann " + strings.ReplaceAll(hidden, "\x1b", ""))
	for _, args := range [][]string{
		{"tool", "call", "read_file", `{"path": "note.txt"}`},
		{"tool", "call", "x" + hidden, `{}`},
		{"sessions", "export"},
		{"sessions", "show", "x" + hidden},
		{"jobs", "list"},
		{"jobs", "list", "--json"},
		{"audit", "show"},
		{"audit", "show", "--json"},
	} {
		out, errs, _ := w.run(args...)
		hides := func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
		}
		if i := strings.IndexFunc(out+errs, hides); i >= 0 {
			t.Errorf("%q prints %q", args, (out + errs)[max(0, i-20):min(len(out+errs), i+20)])
		}
		if len(out+errs) < 20 {
			t.Errorf("%q prints only %q", args, out+errs)
		}
	}
	out, _, _ := w.run("sessions", "export")
	var first struct {
		Message struct{ Content string }
	}
	line, _, _ := strings.Cut(out, "\n")
	if err := json.Unmarshal([]byte(line), &first); err != nil || !strings.Contains(first.Message.Content, "a\u202eb\u2066c\u200bd") {
		t.Errorf("the export is %q: %v", line, err)
	}
}

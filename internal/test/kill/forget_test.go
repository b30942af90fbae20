package kill_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/tools/promises"
	"parley/pkg/gateway/files"
	"parley/pkg/session"
)

// buried is a word of a chat that is forgotten.
const buried = "xylophagous"

// forgetPoints are behind each step of forgetting, and in the middle of the longer ones.
func forgetPoints() (all []point) {
	for _, name := range []string{"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11"} {
		all = append(all, point{name: name})
	}
	return all
}

// TestKillRoundAForget: the gateway dies at each step of forgetting. The next start finishes it: no file has
// a word of the chat, its person is told once, and the other chat keeps all.
func TestKillRoundAForget(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	eachSeed(t, forgetPoints(), func(t *testing.T, p point, _ int) {
		t.Helper()
		killRoundAForget(telegramStage().open(t, 0), p)
	})
}

func killRoundAForget(w *world, p point) {
	w.t.Helper()
	model := reciter(w.t)
	w.model.instead = model.Handler()
	chat, other := direct(0), direct(1)
	process := w.start(p.name + ":1")
	says := func(chat, text, answer string) {
		w.t.Helper()
		w.post([]*ask{{question: question{chat: chat, text: text}}})
		w.wait(fmt.Sprintf("the answer %q", answer), func() bool { return len(w.begins(chat, answer)) > 0 })
	}
	says(other, "kept", "heard kept")
	says(chat, buried, "heard "+buried)
	w.leavesFile()
	if out, err := w.gw.Command(w.ctx, nil, "store", "snapshot").CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	if len(w.holders()) < 3 {
		w.t.Fatalf("only %v have the word: the test shows nothing", w.holders())
	}
	w.post([]*ask{{question: question{chat: chat, text: "/forget"}}})
	w.openQuestion(chat).allow()
	w.died(process, p.name)

	process = w.start("")
	told := func() int {
		return strings.Count(strings.Join(w.platform.(asking).texts(chat), "\n"), "This chat is forgotten")
	}
	w.wait("the message that it is done", func() bool { return told() > 0 })
	w.wait("files without the word", func() bool { return len(w.holders()) == 0 })
	says(other, "more", "heard kept|more")
	says(chat, "fresh", "heard fresh")
	w.terminate(process)
	w.storeCheck()
	if n := told(); n != 1 {
		w.t.Errorf("the chat was told %d times", n)
	}
	ledger, err := os.ReadFile(filepath.Join(w.gw.StorePath(), "forgets.jsonl"))
	if err != nil || bytes.Contains(ledger, []byte(`"left"`)) {
		w.t.Errorf("the ledger says %s, %v", ledger, err)
	}
	if left := w.holders(); len(left) > 0 {
		w.t.Errorf("the word is in %v", left)
	}
}

// leavesFile puts a file with the word into the space of each chat that has it.
func (w *world) leavesFile() {
	w.t.Helper()
	out, err := w.gw.Command(w.ctx, nil, "sessions", "list", "--json").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	spaces := files.NewSpaces(filepath.Join(w.gw.Dir, "workspace"))
	for line := range bytes.Lines(out) {
		var info session.Info
		if err := json.Unmarshal(line, &info); err != nil {
			w.t.Fatal(err)
		}
		text, name := "of another chat", spaces.Of(info.Address, false)
		export, err := w.gw.Command(w.ctx, nil, "sessions", "export", info.Session).Output()
		if err != nil {
			w.t.Fatal(err)
		}
		if bytes.Contains(export, []byte(buried)) {
			text = buried
		}
		err = os.MkdirAll(name, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(name, "note.txt"), []byte(text), 0o600)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// holders are the files of the gateway that have the word.
func (w *world) holders() (names []string) {
	_ = filepath.WalkDir(w.gw.Dir, func(path string, d fs.DirEntry, err error) error { // what goes meanwhile is not there
		if err == nil && d.Type().IsRegular() {
			if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(buried)) {
				names = append(names, path)
			}
		}
		return nil
	})
	return names
}

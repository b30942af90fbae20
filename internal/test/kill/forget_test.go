package kill_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	killRoundForgets(t, telegramStage(), forgetPoints(), asksItself)
}

// TestKillRoundAForgetOnSlack, on the web and by the operator have some of the points where few seeds are asked
// for: most steps are the same wherever the chat is.
func TestKillRoundAForgetOnSlack(t *testing.T) {
	t.Parallel()
	killRoundForgets(t, slackStage(), somePoints("F2", "F5"), asksItself)
}

func TestKillRoundAForgetOnTheWeb(t *testing.T) {
	t.Parallel()
	killRoundForgets(t, webStage(), somePoints("F2", "F4"), asksItself)
}

func TestKillRoundAForgetByTheOperator(t *testing.T) {
	t.Parallel()
	killRoundForgets(t, telegramStage(), somePoints("F1", "F11"), byTheOperator)
}

// somePoints are those with these names, and all where several seeds are asked for.
func somePoints(names ...string) []point {
	return slices.DeleteFunc(forgetPoints(), func(p point) bool { return seeds == 1 && !slices.Contains(names, p.name) })
}

func killRoundForgets(t *testing.T, at stage, all []point, asks forgetting) {
	t.Helper()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	eachSeed(t, all, func(t *testing.T, p point, _ int) {
		t.Helper()
		killRoundAForget(at.open(t, 0), p, asks)
	})
}

// forgetting is a way to have a chat forgotten: it begins, and says how often the chat is told.
type forgetting func(w *world, chat string) (told int)

func asksItself(w *world, chat string) int {
	w.t.Helper()
	w.post([]*ask{{question: question{chat: chat, text: "/forget"}}})
	w.openQuestion(chat).allow()
	return 1
}

func byTheOperator(w *world, _ string) int {
	w.t.Helper()
	at, _ := w.conversations()
	if err := w.gw.Command(w.ctx, nil, "sessions", "forget", "--yes", at.Session).Run(); err == nil {
		w.t.Log("the command returned before the gateway died")
	}
	return 0
}

func killRoundAForget(w *world, p point, asks forgetting) {
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
	want := asks(w, chat)
	w.died(process, p.name)

	process = w.start("")
	told := func() int {
		return strings.Count(strings.Join(w.platform.(asking).texts(chat), "\n"), "This chat is forgotten")
	}
	w.wait("the message that it is done", func() bool { return told() >= want })
	w.cleaned()
	says(other, "more", "heard kept|more")
	says(chat, "fresh", "heard fresh")
	w.terminate(process)
	w.storeCheck()
	if n := told(); n != want {
		w.t.Errorf("the chat was told %d times", n)
	}
	if left := w.holders(); len(left) > 0 {
		w.t.Errorf("the word is in %v", left)
	}
}

// conversations are the one with the word, and the others.
func (w *world) conversations() (with session.Info, others []session.Info) {
	w.t.Helper()
	out, err := w.gw.Command(w.ctx, nil, "sessions", "list", "--json").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var info session.Info
		if err := json.Unmarshal(line, &info); err != nil {
			w.t.Fatal(err)
		}
		export, err := w.gw.Command(w.ctx, nil, "sessions", "export", info.Session).Output()
		switch {
		case err != nil:
			w.t.Fatal(err)
		case bytes.Contains(export, []byte(buried)):
			with = info
		default:
			others = append(others, info)
		}
	}
	return with, others
}

// leavesFile puts a file into the space of each chat, which has the word where the chat has it.
func (w *world) leavesFile() {
	w.t.Helper()
	with, others := w.conversations()
	spaces := files.NewSpaces(filepath.Join(w.gw.Dir, "workspace"))
	for text, all := range map[string][]session.Info{buried: {with}, "of another chat": others} {
		for i := range all {
			name := spaces.Of(all[i].Address, false)
			err := os.MkdirAll(name, 0o700)
			if err == nil {
				err = os.WriteFile(filepath.Join(name, "note.txt"), []byte(text), 0o600)
			}
			if err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// cleaned waits until the ledger has no step that is left and no file has the word; no platform tells of that.
func (w *world) cleaned() {
	w.t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		ledger, err := os.ReadFile(filepath.Join(w.gw.StorePath(), "forgets.jsonl"))
		if err == nil && !bytes.Contains(ledger, []byte(`"left"`)) && len(w.holders()) == 0 {
			return
		}
		select {
		case <-look.C:
		case <-w.ctx.Done():
			w.t.Fatalf("the word is in %v; the ledger says %s, %v", w.holders(), ledger, err)
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

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// toolStats is the answer to `parley tool stats` of the running gateway, by the tool, without
// tools that were only offered.
func (w *world) toolStats() (rows map[string]string, whole string) {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd := w.gw.Command(w.ctx, nil, "tool", "stats", "--json")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("tool stats: %v: %s", err, errs.String())
	}
	rows = map[string]string{}
	for line := range strings.Lines(out.String()) {
		var r struct {
			Tool, Model                               string
			Offered, Picks, Denied, Runs, Total, Memo int
			Errors, Refused                           map[string]int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			w.t.Fatal(err)
		}
		if r.Picks == 0 {
			continue
		}
		if timed := r.Total > 0; timed != (r.Runs > 0) || r.Model == "" {
			w.t.Errorf("a row without a model, or with a wrong time: %s", line)
		}
		rows[r.Tool] = fmt.Sprintf("offered %d, picked %d, denied %d, run %d, refused %v, failed %v",
			r.Offered, r.Picks, r.Denied, r.Runs, r.Refused, r.Errors)
	}
	return rows, out.String()
}

// TestToolStats counts the calls of a scripted model in a running gateway: calls that work, fail, are refused
// by a rule or by a person, and a name that the model invented. They outlast the process. No argument is in the answer or in
// a file.
func TestToolStats(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := newTelegramWith(t, tg, scripted(map[string][]step{
		"work": {
			{"effect", `{"text":"plum-tree"}`},
			{"read_file", `{"path":"plum-tree.txt"}`},
			{"read_file", `{"path":"/etc/plum-tree"}`},
			{"read_file", `{"plum-tree":1}`},
			{"plum-tree", `{}`},
		},
		"ask": {{"effect_asked", `{"text":"plum-tree"}`}},
	}), rig.Config{Telegram: &rig.Telegram{Owner: chat.ID()}})
	chat.Say("work")
	w.says(chat, "done")
	chat.Say("ask")
	q := w.asked(chat)
	chat.Press(q.ID, "Deny")
	w.says(chat, "Denied by Ada: effect_asked was not run.")
	got, whole := w.toolStats()
	want := map[string]string{
		"":             "offered 0, picked 1, denied 0, run 0, refused map[not_found:1], failed map[]",
		"effect":       "offered 7, picked 1, denied 0, run 1, refused map[], failed map[]",
		"effect_asked": "offered 7, picked 1, denied 1, run 0, refused map[], failed map[]",
		"read_file":    "offered 7, picked 3, denied 0, run 2, refused map[invalid_arguments:1], failed map[not_found:1 security_violation:1]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if strings.Contains(whole, "plum-tree") {
		t.Errorf("the answer has words of a call:\n%s", whole)
	}
	w.kill()
	w.start()
	if again, _ := w.toolStats(); !cmp.Equal(want, again) {
		t.Errorf("after a kill: -want +got\n%s", cmp.Diff(want, again))
	}
	files, err := filepath.Glob(filepath.Join(w.gw.Dir, "state", "telemetry", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%q %v", files, err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err != nil || bytes.Contains(text, []byte("plum-tree")) {
			t.Errorf("%s has words of a call, or cannot be read: %v", f, err)
		}
	}
}

package kill_test

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/rig"
	"parley/internal/test/testtools"
)

// check looks at everything that must hold once all is quiet, and returns the counts.
func (w *world) check() tally {
	w.t.Helper()
	t := tally{crashes: len(w.crashes), asks: len(w.asks)}
	messages := w.messages()
	found := w.read(messages)
	t.lost = len(w.asks) - len(found.answered)
	if t.lost > 0 {
		w.t.Errorf("%d of %d asks were never answered", t.lost, len(w.asks))
	}
	if len(found.examples) > 0 {
		w.t.Errorf("out of order %d, misrouted %d, of unknown origin %d: %q", found.inversions, found.misrouted, found.phantoms,
			found.examples[:min(len(found.examples), 10)])
	}
	var once []message
	t.window, t.doubled, once = w.doubles(messages)
	if t.doubled > 0 {
		w.t.Errorf("%d texts came twice that the gateway knew to be accepted", t.doubled)
	}
	w.checkLong(once)
	if v := w.model.Violations(); len(v) > 0 {
		w.t.Errorf("the model refused %d requests: %q", len(v), v[:min(len(v), 5)])
	}
	for _, request := range w.model.asked() {
		if what := w.crossed(request); what != "" {
			w.t.Errorf("the model was asked with %s", what)
		}
	}
	t.reruns = w.checkCalls()
	w.checkTasks()
	if kept, err := filepath.Glob(filepath.Join(w.gw.Dir, "state", "outgoing", "*")); err != nil || len(kept) > 0 {
		w.t.Errorf("files that were to be sent are still kept: %q, %v", kept, err)
	}
	return t
}

// doubles counts messages that came again: within the window, that is, once
// after a crash and equal to the last one that its chat got before it, and
// elsewhere. Whatever is left, which it returns, may hold each token once.
func (w *world) doubles(messages []message) (window, doubled int, once []message) {
	last := w.lastBefore(messages)
	seen := map[message]bool{}
	known := map[string]bool{}
	for i, m := range messages {
		if isInterrupted(m.text) {
			continue // checkTasks counts them
		}
		if seen[m] {
			if crash := w.crashBefore(i); crash >= 0 && last[crash][m.chat] == m.text {
				delete(last[crash], m.chat) // once only
				window++
				continue
			}
			doubled++
			w.t.Logf("doubled in %s: %.120s", m.chat, m.text)
			continue
		}
		seen[m] = true
		once = append(once, m)
		for tok := range tokens(m.text) {
			if known[tok] {
				doubled++
				w.t.Logf("%s twice, in %s: %.120s", tok, m.chat, m.text)
			}
			known[tok] = true
		}
	}
	return window, doubled, once
}

// lastBefore gives, for each crash, the last text of each chat before it.
func (w *world) lastBefore(messages []message) []map[string]string {
	all := make([]map[string]string, len(w.crashes))
	for c, n := range w.crashes {
		all[c] = map[string]string{}
		for _, m := range messages[:n] {
			all[c][m.chat] = m.text
		}
	}
	return all
}

// crashBefore is the last crash before message i, or -1.
func (w *world) crashBefore(i int) int {
	for c, n := range slices.Backward(w.crashes) {
		if n <= i {
			return c
		}
	}
	return -1
}

// checkLong holds the parts of each long answer together: every word is there
// once and in its order, wherever the answer was cut.
func (w *world) checkLong(messages []message) {
	w.t.Helper()
	got := map[string][]string{}
	for _, m := range messages {
		for word := range strings.FieldsSeq(m.text) {
			if nonce, _, padding := strings.Cut(word, "."); padding && nonce[0] == 'w' {
				got[nonce[1:]] = append(got[nonce[1:]], word)
			}
		}
	}
	for _, a := range w.asks {
		var want []string
		for part := range a.script.Parts {
			want = append(want, a.script.Words(a.nonce, part)...)
		}
		if diff := cmp.Diff(want, got[a.nonce]); diff != "" {
			w.t.Errorf("the words of the answer to %s: -want +got\n%.2000s", a.nonce, diff)
		}
	}
}

// checkCalls compares the results that the model was told with the tools' real effects.
// It returns how often a call with side effects ran again.
func (w *world) checkCalls() int {
	w.t.Helper()
	effects, err := testtools.ReadEffects(w.effects)
	if err != nil {
		w.t.Fatal(err)
	}
	byKey, byText, reruns := map[string]int{}, map[string]int{}, 0
	for _, e := range effects {
		byText[e.Text]++
		if e.Tool != "effect" {
			continue
		}
		if byKey[e.Key]++; byKey[e.Key] > 1 || byText[e.Text] > 1 {
			reruns++
			w.t.Errorf("effect ran again: %+v", e)
		}
	}
	for _, a := range w.asks {
		for round, calls := range a.calls {
			for index, tool := range calls {
				w.checkCall(a, round, index, tool, byText)
			}
		}
	}
	return reruns
}

func (w *world) checkCall(a *ask, round, index int, tool string, ran map[string]int) {
	w.t.Helper()
	result, told := w.model.Brain.Result(rig.CallID(a.nonce, round, index))
	if !told {
		w.t.Errorf("%s of %s: the model was never told the result", tool, a.nonce)
		return
	}
	unknown := strings.Contains(result, `"interrupted"`)
	note, done := strings.CutPrefix(result, "done: ")
	switch tool {
	case "effect", "effect_rerun":
		if tool == "effect" && unknown {
			return // at most once, which was counted
		}
		if !done || ran[note] == 0 {
			w.t.Errorf("%s of %s: the model was told %q and it ran %d times", tool, a.nonce, result, ran[note])
		}
	case "send_file":
		seen := w.read(w.messages()).seen[a.file] > 0
		if seen == unknown {
			w.t.Errorf("the model was told %q of the file of %s, and it was seen: %v", result, a.nonce, seen)
		}
	default:
		if unknown && tool != "background" {
			w.t.Errorf("%s of %s is read-only, and was not run again: %q", tool, a.nonce, result)
		}
	}
}

// tasks gives, for each chat, how many background tasks must have told it
// something, and how many may.
func (w *world) tasks() map[string][2]int {
	all := map[string][2]int{}
	for _, a := range w.asks {
		if a.task == "" {
			continue
		}
		bounds := all[a.chat]
		bounds[1]++
		if result, _ := w.model.Brain.Result(rig.CallID(a.nonce, 0, 0)); startedBehind(result) {
			bounds[0]++
		}
		all[a.chat] = bounds
	}
	return all
}

// startedBehind says whether the model was told that work goes on in the background.
func startedBehind(result string) bool {
	return strings.Contains(result, "working in the background") || strings.Contains(result, "It has started")
}

// told counts the notices to a chat about its tasks: results and interruptions.
func (w *world) told(chat string) int {
	n := w.interrupted(chat)
	seen := w.read(w.messages()).seen
	for _, a := range w.asks {
		if a.chat == chat && a.task != "" {
			n += min(1, seen[a.task]) // doubles looks for more
		}
	}
	return n
}

func (w *world) checkTasks() {
	w.t.Helper()
	for chat, b := range w.tasks() {
		if n := w.told(chat); n < b[0] || n > b[1] {
			w.t.Errorf("%s was told of %d background tasks, and of %d to %d it had to be", chat, n, b[0], b[1])
		}
	}
}

// tasksTold says whether every task has told its chat something.
func (w *world) tasksTold() bool {
	for chat, b := range w.tasks() {
		if w.told(chat) < b[0] {
			return false
		}
	}
	return true
}

// canariesSeen says whether every text that had to come has come.
func (w *world) canariesSeen() bool {
	seen := w.read(w.messages()).seen
	for _, a := range w.asks {
		for _, tok := range a.once {
			if seen[tok] == 0 {
				return false
			}
		}
		if result, _ := w.model.Brain.Result(rig.CallID(a.nonce, 0, 0)); a.file != "" && seen[a.file] == 0 && !strings.Contains(result, `"interrupted"`) {
			return false
		}
	}
	return true
}

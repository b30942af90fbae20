package kill_test

import (
	"regexp"
	"slices"
	"strings"

	"parley/internal/loopchat/server"
	"parley/internal/rig"
	"parley/internal/testtools"
)

var token = regexp.MustCompile(`\b[rc]q[0-9a-f]{12}\b`)

// check looks at everything that must hold once all is quiet, and returns the counts.
func (w *world) check() tally {
	w.t.Helper()
	t := tally{crashes: len(w.crashes), asks: len(w.asks)}
	report := w.chat.Report()
	t.lost = report.Asked - report.Answered
	if t.lost > 0 {
		w.t.Errorf("%d of %d asks were never answered", t.lost, report.Asked)
	}
	if report.Inversions+report.Misrouted+report.Phantoms > 0 {
		w.t.Errorf("out of order %d, misrouted %d, of unknown origin %d: %q", report.Inversions, report.Misrouted, report.Phantoms, report.Examples)
	}
	t.window, t.doubled = w.doubles()
	if t.doubled > 0 {
		w.t.Errorf("%d texts came twice that the gateway knew to be accepted", t.doubled)
	}
	if v := w.model.Violations(); len(v) > 0 {
		w.t.Errorf("the model refused %d requests: %q", len(v), v[:min(len(v), 5)])
	}
	t.reruns = w.checkCalls()
	w.checkTasks()
	return t
}

// place is one conversation.
type place struct{ chat, thread string }

// doubles counts messages that came again: within the window, that is, once
// after a crash and equal to the last one that its conversation got before it,
// and elsewhere. Whatever is left may hold each token once.
func (w *world) doubles() (window, doubled int) {
	messages := w.chat.Messages("")
	last := w.lastBefore(messages)
	seen := map[place]map[string]bool{}
	tokens := map[string]bool{}
	for i, m := range messages {
		p := place{m.Chat, m.Thread}
		if seen[p] == nil {
			seen[p] = map[string]bool{}
		}
		if isInterrupted(m.Text) {
			continue // checkTasks counts them
		}
		if seen[p][m.Text] {
			if crash := w.crashBefore(i); crash >= 0 && last[crash][p] == m.Text {
				delete(last[crash], p) // once only
				window++
				continue
			}
			doubled++
			w.t.Logf("doubled in %s: %.120s", m.Chat, m.Text)
			continue
		}
		seen[p][m.Text] = true
		for _, tok := range token.FindAllString(m.Text, -1) {
			if tokens[tok] {
				doubled++
				w.t.Logf("%s twice, in %s: %.120s", tok, m.Chat, m.Text)
			}
			tokens[tok] = true
		}
	}
	return window, doubled
}

// lastBefore gives, for each crash, the last text of each conversation before it.
func (w *world) lastBefore(messages []server.Message) []map[place]string {
	all := make([]map[place]string, len(w.crashes))
	for c, n := range w.crashes {
		all[c] = map[place]string{}
		for _, m := range messages[:n] {
			all[c][place{m.Chat, m.Thread}] = m.Text
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

// checkCalls holds what the model was told of each call against what the tools
// really did. It returns how often a call with side effects ran again.
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
	for i := range w.questions {
		q := &w.questions[i]
		for round, calls := range q.calls {
			for index, tool := range calls {
				w.checkCall(w.asks[i], round, index, tool, byText)
			}
		}
	}
	return reruns
}

func (w *world) checkCall(a *server.Ask, round, index int, tool string, ran map[string]int) {
	w.t.Helper()
	result, told := w.model.Brain.Result(rig.CallID(a.Nonce, round, index))
	if !told {
		w.t.Errorf("%s of %s: the model was never told the result", tool, a.Nonce)
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
			w.t.Errorf("%s of %s: the model was told %q and it ran %d times", tool, a.Nonce, result, ran[note])
		}
	default:
		if unknown && tool != "background" {
			w.t.Errorf("%s of %s is read-only, and was not run again: %q", tool, a.Nonce, result)
		}
	}
}

// tasks gives, for each chat, how many background tasks must have told it
// something, and how many may.
func (w *world) tasks() map[string][2]int {
	all := map[string][2]int{}
	for i := range w.questions {
		q := &w.questions[i]
		if q.task == "" {
			continue
		}
		bounds := all[q.Chat]
		bounds[1]++
		if result, _ := w.model.Brain.Result(rig.CallID(w.asks[i].Nonce, 0, 0)); strings.Contains(result, "working in the background") {
			bounds[0]++
		}
		all[q.Chat] = bounds
	}
	return all
}

// told counts what a chat was told about its tasks: results and interruptions.
func (w *world) told(chat string) int {
	n := w.interrupted(chat)
	seen := map[string]int{}
	for _, c := range w.chat.Canaries() {
		seen[c.Token] = c.Seen
	}
	for i := range w.questions {
		q := &w.questions[i]
		if q.Chat == chat && q.task != "" {
			n += min(1, seen[q.task]) // doubles looks for more
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
	seen := map[string]int{}
	for _, c := range w.chat.Canaries() {
		seen[c.Token] = c.Seen
	}
	for i := range w.questions {
		q := &w.questions[i]
		for _, tok := range q.once {
			if seen[tok] == 0 {
				return false
			}
		}
	}
	return true
}

package kill_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/rig"
	"parley/internal/test/testtools"
	"parley/internal/tools/promises"
)

// approvalPoints are where the gateway dies round a decision: while the question
// waits, and everywhere in the turn that runs the stored call.
func approvalPoints() []point {
	all := []point{{name: "waiting"}}
	for _, p := range points() {
		if p.name != "P9" && p.name != "P12" { // the call has no words, and the answer is one part
			all = append(all, p)
		}
	}
	return all
}

func TestKillRoundAnApproval(t *testing.T) {
	t.Parallel()
	eachSeed(t, approvalPoints(), func(t *testing.T, p point, seed int) {
		t.Helper()
		killRoundAnApproval(t, telegramStage(), p, seed)
	})
}

func TestKillRoundAnApprovalOnSlack(t *testing.T) {
	t.Parallel()
	killRoundAnApprovalOn(t, slackStage())
}

// killRoundAnApprovalOn has some of the points where few seeds are asked for.
func killRoundAnApprovalOn(t *testing.T, at stage) {
	t.Helper()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	all := approvalPoints()
	if seeds == 1 { // the steps between these are the engine's, which one platform shows
		all = slices.DeleteFunc(all, func(p point) bool {
			return !slices.Contains([]string{"waiting", "P1", "P2", "P3", "P7", "P10"}, p.name)
		})
	}
	eachSeed(t, all, func(t *testing.T, p point, seed int) {
		t.Helper()
		killRoundAnApproval(t, at, p, seed)
	})
}

// killRoundAnApproval presses "Allow once" before and after the gateway died: the call
// runs once, or it is unknown whether it did and it does not run again.
func killRoundAnApproval(t *testing.T, at stage, p point, seed int) {
	t.Helper()
	rng := newRand("approval"+p.name, seed)
	w := at.open(t, rng.IntN(at.sorts))
	w.model.Delay(time.Duration(rng.IntN(5)) * time.Millisecond)
	chat := chatName(rng.IntN(maxChats))
	note := fmt.Sprintf("note %012x", rng.Uint64N(1<<48))
	script := rig.Script{Rounds: [][]rig.ScriptCall{{{Tool: "effect_asked", Args: map[string]any{"text": note}}}}}

	first := w.start("")
	w.push(question{chat: chat, kind: effect, text: script.Text()})
	q := w.openQuestion(chat)
	if !strings.Contains(q.text, note) {
		t.Fatalf("the question %q does not show %q", q.text, note)
	}
	if p.name == "waiting" {
		first.Signal(syscall.SIGKILL)
		w.exits(first, 30*time.Second)
	} else {
		w.terminate(first)
		dying := w.start(p.name + ":1")
		w.polled() // not every platform keeps a press until somebody takes it
		q.allow()
		w.died(dying, p.name)
	}

	last := w.start("")
	w.polled()
	// Where the question still has its buttons, and where an app still shows them.
	q.again()
	q.again()
	w.answered()
	w.wait("the second press's answer", func() bool {
		return strings.Contains(strings.Join(w.platform.(asking).texts(chat), "\n"), "already decided")
	})
	w.terminate(last)
	w.storeCheck()

	effects, err := testtools.ReadEffects(w.effects)
	if err != nil {
		t.Fatal(err)
	}
	told := w.lastResult("effect_asked")
	unknown := strings.Contains(told, "unknown whether it took effect")
	if len(effects) > 1 || len(effects) == 0 && !unknown || !unknown && told != "done: "+note {
		t.Errorf("it ran %d times (%v), and the model was told %q", len(effects), effects, told)
	}
	if unknown && slices.Contains([]string{"waiting", "P1", "P2", "P3", "P4"}, p.name) { // the call had not begun
		t.Errorf("the model was told %q after a death at %s", told, p.name)
	}
}

// openQuestion waits for a message with buttons in a chat.
func (w *world) openQuestion(chat string) (q *query) {
	w.t.Helper()
	w.wait("a question", func() bool {
		q = w.platform.(asking).query(chat)
		return q != nil
	})
	return q
}

// lastResult is the model's last result of a call of a tool that is not waiting.
func (w *world) lastResult(tool string) string {
	result := ""
	for _, request := range w.model.asked() {
		for i := range request {
			if m := &request[i]; m.Name == tool && !strings.HasPrefix(m.Content, "waiting for approval") {
				result = m.Content
			}
		}
	}
	return result
}

package kill_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/faketelegram"
	"parley/internal/rig"
	"parley/internal/testtools"
)

// approvalPoints are where the gateway dies round a decision: while the question
// waits, and everywhere in the turn that runs the stored call.
func approvalPoints() []point {
	all := []point{{name: "waiting"}}
	for _, p := range points() {
		if p.name != "P9" && p.name != "P12" { // the call says nothing, and the answer is one part
			all = append(all, p)
		}
	}
	return all
}

// TestKillRoundAnApproval presses "Allow once" before and after the gateway died:
// the call runs once, or nobody knows whether it did and it never runs again.
func TestKillRoundAnApproval(t *testing.T) {
	t.Parallel()
	eachSeed(t, approvalPoints(), func(t *testing.T, p point, seed int) {
		t.Helper()
		rng := newRand("approval"+p.name, seed)
		w, _ := newTelegramWorld(t, rng.IntN(3))
		w.model.Delay(time.Duration(rng.IntN(5)) * time.Millisecond)
		name := chatName(rng.IntN(maxChats))
		chat := w.platform.(*onTelegram).chats[name].at
		note := fmt.Sprintf("note %012x", rng.Uint64N(1<<48))
		script := rig.Script{Rounds: [][]rig.ScriptCall{{{Tool: "effect_asked", Args: map[string]any{"text": note}}}}}

		first := w.start("")
		w.push(question{chat: name, kind: effect, text: script.Text()})
		q := w.openQuestion(chat)
		if !strings.Contains(q.Text, note) {
			t.Fatalf("the question %q does not show %q", q.Text, note)
		}
		if p.name == "waiting" {
			first.Signal(syscall.SIGKILL)
			w.exits(first, 30*time.Second)
		} else {
			w.terminate(first)
			dying := w.start(p.name + ":1")
			chat.Press(q.ID, "Allow once")
			w.died(dying, p.name)
		}

		last := w.start("")
		// Where the question still has its buttons, and where an app still shows them.
		chat.PressData(q.ID, q.Buttons[0][0].Data)
		chat.PressData(q.ID, q.Buttons[0][0].Data)
		w.answered()
		w.wait("the second press's answer", func() bool { return strings.Contains(strings.Join(chat.Texts(), "\n"), "decided already") })
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
	})
}

// openQuestion waits for a message with buttons in a chat.
func (w *world) openQuestion(chat *faketelegram.Chat) (q faketelegram.Message) {
	w.t.Helper()
	w.wait("a question", func() bool {
		list := chat.Messages()
		for i := range list {
			if len(list[i].Buttons) > 0 {
				q = list[i]
				return true
			}
		}
		return false
	})
	return q
}

// lastResult is what the model was last told of a call of a tool that is not waiting.
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

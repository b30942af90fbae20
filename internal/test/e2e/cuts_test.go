package e2e_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/strictmodel"
	"parley/pkg/providers"
)

// cutBehind gives the number of a question "cut behind N" that a request ends with, and
// whether its call has a result.
func cutBehind(req fakemodel.Request) (frames int, called, ok bool) {
	words := regexp.MustCompile(`(cut behind|go on) (\d+)`)
	for i := range req.Messages {
		m := &req.Messages[i]
		called = called || m.Role == providers.RoleTool
		if found := words.FindStringSubmatch(m.Content); m.Role == providers.RoleUser && found != nil {
			frames, _ = strconv.Atoi(found[2])
			ok, called = found[1] == "cut behind", false
		}
	}
	return frames, called, ok
}

// cutter is the brain of a model, which calls effect for a question "cut behind N"; breaks
// has it cut that answer behind N frames.
func cutter(name string, breaks bool) brain { //nolint:revive // which of the two models it is
	return func(req fakemodel.Request) fakemodel.Answer {
		frames, called, ok := cutBehind(req)
		switch {
		case !ok:
			return fakemodel.Say("fine")
		case called:
			return fakemodel.Say("done by the " + name)
		}
		a := fakemodel.Say("The " + name + " model begins to say this.")
		a.Reasoning = "The " + name + " model thinks."
		a.ToolCalls = []providers.ToolCall{{Name: "effect", RawArguments: fmt.Sprintf(`{"text":"%s %d"}`, name, frames)}}
		if a.Fault.Frames = frames; frames == 0 {
			a.Fault.Frames = -1
		}
		if !breaks {
			a.Fault.Frames = 0
		}
		return a
	}
}

// TestTheNextModelAnswersAtEachCut cuts an answer with thoughts, text and a call behind each
// of its frames, on each wire: the person reads one answer, of the next model, and one call
// takes effect. Each chat then goes on with the first model, whose server takes the history.
func TestTheNextModelAnswersAtEachCut(t *testing.T) {
	t.Parallel()
	// Places before the frame that completes the answer.
	cuts := map[strictmodel.Wire]int{strictmodel.OpenAI: 8, strictmodel.Anthropic: 17, strictmodel.Gemini: 4}
	for _, m := range wires() {
		t.Run(string(m.wire), func(t *testing.T) {
			t.Parallel()
			cuts := cuts[m.wire]
			w, first := m.world(t, settings{}, strictmodel.Script(cutter("first", true)))
			next := w.fallBack(cutter("next", false))
			w.start()
			t.Cleanup(func() {
				defer w.process.Kill()
				w.finish()
				if v := append(first.Violations(), next.Violations()...); len(v) > 0 {
					t.Errorf("requests broke the APIs' rules: %q", v)
				}
				w.logs(int64(2*cuts), "cut")
			})
			for n := range cuts + 2 {
				chat, who, other := fmt.Sprint("cut", n), "next", "first"
				if n >= cuts {
					who, other = other, who
				}
				w.say(chat, fmt.Sprint("cut behind ", n))
				w.expect(chat, 1, "done by the "+who)
				w.say(chat, fmt.Sprint("go on ", n)) // the first model is well again, so that the next chat asks it
				w.expect(chat, 2, "fine")
				if own, others := w.effectsOf(fmt.Sprint(who, " ", n)), w.effectsOf(fmt.Sprint(other, " ", n)); own != 1 || others != 0 {
					t.Errorf("behind %d frames, %d effects of the %s model and %d of the %s", n, own, who, others, other)
				}
			}
			for n := range cuts + 2 {
				if got := w.texts(fmt.Sprint("cut", n)); len(got) != 2 || strings.Contains(strings.Join(got, " "), "begins") {
					t.Errorf("behind %d frames, the person reads %q", n, got)
				}
			}
		})
	}
}

package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

// TestManyCallsOfOneAnswer: however many calls an answer has, the first 32 of them
// run, and the model is told of the others that they did not.
func TestManyCallsOfOneAnswer(t *testing.T) {
	t.Parallel()
	eachMode(t, manyCallsOfOneAnswer)
}

func manyCallsOfOneAnswer(t *testing.T, s settings) {
	t.Helper()
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		if got := results(req); len(got) > 0 {
			ran, refused := 0, 0
			for _, r := range got {
				switch {
				case strings.HasPrefix(r, "done: "):
					ran++
				case strings.Contains(r, "only the first 32 calls of one answer run"):
					refused++
				}
			}
			return fakemodel.Say(fmt.Sprintf("%d ran, %d did not", ran, refused))
		}
		var n int
		if _, err := fmt.Sscanf(lastUser(req), "%d calls", &n); err != nil {
			return fakemodel.Say("fine")
		}
		calls := make([]providers.ToolCall, n)
		for i := range calls {
			calls[i] = providers.ToolCall{Name: "effect", RawArguments: fmt.Sprintf(`{"text":"%d"}`, i)}
		}
		return fakemodel.Calls(calls...)
	}, s)
	for i, want := range []string{"32 ran, 168 did not", "32 ran, 224 did not"} {
		chat := fmt.Sprint("chat", i)
		w.say(chat, []string{"200 calls", "500 calls"}[i])
		w.expect(chat, 1, want)
	}
	if n := w.ran(); n != 64 {
		t.Errorf("%d effects", n)
	}
}

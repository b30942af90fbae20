package e2e_test

import (
	"os"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
)

// TestACallbackThatNobodyHears: a tool calls back without a recipient, since another
// tool called it, and the gateway goes on. Called by the operator it is heard.
func TestACallbackThatNobodyHears(t *testing.T) {
	t.Parallel()
	eachMode(t, callbackThatNobodyHears)
}

func callbackThatNobodyHears(t *testing.T, s settings) {
	t.Helper()
	s.tools = `composed: {wraps: {description: Wraps., steps: [{tool: heedless, arguments: {n: 1, text: T}}]}}`
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		if got := results(req); len(got) > 0 {
			return fakemodel.Say(got[0])
		}
		if lastUser(req) == "wrap" {
			return fakemodel.Call("wraps", `{}`)
		}
		return fakemodel.Say("fine")
	}, s)
	w.say("chat", "wrap")
	if got := w.told("chat", 1)[0]; !strings.Contains(got, "nobody would hear of its end") {
		t.Errorf("told %q", got)
	}
	w.until("the callback is dropped", func() bool {
		log, err := os.ReadFile(w.gw.LogPath())
		return err != nil || strings.Contains(string(log), "a callback was dropped")
	})
	w.say("chat", "still there?")
	w.expect("chat", 2, "fine")
	out, err := w.gw.Command(w.ctx, nil, "tool", "call", "heedless", `{"n":20,"text":"T"}`).CombinedOutput()
	if err != nil || string(out) != "heedless work is done: T\n" {
		t.Errorf("called directly: %q, %v", out, err)
	}
}

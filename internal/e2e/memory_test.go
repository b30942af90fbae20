package e2e_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/fakemodel"
)

// TestALargeCallIsNoLossOfMemory has the real gateway go on after a call whose
// arguments alone are more than a request carries, and make a summary then.
func TestALargeCallIsNoLossOfMemory(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("a line of a long file\\n", 5000)
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		said := persons(req)
		switch text := lastUser(req); {
		case strings.HasPrefix(text, "Summarise"):
			return fakemodel.Say("the summary of " + said[0])
		case text == "write it" && len(results(req)) == 0:
			return fakemodel.Call("effect", `{"text":"`+large+`"}`)
		case text == "what was first?":
			for i := range req.Messages {
				for _, c := range req.Messages[i].ToolCalls {
					if !json.Valid([]byte(c.RawArguments)) || !strings.Contains(c.RawArguments, "left out of this history") {
						return fakemodel.Say(fmt.Sprintf("the call reads %.100q", c.RawArguments))
					}
				}
			}
			return fakemodel.Say(strings.Join(said, ", "))
		}
		return fakemodel.Say("fine")
	}, settings{})
	w.say("chat", "my name is Ada")
	w.expect("chat", 1, "fine")
	w.say("chat", "write it")
	w.expect("chat", 2, "fine")
	w.say("chat", "what was first?")
	w.expect("chat", 3, "my name is Ada, write it, what was first?")
	w.say("chat", "/compact")
	w.expect("chat", 4, "Done. I go on from this summary:\n\nthe summary of my name is Ada")
}

package kill_test

import (
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/loopchat/server"
	"parley/internal/test/strictmodel"
	"parley/internal/tools/promises"
)

// keeper is a model that remembers what it is told to.
func keeper() *strictmodel.Server {
	return strictmodel.New(strictmodel.OpenAI, func(req fakemodel.Request) fakemodel.Answer {
		fact, remember := strings.CutPrefix(req.LastUser(), "remember ")
		if last := req.Messages[len(req.Messages)-1]; remember && last.Role != "tool" {
			return fakemodel.Call("remember", `{"fact":"`+fact+`"}`)
		}
		return fakemodel.Say("kept " + fact)
	})
}

// TestKillRoundAFact: a fact is there once, wherever the gateway dies around the call that stores it.
func TestKillRoundAFact(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	points := []point{{name: "P4:1"}, {name: "P5:1"}, {name: "P8:1"}, {name: "P5:2"}, {name: "P10:1"}}
	eachSeed(t, points, func(t *testing.T, p point, _ int) {
		t.Helper()
		w := newWorld(t, server.Options{})
		w.model.instead = keeper().Handler()
		process := w.start(p.name)
		chat := direct(0)
		says := func(text, answer string) string {
			w.post([]*ask{{question: question{chat: chat, text: text}}})
			said := func() bool { return len(w.begins(chat, answer)) > 0 }
			if len(w.crashes) == 0 && w.diesBefore(process, said) {
				w.died(process, p.name)
				process = w.start("")
			}
			w.wait(answer, said)
			return w.messages()[w.begins(chat, answer)[0]].text
		}
		says("remember tea at four", "kept tea at four")
		if got := says("/memory", "Facts"); !strings.Contains(got, "1 of 100") || strings.Count(got, "tea at four") != 1 {
			t.Errorf("%s: %q", p.name, got)
		}
		if len(w.crashes) == 0 {
			t.Fatalf("%s was never reached", p.name)
		}
		w.terminate(process)
		w.storeCheck()
	})
}

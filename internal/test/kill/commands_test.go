package kill_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
	"parley/internal/test/strictmodel"
	"parley/internal/test/testtools"
	"parley/internal/tools/promises"
	"parley/pkg/providers"
)

// reciter is a model that says which words of people it sees. It does what it is told to do, unless it
// sees that this was done.
func reciter(t *testing.T) *strictmodel.Server {
	t.Helper()
	s := strictmodel.New(strictmodel.OpenAI, func(req fakemodel.Request) fakemodel.Answer {
		var said []string
		done := false
		for i := range req.Messages {
			switch m := &req.Messages[i]; {
			case m.Role == providers.RoleTool:
				done = true
			case m.Role == providers.RoleUser && !strings.HasPrefix(m.Content, "[the gateway's notes"):
				said = append(said, m.Content)
			}
		}
		if said[len(said)-1] == "do it" && !done {
			return fakemodel.Call("effect", `{"text":"the deed"}`)
		}
		return fakemodel.Say("heard " + strings.Join(said, "|"))
	})
	return s
}

// saying is what a person writes, and how the answer to it begins.
type saying struct{ text, answer string }

// commandTalk is a conversation in which each answer tells what the model sees.
func commandTalk() []saying {
	return []saying{
		{"one", "heard one"},
		{"two", "heard one|two"},
		{"/undo", "Taken out of the conversation: “two”"},
		{"do it", "heard one|do it"},
		{"/retry", "heard one|do it|do it"},
		{"/new", "New conversation started"},
		{"three", "heard three"},
		{"/resume 1", "Going on with “one”"},
		{"four", "heard one|do it|do it|four"},
		{"/undo", "Taken out of the conversation: “four”"},
		{"/history 2", "The last 2 exchanges:"},
		{"five", "heard one|do it|do it|five"},
	}
}

// commandPoints are where the gateway dies: before and behind the commit of each command, and round
// the turn that asks again.
func commandPoints() (all []point) {
	for hit := range 5 {
		all = append(all, point{name: fmt.Sprint("C1:", hit+1)}, point{name: fmt.Sprint("C2:", hit+1)})
	}
	for _, name := range []string{
		"P2:3", "P2:5", "P2:8", "P3:3", "P4:4", "P5:5", "P6:1", "P7:1", "P8:1", "P10:3", "P10:5", "P10:8", "P11:5", "P11:8", "P13:5",
	} {
		all = append(all, point{name: name})
	}
	return all
}

// TestKillRoundCommands: each command counts once, wherever the gateway dies.
func TestKillRoundCommands(t *testing.T) {
	t.Parallel()
	eachSeed(t, commandPoints(), func(t *testing.T, p point, _ int) {
		t.Helper()
		killRoundCommands(newWorld(t, server.Options{}), direct(0), p)
	})
}

func TestKillRoundCommandsOnTelegram(t *testing.T) {
	t.Parallel()
	killRoundCommandsOn(t, telegramStage())
}

func TestKillRoundCommandsOnSlack(t *testing.T) {
	t.Parallel()
	killRoundCommandsOn(t, slackStage())
}

// killRoundCommandsOn has some of the points, in a direct chat: those between are the engine's.
func killRoundCommandsOn(t *testing.T, at stage) {
	t.Helper()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	all := slices.DeleteFunc(commandPoints(), func(p point) bool {
		return !slices.Contains([]string{"C1:1", "C2:1", "C1:3", "C2:3", "P3:3", "P4:4", "P10:5"}, p.name)
	})
	eachSeed(t, all, func(t *testing.T, p point, _ int) {
		t.Helper()
		killRoundCommands(at.open(t, 0), direct(0), p)
	})
}

// killRoundCommands has a person and the gateway talk, which dies once.
func killRoundCommands(w *world, chat string, p point) {
	model := reciter(w.t)
	w.model.instead = model.Handler()
	process := w.start(p.name)
	dead := false
	talk := commandTalk()
	for i := range talk {
		w.post([]*ask{{question: question{chat: chat, text: written(w, talk[i].text)}}})
		said := func() bool { return len(w.begins(chat, talk[i].answer)) > 0 }
		if !dead && w.diesBefore(process, said) {
			dead = true
			w.died(process, p.name)
			process = w.start("")
		}
		w.wait(fmt.Sprintf("the answer %q", talk[i].answer), said)
	}
	if !dead {
		w.t.Fatalf("%s was never reached", p.name)
	}
	w.terminate(process)
	w.storeCheck()

	at := -1
	for _, s := range talk {
		places := w.begins(chat, s.answer)
		if s.text == "one" || s.text == "do it" { // other answers begin so too
			places = places[:1]
		}
		if places[0] < at {
			w.t.Errorf("%q came before the answer to an earlier message", s.answer)
		}
		if len(places) > 2 || len(places) == 2 && places[0] != w.crashes[0]-1 { // the last one before the death is in doubt
			w.t.Errorf("%q came %d times, and the gateway died behind %d messages", s.answer, len(places), w.crashes[0])
		}
		at = places[0]
	}
	effects, err := testtools.ReadEffects(w.effects)
	if err != nil || len(effects) > 1 || len(effects) == 0 && !strings.HasPrefix(p.name, "P6") && !strings.HasPrefix(p.name, "P7") {
		w.t.Errorf("the effect ran %d times: %v", len(effects), err)
	}
	for _, v := range model.Violations() {
		w.t.Error(v)
	}
	summary.add(tally{channel: loopchat.Name, point: "commands", crashes: len(w.crashes), asks: len(talk)})
}

// begins are the places of the bot's messages in a chat that begin with a text, and go on with
// no further words of people.
func (w *world) begins(chat, text string) (places []int) {
	for i, m := range w.messages() {
		if rest, ok := strings.CutPrefix(m.text, text); ok && m.chat == chat && !strings.HasPrefix(rest, "|") {
			places = append(places, i)
		}
	}
	return places
}

// written is a text as people write it on a platform: Slack keeps what begins with a slash.
func written(w *world, text string) string {
	if _, slack := w.platform.(*onSlack); slack && strings.HasPrefix(text, "/") {
		return " " + text
	}
	return text
}

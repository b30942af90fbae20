package e2e_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
	"parley/pkg/providers"
)

// place is a channel as the suite of background work needs it: one chat, of an owner,
// with the gateway behind it. To take in a channel, write this and add it to places.
type place interface { //nolint:interfacebloat // a person's actions in a chat, and the suite's views of it
	// start runs a gateway on the state that there is, kill ends it as kill -9 does.
	start()
	kill()
	// say sends a message, press presses the button of the open question.
	say(text string)
	press(label string)
	// shown is how many messages hold all of words, and all how many there are.
	shown(words ...string) int
	all() int
	// text is all that the chat reads.
	text() string
	// until waits until cond holds, which looks at the chat.
	until(what string, cond func() bool)
	// world is the gateway's.
	under() *world
}

// places are the channels of the suite.
func places() map[string]func(t *testing.T, b brain) place {
	return map[string]func(t *testing.T, b brain) place{"console": onConsole, "telegram": onTelegram, "slack": onSlack, "web": onWeb}
}

// nonces of the suite; a test has a gateway of its own.
const (
	outer = "00000000000a"
	inner = "00000000000b"
)

// troubled is the text of an agent's task with a failing model.
const troubled = "nothing but trouble"

// helpful is the model of the suite; the one of a background agent fails where it is told to.
func helpful() brain {
	b := rig.NewBrain()
	return func(req fakemodel.Request) fakemodel.Answer {
		if strings.HasPrefix(lastUser(req), troubled) {
			return fakemodel.Answer{Fault: fakemodel.Fault{Status: 400, Code: "invalid_request_error", Message: "no"}}
		}
		resp, _ := b.Decide(req.Messages)
		return fakemodel.Answer{LLMResponse: *resp}
	}
}

// callFor is an ask for one call.
func callFor(tool string, args map[string]any) string {
	return rig.Script{Rounds: [][]rig.ScriptCall{{{Tool: tool, Args: args}}}}.Ask(outer)
}

// reports is a task of an agent that makes some calls and reports word.
func reports(word string, rounds ...[]rig.ScriptCall) string {
	return rig.Script{Quiet: true, Parts: []string{word}, Rounds: rounds}.Ask(inner)
}

const answered = "answer rq" + outer

// sees waits until one message holds words.
func sees(p place, words ...string) {
	p.under().t.Helper()
	p.until(fmt.Sprintf("%q", words), func() bool { return p.shown(words...) > 0 })
}

// only looks that exactly one message holds words, and that there are two in all.
func only(p place, words ...string) {
	t := p.under().t
	t.Helper()
	const n = 2
	p.under().rest()
	if p.shown(words...) != 1 || p.all() != n {
		t.Errorf("%d messages hold %q, of %d, want 1 of %d:\n%s", p.shown(words...), words, p.all(), n, p.text())
	}
}

// rest waits until all is quiet.
func (w *world) rest() {
	w.t.Helper()
	w.looks("rest", func() bool {
		s, err := w.gw.Status(w.ctx)
		return err == nil && s.Waiting == 0 && s.Sending == 0 && s.OpenTasks == 0
	})
}

// looks waits until cond holds, for conditions that no platform tells, and looks at it
// now and again.
func (w *world) looks(what string, cond func() bool) {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-w.ctx.Done():
			w.t.Fatalf("waiting for %s: %v", what, w.ctx.Err())
		}
	}
}

// everywhere runs one part of the suite on every channel.
func everywhere(t *testing.T, f func(t *testing.T, p place)) {
	t.Helper()
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open(t, helpful()))
		})
	}
}

func TestBackgroundAgent(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p place) {
		t.Helper()
		p.say(callFor("spawn",
			map[string]any{"task": reports("pearl", []rig.ScriptCall{{Tool: "lookup", Args: map[string]any{"text": "x"}}}), "name": "a look"}))
		sees(p, answered)
		sees(p, "pearl")
		only(p, "pearl")
		var home, own bool
		for _, req := range p.under().model.Requests() {
			said := persons(req)
			switch {
			case strings.Contains(said[0], outer): // the chat's own history
				home = home || strings.Contains(said[len(said)-1], "Report:\npearl")
			case strings.Contains(said[0], inner): // the agent's, which does not see the chat
				own = true
				if len(said) != 1 {
					t.Errorf("the agent was asked %q", said)
				}
			}
		}
		if !home || !own {
			t.Errorf("the chat's model read the report: %v; the agent's was asked: %v", home, own)
		}
	})
}

func TestBackgroundCommand(t *testing.T) {
	t.Parallel()
	everywhere(t, func(_ *testing.T, p place) {
		p.say(callFor("run_command", map[string]any{"argv": []string{"echo", "gar", "net"}, "background": true}))
		p.until("the question, or an answer without one", func() bool { return p.shown("Allow once") > 0 || p.shown(answered) > 0 })
		p.under().needsSandbox("run_command")
		p.press("Allow once")
		sees(p, "ended: ", "gar net")
		p.under().rest()
		if n := p.shown("ended: ", "gar net"); n != 1 {
			t.Errorf("%d messages tell the result:\n%s", n, p.text())
		}
	})
}

func TestReminder(t *testing.T) {
	t.Parallel()
	everywhere(t, func(_ *testing.T, p place) {
		p.say(callFor("schedule", map[string]any{"action": "create", "in": "1s", "text": "ruby"}))
		sees(p, "ruby")
		only(p, "ruby")
	})
}

// TestReminderThatFellDueWhileDown fires at the start, once.
func TestReminderThatFellDueWhileDown(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p place) {
		t.Helper()
		p.say(callFor("schedule", map[string]any{"action": "create", "in": "3s", "prompt": true, "text": reports("opal")}))
		sees(p, answered)
		due := time.Now().Add(3 * time.Second)
		p.under().rest()
		p.kill()
		if p.shown("opal") > 0 {
			t.Fatal("it fired before it was due")
		}
		<-time.After(time.Until(due))
		began := time.Now()
		p.start()
		sees(p, "opal")
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it fired %v after the start", took)
		}
		only(p, "opal")
	})
}

var shortName = regexp.MustCompile(`"task": ?"([a-z0-9]{8})"`)

func TestBackgroundAgentCancelled(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p place) {
		t.Helper()
		p.say(callFor("spawn",
			map[string]any{"task": reports("jade", []rig.ScriptCall{{Tool: "hang", Args: map[string]any{"n": 3000}}}), "name": "a look"}))
		sees(p, answered)
		name := ""
		for _, req := range p.under().model.Requests() {
			for i := range req.Messages {
				if m := shortName.FindStringSubmatch(req.Messages[i].Content); m != nil && req.Messages[i].Role == providers.RoleTool {
					name = m[1]
				}
			}
		}
		p.say("/cancel " + name)
		sees(p, "cancelled")
		p.under().rest()
		if p.shown("jade") > 0 || p.all() != 2 {
			t.Errorf("after the cancelling:\n%s", p.text())
		}
	})
}

func TestBackgroundAgentFails(t *testing.T) {
	t.Parallel()
	everywhere(t, func(_ *testing.T, p place) {
		p.say(callFor("spawn", map[string]any{"task": troubled, "name": "a look"}))
		sees(p, answered)
		sees(p, "a look", "failed")
		only(p, "a look", "failed")
	})
}

func TestBackgroundAgentIsAllowedACall(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p place) {
		t.Helper()
		p.say(callFor("spawn",
			map[string]any{
				"task": reports("amber", []rig.ScriptCall{{Tool: "effect_asked", Args: map[string]any{"text": "topaz"}}}),
				"name": "a look",
			}))
		sees(p, "effect_asked", "a look")
		if n := p.under().effectsOf("topaz"); n != 0 {
			t.Fatalf("it ran %d times before it was allowed", n)
		}
		p.press("Allow once")
		sees(p, "amber")
		p.under().rest()
		if n := p.under().effectsOf("topaz"); n != 1 || p.shown("amber") != 1 {
			t.Errorf("it ran %d times:\n%s", n, p.text())
		}
	})
}

// together says whether a text holds all of words.
func together(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

package e2e_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakemodel"
	"parley/pkg/session"
)

// offeredIn are the names of the tools of a request, in their order.
func offeredIn(req fakemodel.Request) string {
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Function.Name)
	}
	return strings.Join(names, " ")
}

// seeks finds a tool before it calls it: "use TOOL" has it called with a text, unless the
// request offers it already.
func seeks(req fakemodel.Request) fakemodel.Answer {
	tool, wanted := strings.CutPrefix(lastUser(req), "use ")
	got := strings.Join(results(req), "|")
	switch found := strings.HasPrefix(got, "You can call"); {
	case !wanted:
		return fakemodel.Say("I have nothing")
	case got != "" && !found:
		return fakemodel.Say("I have " + got)
	case !found && !strings.Contains(offeredIn(req), tool):
		return fakemodel.Call("find_tools", `{"query":"`+tool+`"}`)
	default:
		return fakemodel.Call(tool, `{"text":"x"}`)
	}
}

// TestToolsOnDemand offers find_tools, and each other tool once it was found: as long as the
// conversation shows that, over turns and a restart.
func TestToolsOnDemand(t *testing.T) {
	t.Parallel()
	eachMode(t, toolsOnDemand)
}

func toolsOnDemand(t *testing.T, s settings) {
	t.Helper()
	s.tools = "lazy: true"
	w := newWorld(t, seeks, s)
	w.say("chat", "hello")
	w.expect("chat", 1, "I have nothing")
	w.say("chat", "use lookup")
	w.expect("chat", 2, "I have the meaning of x is known")
	w.say("chat", "use effect")
	w.expect("chat", 3, "I have done: x")
	w.rests("the store", func(s session.Status) bool { return s.Waiting+s.Sending == 0 })
	w.kill()
	w.start()
	w.say("chat", "use lookup")
	w.expect("chat", 4, "I have the meaning of x is known")
	w.say("chat", "/new")
	w.told("chat", 5)
	w.say("chat", "hello")
	w.told("chat", 6)
	w.say("other", "hello")
	w.told("other", 1)
	want := []string{
		"find_tools", // hello
		"find_tools", "find_tools lookup", "find_tools lookup",
		"find_tools lookup", "find_tools lookup effect", "find_tools lookup effect",
		"find_tools lookup effect", "find_tools lookup effect", // after the restart
		"find_tools", // a new conversation
		"find_tools", // another chat
	}
	var got []string
	requests := w.model.Requests()
	for i := range requests {
		got = append(got, offeredIn(requests[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the offered tools: %s", diff)
	}
	if n := w.ran(); n != 1 {
		t.Errorf("%d effects", n)
	}
}

// TestToolsOnDemandOfAChat: a chat finds the tools that it may use, and one with a list of its
// own that leaves find_tools out is offered that list. /tool calls any tool at once.
func TestToolsOnDemandOfAChat(t *testing.T) {
	t.Parallel()
	eachMode(t, toolsOnDemandOfAChat)
}

func toolsOnDemandOfAChat(t *testing.T, s settings) {
	t.Helper()
	s.tools = `lazy: true, chats: {"loop:reader": {level: read}, "loop:few": {enabled: [lookup, effect]}}`
	w := newWorld(t, seeks, s)
	w.say("reader", "use effect")
	if got := w.told("reader", 1)[0]; !strings.HasPrefix(got, "I have No tool fits") || strings.Contains(got, "effect") {
		t.Errorf("without the right: %q", got)
	}
	w.say("few", "use effect")
	w.expect("few", 1, "I have done: x")
	want := []string{"find_tools", "find_tools", "effect lookup", "effect lookup"}
	var got []string
	requests := w.model.Requests()
	for i := range requests {
		got = append(got, offeredIn(requests[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the offered tools: %s", diff)
	}
	w.say("other", `/tool lookup {"text":"y"}`)
	if got := w.told("other", 1)[0]; !strings.Contains(got, "the meaning of y is known") {
		t.Errorf("/tool: %q", got)
	}
	w.say("other", "/tools")
	if got := w.told("other", 2)[1]; !strings.Contains(got, "`lookup`") || !strings.Contains(got, "`effect`") {
		t.Errorf("/tools: %q", got)
	}
}

// TestToolsOnDemandOfAnAgent: a background agent finds tools for its own conversation, and
// not those that start further agents beyond its depth.
func TestToolsOnDemandOfAnAgent(t *testing.T) {
	t.Parallel()
	eachMode(t, toolsOnDemandOfAnAgent)
}

func toolsOnDemandOfAnAgent(t *testing.T, s settings) {
	t.Helper()
	s.tools = "lazy: true"
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		said, got := lastUser(req), strings.Join(results(req), "|")
		found := strings.HasPrefix(got, "You can call")
		switch {
		case said == "work" && got == "":
			return fakemodel.Call("find_tools", `{"query":"spawn"}`)
		case said == "work" && found:
			return fakemodel.Call("spawn", `{"task":"the errand"}`)
		case said == "work":
			return fakemodel.Say("begun")
		case strings.Contains(said, "Report:"):
			_, report, _ := strings.Cut(said, "Report:")
			return fakemodel.Say("reported Report:" + report)
		case got == "":
			return fakemodel.Call("find_tools", `{"query":"lookup, message"}`)
		case found || strings.HasPrefix(got, "No tool"):
			return fakemodel.Call("lookup", `{"text":"x"}`)
		default:
			return fakemodel.Say("I have " + got)
		}
	}, s)
	w.say("chat", "work")
	w.until("the report", func() bool {
		return strings.Contains(strings.Join(w.texts("chat"), "\n"), "I have the meaning of x is known")
	})
	own := 0
	requests := w.model.Requests()
	for i := range requests {
		r := requests[i]
		if said := lastUser(r); said == "work" || strings.Contains(said, "Report:") {
			continue
		}
		if own++; strings.Contains(offeredIn(r), "spawn") || !strings.HasPrefix(offeredIn(r), "find_tools") {
			t.Errorf("the agent was offered %s", offeredIn(r))
		}
	}
	if own != 3 {
		t.Errorf("the agent asked %d times", own)
	}
}

// TestAKillAfterAToolWasFound kills the gateway while the model thinks about the tool that it
// has found: the next process offers it again, and does not look for it again.
func TestAKillAfterAToolWasFound(t *testing.T) {
	t.Parallel()
	var killed atomic.Bool
	asked, open := make(chan struct{}, 10), make(chan struct{})
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		a := seeks(req)
		switch got := results(req); {
		case len(got) == 0:
			asked <- struct{}{}
			<-open
		case strings.HasPrefix(got[0], "You can call"):
			a.Fault.Silence = !killed.Load()
			asked <- struct{}{}
		}
		return a
	}, settings{tools: "lazy: true"})
	w.say("chat", "use effect")
	<-asked
	w.stored()
	before, err := w.gw.Status(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	close(open)
	<-asked
	w.rests("the ledger", func(s session.Status) bool { return s.Commits > before.Commits })
	killed.Store(true)
	w.kill()
	w.start()
	w.told("chat", 1)
	var got []string
	for _, r := range w.model.Requests() {
		got = append(got, offeredIn(r))
	}
	want := []string{"find_tools", "find_tools effect", "find_tools effect", "find_tools effect"}
	if diff := cmp.Diff(want, got); diff != "" || w.ran() != 1 {
		t.Errorf("%d effects, the offered tools: %s", w.ran(), diff)
	}
}

// TestToolsOnDemandAsJSON finds tools on a server without tools, which takes a call of an
// offered tool alone.
func TestToolsOnDemandAsJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		switch got := results(req); {
		case len(got) == 0:
			return fakemodel.Call("find_tools", `{"query":"a word"}`)
		case strings.HasPrefix(got[0], "You can call"):
			return fakemodel.Call("lookup", `{"text":"x"}`)
		default:
			return fakemodel.Say(got[0])
		}
	}, settings{tools: "lazy: true", noTools: true, mode: asJSON})
	w.say("chat", "look it up")
	w.expect("chat", 1, "the meaning of x is known")
	first, next := w.model.Requests()[0], w.model.Requests()[1]
	if strings.Contains(string(first.Body), "Looks up a word") || !strings.Contains(string(next.Body), "Looks up a word") {
		t.Errorf("lookup is not told on demand:\n%s\n%s", first.Body, next.Body)
	}
}

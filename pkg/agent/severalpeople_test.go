package agent_test

import (
	"context"
	"strings"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/remember"
)

// crew is a group of which person 1 is the owner, with a model that waits at the gate when it reads "go",
// makes the call that a message has in braces, and starts an agent for "delegate".
func crew(t *testing.T, b *book, opts ...option) (*world, *gate) {
	t.Helper()
	g := newGate()
	model := script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		m := last(msgs)
		text := m.Content[strings.LastIndexByte(m.Content, '\n')+1:]
		switch {
		case isAgent(msgs) && m.Role != providers.RoleTool:
			return call("overwrite", `{"text":"by the agent"}`)
		case isReport(msgs), m.Role == providers.RoleTool:
			return say(m.Content)
		case text == "delegate":
			return call("spawn", order("overwrite it"))
		case strings.Contains(text, "go"):
			return call("gate", "{}")
		case strings.Contains(text, "write "):
			return call("overwrite", `{"text":"by the chat"}`)
		case strings.Contains(text, "{"):
			return call("keep", text[strings.IndexByte(text, '{'):])
		default:
			return say("heard")
		}
	})
	w := newParty(t, model, []tools.Tool{g.tool(), b.tool()}, append(opts, withOptions(asking), groupsWrite,
		func(w *world) { w.opts.Tools.Register(w.keeper()) })...)
	return w, g
}

// joins lets a person write while the answer to another one is being made.
func joins(w *world, g *gate, first, second, said string) {
	w.t.Helper()
	w.write("group1", first, "go")
	<-g.entered
	w.write("group1", second, said)
	g.open <- struct{}{}
}

const dropJob = `{"do":"drop","id":"j1"}`

// TestNobodyBorrowsTheRightsOfAnOwner by a message that joins the owner's turn: in a group an owner has the
// level of the others, and rights beside it.
func TestNobodyBorrowsTheRightsOfAnOwner(t *testing.T) {
	t.Parallel()
	w, g := crew(t, &book{})
	w.write("group1", "8", `{"do":"put","id":"j1","text":"one"}`)
	w.expectText("ok")
	joins(w, g, "1", "7", dropJob)
	w.expectText("opened")
	contains(t, w.expect().Text, "only the person who asked or an owner can change the schedule j1")
	joins(w, g, "7", "1", dropJob) // the owner joins, and the turn has the rights of the other
	contains(t, w.expect().Text, "or an owner can change the schedule j1")
	w.settled()
}

// TestWordsOfAnotherPersonChangeNoSchedule in a turn that answers both, whether they joined it or began it
// together: its author has to ask alone.
func TestWordsOfAnotherPersonChangeNoSchedule(t *testing.T) {
	t.Parallel()
	w, g := crew(t, &book{})
	w.write("group1", "7", `{"do":"put","id":"j1","text":"one"}`)
	w.expectText("ok")
	joins(w, g, "7", "8", dropJob)
	contains(t, w.expect().Text, "only the person who asked or an owner can change the schedule j1", "several people")
	joins(w, g, "7", "8", `{"do":"put","id":"j2","text":"two"}`) // a schedule of both
	w.expectText("ok")
	joins(w, g, "7", "8", strings.ReplaceAll(dropJob, "j1", "j2"))
	w.expectText("ok")
	w.write("group1", "7", dropJob)
	w.expectText("ok")
	w.settled()
}

func TestWordsOfAPersonBeforeAnotherChangeNoSchedule(t *testing.T) {
	t.Parallel()
	w, g := crew(t, &book{}, withOptions(func(o *agent.Options) { o.WhileBusy = turn.Queue }))
	w.write("group1", "7", `{"do":"put","id":"j1","text":"one"}`)
	w.expectText("ok")
	w.write("group1", "9", "go")
	<-g.entered
	w.write("group1", "7", "hello")
	w.write("group1", "8", dropJob)
	g.open <- struct{}{}
	w.expectText("opened")
	contains(t, w.expect().Text, "only the person who asked or an owner can change the schedule j1")
	w.settled()
}

// TestAGrantDoesNotReachWorkOfSeveralPeople: what a person allowed in advance counts in turns that answer
// this person alone, and so in the background work of such turns alone.
func TestAGrantDoesNotReachWorkOfSeveralPeople(t *testing.T) {
	t.Parallel()
	b := &book{}
	w, g := crew(t, b)
	w.write("group1", "7", "write it")
	w.press("group1", "7", w.question("by the chat"), "Allow here")
	w.expect()
	w.expectText("written")
	w.write("group1", "7", "write more")
	w.expectText("written") // the grant holds

	joins(w, g, "7", "8", "delegate")
	asked := 0
	for range 2 { // that it has started, and the question: either may be the quicker one
		asked += min(len(w.expect().Buttons), 1)
	}
	if asked != 1 {
		t.Error("the agent of two people was not asked about")
	}
	w.settled()
	if got := b.texts(); len(got) != 2 {
		t.Errorf("written %q", got)
	}
}

// TestWordsOfAnotherPersonRemoveNoFact in a turn that answers both.
func TestWordsOfAnotherPersonRemoveNoFact(t *testing.T) {
	t.Parallel()
	g := newGate()
	var w *world
	w = newWorld(t, script(func(
		ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
	) (*providers.LLMResponse, error) {
		if m := last(msgs); m.Role == providers.RoleUser && strings.HasSuffix(m.Content, "go") {
			return call("gate", "{}")
		}
		return student(ctx, msgs, defs)
	}), []tools.Tool{g.tool(), remember.New(facts{&w})}, withOptions(asking))
	id := stored(t, w.asks("group1", "7", "remember we meet at noon"))
	joins(w, g, "7", "8", "forget "+id)
	contains(t, w.expect().Text, "permission_denied")
	w.write("group1", "7", "forget "+id)
	contains(t, w.expect().Text, `"removed"`)
	w.settled()
}

package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// overwrites is a home with an agent that overwrites the book with the text that it is
// told, and reports the call's result or the decision.
func overwrites(tool string) script {
	return func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		m := last(msgs)
		switch {
		case isAgent(msgs) && m.Role == providers.RoleTool:
			return say("result: " + m.Content)
		case isAgent(msgs) && strings.HasPrefix(m.Content, "[approval "):
			return say("without it")
		case isAgent(msgs):
			return call("overwrite", fmt.Sprintf("{\"text\":%q}", m.Content))
		case isReport(msgs):
			return say("it says: " + report(m))
		case m.Role == providers.RoleTool && tool == "subagent":
			return say("it says: " + m.Content)
		case m.Role == providers.RoleTool:
			return say("started")
		}
		return call(tool, order(m.Content))
	}
}

func TestAnAgentsCallIsAskedForInItsHome(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newParty(t, overwrites("spawn"), []tools.Tool{b.tool()}, withOptions(asking), groupsWrite)
	w.write("group1", "1", "page one")
	q := w.started("overwrite with page one")[0]
	if q.Address != chatAddr("group1") || !strings.Contains(q.Text, "for task “the work” ("+shortOf(w)+")") {
		t.Errorf("asked %q at %v", q.Text, q.Address)
	}
	w.settled()
	if got := w.approval(); got.Task != w.task().ID || got.Address != chatAddr("group1") {
		t.Errorf("stored %+v", got)
	}
	w.restart() // waiting survives

	w.press("group1", "7", q, "Allow once")
	if got := w.expect().Text; !strings.Contains(got, "Only the person who asked or an owner can decide") {
		t.Errorf("somebody else was told %q", got)
	}
	w.settled()
	w.press("group1", "1", q, "Allow once")
	if o := w.expect(); o.Finishes != q.ID || o.Address != chatAddr("group1") || !strings.Contains(o.Text, "Allowed once by user 1") {
		t.Errorf("the question became %q (finishes %q)", o.Text, o.Finishes)
	}
	w.expectText("it says: result: written")
	w.settled()
	w.press("group1", "1", q, "Allow once") // again: without effect
	w.settled()
	w.restart()
	w.settled()
	if d := cmp.Diff([]string{"page one"}, b.texts()); d != "" {
		t.Error(d)
	}
	if got := w.task(); got.State != session.TaskDone {
		t.Errorf("task %+v", got)
	}
}

// started waits for the words that the work has started and for questions, which may
// be quicker: one that shows each of these.
func (w *world) started(shows ...string) []channels.Outbound {
	w.t.Helper()
	questions := make([]channels.Outbound, len(shows))
	words := false
	for range len(shows) + 1 {
		o := w.expect()
		i := slices.IndexFunc(shows, func(s string) bool { return len(o.Buttons) > 0 && strings.Contains(o.Text, s) })
		switch {
		case o.Text == "started" && !words:
			words = true
		case i >= 0 && questions[i].ID == "":
			questions[i] = o
		default:
			w.t.Fatalf("sent %q", o.Text)
		}
	}
	return questions
}

// groupsWrite gives groups the right to write.
func groupsWrite(w *world) {
	authorize := w.opts.Authorize
	w.opts.Authorize = func(ctx context.Context, e policy.Event) policy.Verdict {
		v := authorize(ctx, e)
		if v.Allow {
			v.Level = policy.LevelWrite
		}
		return v
	}
}

func shortOf(w *world) string { t := w.task(); return t.Short() }

func TestAnAgentGoesOnWithoutACallThatWasDenied(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newParty(t, overwrites("spawn"), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "page one")
	q := w.started("page one")[0]
	w.press("1", "1", q, "Deny")
	if o := w.expect(); o.Finishes != q.ID || !strings.Contains(o.Text, "Denied by user 1") {
		t.Errorf("the question became %q (finishes %q)", o.Text, o.Finishes)
	}
	w.expectText("it says: without it")
	w.settled()
	if len(b.texts()) > 0 || w.task().State != session.TaskDone {
		t.Errorf("wrote %q, task %+v", b.texts(), w.task())
	}
}

func TestAllowHereCoversAgentsToo(t *testing.T) {
	t.Parallel()
	var put atomic.Int64
	tool := fn{name: "put", an: tools.Annotations{Destructive: true}, run: func(context.Context, map[string]any) *tools.ToolResult {
		put.Add(1)
		return tools.NewToolResult("put")
	}}
	home := overwrites("spawn")
	w := newParty(t, func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if isAgent(msgs) && last(msgs).Role == providers.RoleUser && !strings.HasPrefix(last(msgs).Content, "[approval ") {
			return call("put", "{}")
		}
		return home(ctx, msgs, defs)
	}, []tools.Tool{tool}, withOptions(asking))
	w.write("1", "1", "a")
	q := w.started("")[0]
	label := q.Buttons[1].Label
	w.press("1", "1", q, label)
	if got := w.expect().Text; !strings.Contains(got, "Allowed here") {
		t.Fatalf("told %q (%s)", got, label)
	}
	w.expectText("it says: result: put")
	w.write("1", "1", "b")
	w.expectText("started")
	w.expectText("it says: result: put")
	w.settled()
	if put.Load() != 2 {
		t.Errorf("put %d times", put.Load())
	}
}

// TestNobodyDecidesInTime ends the task when the question has expired, also over a restart.
func TestNobodyDecidesInTime(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := &book{}
			w := newParty(t, overwrites("spawn"), []tools.Tool{b.tool()}, withOptions(asking), quietly)
			began := time.Now()
			w.write("1", "1", "page one")
			q := w.started("page one")[0]
			w.settled()
			if restart {
				w.restart()
			}
			o := <-w.sent
			if after := time.Since(began); after < 10*time.Minute || after > 11*time.Minute {
				t.Errorf("told after %v", after)
			}
			if o.Finishes != q.ID || !strings.Contains(o.Text, "expired without a decision") {
				t.Errorf("the question became %q (finishes %q)", o.Text, o.Finishes)
			}
			if got := (<-w.sent).Text; !strings.Contains(got, "failed. The approval of `overwrite` expired") {
				t.Errorf("told %q", got)
			}
			w.settled()
			w.press("1", "1", q, "Allow once")
			if got := (<-w.sent).Text; !strings.Contains(got, "already decided") {
				t.Errorf("a late press was told %q", got)
			}
			w.settled()
			if got := w.task(); got.State != session.TaskFailed || len(b.texts()) > 0 {
				t.Errorf("task %+v, wrote %q", got, b.texts())
			}
		})
	}
}

// unlapsed is an engine with a process that dies each time before it tells a question's
// end.
type unlapsed struct{ session.Engine }

// Inbox implements [session.Engine].
func (u unlapsed) Inbox() session.Inbox { return unlapsedInbox{u.Engine.Inbox()} }

type unlapsedInbox struct{ session.Inbox }

func (u unlapsedInbox) Append(ctx context.Context, items []session.Item, cursor *channels.Cursor) error {
	if strings.HasPrefix(items[0].ID, "lapsed/") {
		return session.ErrFenced
	}
	return u.Inbox.Append(ctx, items, cursor)
}

// TestAPressAfterTheTaskHasEnded runs no call and says so.
func TestAPressAfterTheTaskHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &book{}
		home := overwrites("spawn")
		w := newParty(t, func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if !isAgent(msgs) && last(msgs).Content == "page one" {
				return call("spawn", `{"task":"page one","name":"the work","deadline_minutes":1}`)
			}
			return home(ctx, msgs, defs)
		}, []tools.Tool{b.tool()}, withOptions(asking), quietly, func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { return unlapsed{e} }
		})
		w.write("1", "1", "page one")
		q := w.started("page one")[0]
		if got := (<-w.sent).Text; !strings.Contains(got, "did not end within 1 minute") {
			t.Errorf("told %q", got)
		}
		w.press("1", "1", q, "Allow once")
		if o := <-w.sent; o.Finishes != q.ID || o.Text != "The task that asked for this approval has ended. The call was not run." {
			t.Errorf("the press was told %q (finishes %q)", o.Text, o.Finishes)
		}
		w.settled()
		if got := w.approval(); got.State != session.ApprovalVoid || len(b.texts()) > 0 {
			t.Errorf("stored %+v, wrote %q", got, b.texts())
		}
		<-time.After(time.Hour) // the question's own time has no effect
		w.settled()
	})
}

// TestASubagentIsAllowedWhileItsTurnWaits: the press is behind the very turn that waits for it.
func TestASubagentIsAllowedWhileItsTurnWaits(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newParty(t, overwrites("subagent"), []tools.Tool{b.tool()}, withOptions(asking), withOptions(onePlace))
	w.write("1", "1", "page one")
	q := w.question("page one")
	w.press("1", "1", q, "Allow once")
	if o := w.expect(); o.Finishes != q.ID {
		t.Errorf("the question became %q (finishes %q)", o.Text, o.Finishes)
	}
	w.expectText("it says: result: written")
	w.settled()
	if d := cmp.Diff([]string{"page one"}, b.texts()); d != "" {
		t.Error(d)
	}
}

// undone is an engine with a process that dies when a press is to be handed on: before
// it is, or before the press's own turn is committed.
type undone struct {
	session.Engine

	before, after atomic.Bool
	met           chan struct{}
}

// Inbox implements [session.Engine].
func (u *undone) Inbox() session.Inbox { return undoneInbox{u.Engine.Inbox(), u} }

type undoneInbox struct {
	session.Inbox

	of *undone
}

func (u undoneInbox) Append(ctx context.Context, items []session.Item, cursor *channels.Cursor) error {
	handed := len(items) == 1 && strings.HasPrefix(items[0].ID, "agent/")
	if handed && u.of.before.Load() {
		u.of.met <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	err := u.Inbox.Append(ctx, items, cursor)
	if handed && u.of.after.Load() {
		u.of.met <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

func TestAStopBetweenThePressAndItsAgent(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := &book{}
			u := &undone{met: make(chan struct{}, 1)}
			w := newParty(t, overwrites("spawn"), []tools.Tool{b.tool()}, withOptions(asking), quietly, func(w *world) {
				w.wrap = func(e session.Engine) session.Engine { u.Engine = e; return u }
			})
			w.write("1", "1", "page one")
			q := w.started("page one")[0]
			u.before.Store(!after)
			u.after.Store(after)
			w.press("1", "1", q, "Allow once")
			<-u.met
			w.stop()
			u.before.Store(false)
			u.after.Store(false)
			w.start()
			if o := w.expect(); o.Finishes != q.ID || !strings.Contains(o.Text, "Allowed once") {
				t.Errorf("the question became %q (finishes %q)", o.Text, o.Finishes)
			}
			w.expectText("it says: result: written")
			w.settled()
			if d := cmp.Diff([]string{"page one"}, b.texts()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestTheOperatorDecidesForAnAgent from the command line.
func TestTheOperatorDecidesForAnAgent(t *testing.T) {
	t.Parallel()
	b := &book{}
	w := newParty(t, overwrites("spawn"), []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "page one")
	w.started("page one")
	if err := w.agent.Approvals().Decide(t.Context(), session.Decision{Approval: w.approval().ID, Allow: true}); err != nil {
		t.Fatal(err)
	}
	if got := w.expect().Text; !strings.Contains(got, "Allowed once by the operator") {
		t.Errorf("told %q", got)
	}
	w.expectText("it says: result: written")
	w.settled()
}

// TestTwoQuestionsOfOneAgent: one that is open when the agent reports without it ends with its task.
func TestTwoQuestionsOfOneAgent(t *testing.T) {
	t.Parallel()
	b := &book{}
	var mu sync.Mutex
	home := overwrites("spawn")
	w := newParty(t, func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		if isAgent(msgs) && last(msgs).Content == "pages" {
			return calls("overwrite", `{"text":"one"}`, "overwrite", `{"text":"two"}`)
		}
		return home(ctx, msgs, defs)
	}, []tools.Tool{b.tool()}, withOptions(asking))
	w.write("1", "1", "pages")
	asked := w.started("with one", "with two")
	one, two := asked[0], asked[1]
	w.press("1", "1", one, "Allow once")
	w.expect()
	got := []channels.Outbound{w.expect(), w.expect()}
	slices.SortFunc(got, func(a, b channels.Outbound) int { return strings.Compare(b.Text, a.Text) })
	if got[0].Text != "it says: result: written" || got[1].Finishes != two.ID ||
		!strings.Contains(got[1].Text, "has ended. The call was not run") {
		t.Errorf("told %+v", got)
	}
	w.settled()
	w.press("1", "1", two, "Allow once")
	if got := w.expect().Text; !strings.Contains(got, "is already decided: void") {
		t.Errorf("told %q", got)
	}
	w.settled()
	if d := cmp.Diff([]string{"one"}, b.texts()); d != "" {
		t.Error(d)
	}
}

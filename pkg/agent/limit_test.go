package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// fire puts the item of a job that the owner made into chat 1.
func (w *world) fire(j session.Job, n int) {
	w.t.Helper()
	j.Address, j.Principal.Sender, j.Principal.Direct = chatAddr("1"), channels.Sender{ID: "1"}, true
	if j.Due.IsZero() {
		j.Due = time.Now() // as it was when it fired
	}
	err := w.eng.Inbox().Append(w.t.Context(), []session.Item{{
		ID: fmt.Sprint("schedule/", j.ID, "/", n), Kind: session.ItemSchedule,
		Address: j.Address, Job: &j, Text: "tick", Solo: true, Time: time.Now(),
	}}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
}

// job makes a job of chat 1.
func (w *world) job(j session.Job) session.Job {
	w.t.Helper()
	info, err := w.eng.Sessions().Lookup(w.t.Context(), chatAddr("1"))
	if err != nil {
		w.t.Fatal(err)
	}
	j.Chat, j.Spec, j.Prompt = info.Chat, json.RawMessage(`{}`), true
	if err := w.eng.Jobs().PutJob(w.t.Context(), j); err != nil {
		w.t.Fatal(err)
	}
	return j
}

func TestJobsAtTheLimitAreToldOfOnceADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		w := newWorld(t, counted(&asked), nil, withBudget(forOne(session.ForJobs, budget.Limits{Turns: 1})))
		w.write("1", "1", "hello")
		w.expectText("answer 1")
		j := w.job(session.Job{ID: "j", Name: "notes", Due: time.Now().Add(48 * time.Hour), Runs: session.JobRuns{Failures: 2}})
		w.fire(j, 1)
		w.expectText("answer 2")
		for n := range 5 {
			w.fire(j, 2+n)
		}
		if got := w.expect().Text; !strings.HasPrefix(got, `Schedule “notes” (j) did not run. Today's limit of this chat for schedules is used up: 1 of 1 turns.`) {
			t.Errorf("told %q", got)
		}
		w.settled()
		w.write("1", "1", "hello") // people have a budget of their own
		w.expectText("answer 3")
		if got := w.failures(); len(got) != 5 || got[0] != "failed: budget: 1 of 1 turns for jobs" {
			t.Errorf("listed %q", got)
		}
		now, err := w.eng.Jobs().Job(t.Context(), "j")
		if err != nil || now.Runs.Failures != 0 || now.Paused || now.Runs.Reason != "budget: 1 of 1 turns for jobs" {
			t.Errorf("the job is %+v, %v", now, err)
		}
		if tr := strings.Join(w.transcript("1"), "\n"); strings.Count(tr, "tick") != 1 {
			t.Errorf("history\n%s", tr)
		}
		<-time.After(24 * time.Hour)
		w.fire(j, 10)
		w.expectText("answer 4")
		w.fire(j, 11)
		if got := w.expect().Text; !strings.Contains(got, "at 2000-01-03 00:00 UTC") {
			t.Errorf("the next day: told %q", got)
		}
		w.settled()
	})
}

// TestAJobThatReachesTheLimitInTheMiddle of its work is told of by its name, and has neither failed nor succeeded.
func TestAJobThatReachesTheLimitInTheMiddle(t *testing.T) {
	t.Parallel()
	effect := fn{name: "effect", run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("done") }}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "hello" {
			return say("hello")
		}
		return priced(call("effect", "{}"))
	}), []tools.Tool{effect}, withBudget(forOne(session.ForJobs, budget.Limits{Money: 20})))
	w.write("1", "1", "hello")
	w.expectText("hello")
	j := w.job(session.Job{ID: "j", Name: "notes", Due: time.Now().Add(48 * time.Hour), Runs: session.JobRuns{Failures: 2}})
	w.fire(j, 1)
	if got := w.expect().Text; !strings.HasPrefix(got, "Schedule “notes” (j) ended early. I stopped before I was done. Today's limit") ||
		!strings.HasSuffix(got, " Everything done so far is kept.") {
		t.Errorf("told %q", got)
	}
	w.settled()
	now, err := w.eng.Jobs().Job(t.Context(), "j")
	if err != nil || now.Runs.Failures != 2 || now.Paused || !strings.HasPrefix(now.Runs.Reason, "budget: ") {
		t.Errorf("the job is %+v, %v", now, err)
	}
	if tr := strings.Join(w.transcript("1"), "\n"); !strings.Contains(tr, "tool: done") {
		t.Errorf("history\n%s", tr)
	}
}

// TestAJobThatWouldNotRunAgainIsToldOf: a reminder is not lost without a word.
func TestAJobThatWouldNotRunAgainIsToldOf(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := newWorld(t, counted(&asked), nil, withBudget(forOne(session.ForJobs, budget.Limits{Tokens: 1})))
	w.write("1", "1", "hello")
	w.expectText("answer 1")
	w.fire(session.Job{ID: "gone", Prompt: true}, 1)
	w.expectText("answer 2")
	ended := w.job(session.Job{ID: "ended", Name: "call mum"})
	for _, j := range []session.Job{{ID: "gone", Prompt: true}, ended} {
		w.fire(j, 2)
		if got := w.expect().Text; !strings.Contains(got, "did not run. Today's limit") || !strings.HasSuffix(got, "It will not run again.") {
			t.Errorf("%s: told %q", j.ID, got)
		}
	}
	w.settled()
}

// teller is background work that shows its result to the person, or does not.
type teller struct {
	cb tools.AsyncCallback
}

func (*teller) Name() string                         { return "work" }
func (*teller) Description() string                  { return "works in the background" }
func (*teller) Parameters() map[string]any           { return map[string]any{"type": "object"} }
func (k *teller) SetCallback(cb tools.AsyncCallback) { k.cb = cb }

func (k *teller) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	shown, _ := args["shown"].(string)
	k.cb(ctx, &tools.ToolResult{ForLLM: "the result", ForUser: shown})
	return tools.AsyncResult("started")
}

// TestBackgroundWorkAtTheLimit: a result that the person was not shown is told of
// each time, and stays in the conversation; of others they hear once a day.
func TestBackgroundWorkAtTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case m.Role == providers.RoleTool:
			return priced(say("started"))
		case strings.HasPrefix(m.Content, "[background task]"):
			return priced(say("looked at it"))
		case m.Content == "show":
			return priced(call("work", `{"shown":"look!"}`))
		default:
			return priced(call("work", "{}"))
		}
	}), []tools.Tool{&teller{}}, withBudget(forOne(session.ForBackground, budget.Limits{Turns: 1})))
	w.write("1", "1", "work")
	w.expectText("started")
	w.expectText("looked at it")
	for range 2 {
		w.write("1", "1", "work")
		w.expectText("started")
		if got := w.expect().Text; !strings.HasPrefix(got,
			"A task has ended, and I cannot read its result today. Today's limit of this chat for background tasks is used up: 1 of 1 turns.") {
			t.Errorf("told %q", got)
		}
	}
	var got []string
	for range 3 {
		w.write("1", "1", "show")
		for text := ""; text != "started"; {
			text = w.expect().Text
			got = append(got, text)
		}
	}
	for len(got) < 3*2+1 { // the shown text, the start, and one notice
		got = append(got, w.expect().Text)
	}
	w.settled()
	if n := strings.Count(strings.Join(got, "\n"), "I have not read its result. Today's limit"); n != 1 {
		t.Errorf("told %d times of results that were shown, want once: %q", n, got)
	}
	if tr := strings.Join(w.transcript("1"), "\n"); strings.Count(tr, "\nthe result") != 6 {
		t.Errorf("the results are not in the conversation:\n%s", tr)
	}
	if got := w.failures(); len(got) != 5 {
		t.Errorf("listed %q", got)
	}
}

// TestAnAgentsReportAtTheLimit is sent as it is, each time; the agent's use counts
// before its report is looked at.
func TestAnAgentsReportAtTheLimit(t *testing.T) {
	t.Parallel()
	w := newParty(t, delegates(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return priced(say("forty-two"))
	}), nil, quietly, withBudget(forOne(session.ForBackground, budget.Limits{Turns: 3})))
	w.write("1", "1", "do it")
	w.expectText("started")
	w.expectText("it says: forty-two")
	w.write("1", "1", "do it")
	w.expectText("started")
	got := w.expect().Text
	if !strings.HasPrefix(got, "Report of task “the work” (") ||
		!strings.Contains(got,
			"\n\nforty-two\n\nI have not read this report. Today's limit of this chat for background tasks is used up: 3 of 3 turns.") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "do it")
	w.expectText("started")
	if got := w.expect().Text; !strings.Contains(got, "failed. Today's limit") {
		t.Errorf("told %q", got)
	}
	w.settled()
}

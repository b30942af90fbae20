package subagent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/agent/progress"
	"parley/pkg/agent/subagent"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// memory is a store of tasks, questions and items.
type memory struct {
	mu        sync.Mutex
	tasks     []session.Task
	questions []session.Approval
	items     []string // the ids of the items that were appended
	ends      []session.Completion
	fail      int // how many appends fail before one is stored
}

func (m *memory) find(id string) int {
	return slices.IndexFunc(m.tasks, func(t session.Task) bool { return t.ID == id })
}

func (m *memory) Complete(_ context.Context, id string, c session.Completion) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &m.tasks[m.find(id)]
	if t.State != session.TaskRunning {
		return false, nil
	}
	t.State = c.State
	m.ends = append(m.ends, c)
	return true, nil
}

func (m *memory) Task(_ context.Context, id string) (session.Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.find(id); at >= 0 {
		return m.tasks[at], nil
	}
	return session.Task{}, session.ErrNotFound
}

func (m *memory) OpenTasks(ctx context.Context) ([]session.Task, error) {
	all, err := m.TaskList(ctx, "")
	return slices.DeleteFunc(all, func(t session.Task) bool { return t.State != session.TaskRunning }), err
}

func (m *memory) TaskList(context.Context, string) ([]session.Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.tasks), nil
}

func (m *memory) Approval(context.Context, string) (session.Approval, error) {
	return session.Approval{}, session.ErrNotFound
}

func (m *memory) ApprovalList(context.Context, string) ([]session.Approval, error) {
	return m.questions, nil
}

func (m *memory) Append(_ context.Context, items []session.Item, _ *channels.Cursor) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail > 0 {
		m.fail--
		return session.ErrStore
	}
	for i := range items {
		m.items = append(m.items, items[i].ID)
	}
	return nil
}

// appended are the ids of the items so far.
func (m *memory) appended() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.items)
}

// over are the ends so far.
func (m *memory) over() []session.Completion {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ends)
}

func started(t *testing.T, m *memory) *subagent.Agents {
	t.Helper()
	keep := func(s string) string { return s }
	work := task.NewSupervisor(task.SupervisorOptions{
		Surface: func(channels.Address) progress.Surface { return progress.Surface{} }, Redact: keep, Log: zerolog.Nop(),
	})
	work.Start(t.Context())
	t.Cleanup(work.Stop)
	return subagent.New(subagent.Options{
		Store: m, Work: work, Redact: keep, Log: zerolog.Nop(),
		Tasks: task.New(task.Options{Store: m, Work: work, Redact: keep, Log: zerolog.Nop()}),
	})
}

func agentTask(id string) session.Task {
	now := time.Now()
	return session.Task{
		ID: id, Chat: "1", Tool: "spawn", Agent: true, State: session.TaskRunning, Started: now, Deadline: now.Add(time.Hour),
		Arguments: []byte(`{"task":"count the stars","name":"stars"}`),
	}
}

func TestAgentsGoOnAfterARestartAndTheirQuestionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended, now := agentTask("ended"), time.Now()
		ended.State = session.TaskDone
		asks := func(id, task string) session.Approval {
			return session.Approval{ID: id, Task: task, State: session.ApprovalOpen, Asked: now, Expires: now.Add(10 * time.Minute)}
		}
		m := &memory{
			tasks:     []session.Task{agentTask("a"), agentTask("b"), ended, {ID: "call", State: session.TaskRunning}},
			questions: []session.Approval{asks("of a", "a"), asks("of the ended", "ended"), asks("of a chat", "")},
			fail:      1,
		}
		agents := started(t, m)
		if err := agents.TakeUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{session.SpawnItemID("b"), "lapsed/of the ended"}
		if diff := cmp.Diff(want, m.appended()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		<-time.After(3 * time.Second) // the store can be written again
		<-time.After(10 * time.Minute)
		synctest.Wait()
		want = append(want, session.SpawnItemID("a"), "lapsed/of a")
		if diff := cmp.Diff(want, m.appended()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

func TestAnAgentEndsOnce(t *testing.T) {
	t.Parallel()
	for name, waited := range map[string]bool{"alone": false, "with a call that waits": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				one := agentTask("one")
				one.Waited = waited
				m := &memory{tasks: []session.Task{one}}
				agents := started(t, m)
				_, h, err := agents.Open(t.Context(), "one")
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(time.Hour + time.Second)
				synctest.Wait()
				if !errors.Is(context.Cause(h.Context()), turn.ErrTaskOver) {
					t.Errorf("cause %v", context.Cause(h.Context()))
				}
				if first, err := agents.End(t.Context(), &one, session.Completion{State: session.TaskDone, Result: "many"}); first || err != nil {
					t.Errorf("ended again: %v, %v", first, err)
				}
				ends := m.over()
				if len(ends) != 1 || ends[0].State != session.TaskTimedOut || (ends[0].Item == nil) != waited {
					t.Fatalf("ends %+v", ends)
				}
				if !waited && !strings.Contains(ends[0].Item.Text, "count the stars") {
					t.Errorf("told %q", ends[0].Item.Text)
				}
				if now, h, err := agents.Open(t.Context(), "one"); err != nil || now.State != session.TaskTimedOut || h.Context().Err() == nil {
					t.Errorf("opened %+v, %v", now, err)
				}
			})
		})
	}
}

func TestTheLinesOfAnAgentReachTheCallThatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agents := started(t, &memory{tasks: []session.Task{agentTask("one")}})
		_, h, err := agents.Open(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		h.Report("unheard")
		h.ReportTo(func(line string) { lines = append(lines, line) })
		h.Report("step 1")
		h.ReportTo(nil)
		h.Report("unheard")
		if diff := cmp.Diff([]string{"step 1"}, lines); diff != "" {
			t.Error(diff)
		}
		h.StandInLine(true)
		if !agents.Waits("one") {
			t.Error("it does not wait")
		}
		h.StandInLine(false)
		if agents.Waits("one") || agents.Waits("another") {
			t.Error("it waits")
		}
	})
}

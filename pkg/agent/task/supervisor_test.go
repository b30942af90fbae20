package task_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/progress"
	"parley/pkg/agent/task"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// memory is a store of tasks that keeps their ends.
type memory struct {
	mu    sync.Mutex
	tasks []session.Task
	ends  []session.Completion
	fail  int // how many ends fail before one is stored
}

func (m *memory) find(id string) int {
	return slices.IndexFunc(m.tasks, func(t session.Task) bool { return t.ID == id })
}

func (m *memory) Complete(_ context.Context, id string, c session.Completion) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail > 0 {
		m.fail--
		return false, session.ErrStore
	}
	t := &m.tasks[m.find(id)]
	if t.State != session.TaskRunning {
		return false, nil
	}
	t.State, t.Result = c.State, c.Result
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

func (m *memory) OpenTasks(context.Context) ([]session.Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.tasks), func(t session.Task) bool { return t.State != session.TaskRunning }), nil
}

func (m *memory) TaskList(_ context.Context, chat string) ([]session.Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.tasks), func(t session.Task) bool { return chat != "" && t.Chat != chat }), nil
}

// ended are the states and texts of the ends so far.
func (m *memory) ended() []session.Completion {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.ends)
}

// started is a store with the tasks, and their supervisor.
func started(t *testing.T, all ...session.Task) (*memory, *task.Supervisor, *task.Tasks) {
	t.Helper()
	m := &memory{tasks: all}
	keep := func(s string) string { return s }
	work := task.NewSupervisor(task.SupervisorOptions{
		Surface: func(channels.Address) progress.Surface { return progress.Surface{} }, Redact: keep, Log: zerolog.Nop(),
	})
	work.Start(t.Context())
	t.Cleanup(work.Stop)
	return m, work, task.New(task.Options{
		Store: m, Work: work, Redact: keep, Log: zerolog.Nop(),
		Back: func(context.Context, string, uint64, func(session.Entry) bool) error { return session.ErrNotFound },
		Zone: func(context.Context, string, channels.Address) *time.Location { return time.UTC },
	})
}

func running() session.Task {
	now := time.Now()
	return session.Task{
		ID: "one", Chat: "1", Tool: "crawl", State: session.TaskRunning, Started: now, Deadline: now.Add(time.Hour),
	}
}

func TestATaskIsEndedAtItsDeadlineAndTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := running()
		m, _, tasks := started(t, one)
		ctx := tasks.Arm(t.Context(), tools.Invocation{Turn: "turn"}, one)
		if tools.InvocationFrom(ctx).Turn != "turn" {
			t.Error("the invocation is lost")
		}
		<-time.After(time.Hour - time.Second)
		if ctx.Err() != nil {
			t.Error("ended before its deadline")
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		ends := m.ended()
		if len(ends) != 1 || ends[0].State != session.TaskTimedOut || len(ends[0].Outbox) != 1 || ends[0].Item == nil {
			t.Errorf("ends %+v", ends)
		}
		if ctx.Err() == nil {
			t.Error("the work goes on")
		}
	})
}

func TestTheContextEndsAfterTheEndIsStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := running()
		m, _, tasks := started(t, one)
		m.fail = 2
		ctx := tasks.Arm(t.Context(), tools.Invocation{}, one)
		began := time.Now()
		tasks.Complete(t.Context(), "one", session.TaskDone, &tools.ToolResult{ForLLM: "done"})
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("tried for %v", took)
		}
		if !errors.Is(context.Cause(ctx), turn.ErrTaskOver) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
		tasks.Complete(t.Context(), "one", session.TaskFailed, &tools.ToolResult{ForLLM: "failed"})
		if ends := m.ended(); len(ends) != 1 || ends[0].Result != "done" {
			t.Errorf("ends %+v", ends)
		}
	})
}

// TestAResultThatIsCutOffDoesNotCount at the deadline, and for a failure when the
// process stops.
func TestAResultThatIsCutOffDoesNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := running()
		_, work, tasks := started(t, one)
		tasks.Arm(t.Context(), tools.Invocation{}, one)
		if work.CutOff("one", true) {
			t.Error("cut off while it runs")
		}
		work.Stop()
		if !work.CutOff("one", true) || work.CutOff("one", false) {
			t.Error("when the process stops a failure is cut off, and a result is not")
		}
	})
}

// held counts the lines and ends that it hears.
type held struct {
	mu                     sync.Mutex
	begins, ends, expiries int
}

func (h *held) Begins(context.Context) { h.begins++ }
func (h *held) Ends()                  { h.ends++ }

func (h *held) Expires() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expiries++
}

func TestAHolderHearsOnceOfItsTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := running()
		_, work, _ := started(t, one)
		h, other := &held{}, &held{}
		ctx := work.Hold(t.Context(), &one, h)
		if again := work.Hold(t.Context(), &one, other); again != ctx || other.begins != 0 {
			t.Error("a task that is held is held again")
		}
		<-time.After(time.Hour + time.Second)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Error("the holder ends the task at its deadline, not the supervisor")
		}
		work.Close("one")
		work.Close("one")
		if h.begins != 1 || h.ends != 1 || h.expiries != 1 || !errors.Is(context.Cause(ctx), turn.ErrTaskOver) {
			t.Errorf("heard %+v, cause %v", h, context.Cause(ctx))
		}
		work.Stop()
		if late := work.Hold(t.Context(), &one, other); late.Err() == nil || other.begins != 0 {
			t.Error("held while all work is to end")
		}
	})
}

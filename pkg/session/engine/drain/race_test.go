package drain_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
	"parley/pkg/session/kv/kvtest"
)

const chat = "c"

func address() channels.Address { return channels.Address{Channel: "test", Account: "a", Chat: chat} }

// meddled is a store in memory that runs a function in the middle of a look, or fails.
type meddled struct {
	kv.Store

	mu     sync.Mutex
	early  func() // before the look
	meddle func() // in its middle
	fail   error
}

func (m *meddled) next(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.meddle = f
}

func (m *meddled) first(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.early = f
}

func (m *meddled) breaks(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

func (m *meddled) View(f func(kv.Reader) error) error {
	m.mu.Lock()
	fail, early := m.fail, m.early
	m.early = nil
	m.mu.Unlock()
	if fail != nil {
		return fail
	}
	if early != nil {
		early()
	}
	return m.Store.View(func(r kv.Reader) error { return f(reader{r, m}) })
}

type reader struct {
	kv.Reader

	store *meddled
}

func (r reader) Cursor(b kv.Bucket) kv.Cursor {
	if b == table.Outbox {
		r.store.mu.Lock()
		f := r.store.meddle
		r.store.meddle = nil
		r.store.mu.Unlock()
		if f != nil {
			f()
		}
	}
	return r.Reader.Cursor(b)
}

// open opens an engine whose turns wait for a word to commit, and say when they have.
func open(t *testing.T) (e *engine.Engine, store *meddled, turns chan session.Turn, commit, done chan struct{}) {
	t.Helper()
	store = &meddled{Store: kvtest.NewMemory()}
	e, err := engine.Open(t.Context(), store, engine.Options{Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	turns, commit, done = make(chan session.Turn), make(chan struct{}), make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		_ = e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error { // ended by the test
			turns <- turn
			<-commit
			err := turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
			done <- struct{}{}
			return err
		})
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	item := session.Item{
		ID: "1", Kind: session.ItemMessage, Address: address(), Time: time.Now(),
		Inbound: &channels.Inbound{Address: address(), MessageID: "1", Text: "x"},
	}
	if err := e.Inbox().Append(t.Context(), []session.Item{item}, nil); err != nil {
		t.Fatal(err)
	}
	return e, store, turns, commit, done
}

// beside runs f in a goroutine of its own, as another writer does, until it is over.
func beside(t *testing.T, f func() error) func() {
	t.Helper()
	return func() {
		over := make(chan error)
		go func() { over <- f() }()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
}

func start(t *testing.T, turn session.Turn) error {
	t.Helper()
	i := turn.Info()
	return turn.Record(t.Context(), session.Step{Kind: session.StepStarted, Await: true, Tasks: []session.Task{{
		ID: "t1", Chat: i.Chat, Session: i.Session, Address: i.Address, Turn: i.ID, Tool: "x",
		Arguments: json.RawMessage(`{}`), State: session.TaskRunning, Started: time.Now(),
	}}})
}

func complete(t *testing.T, e *engine.Engine) error {
	t.Helper()
	item := &session.Item{ID: "task/t1", Kind: session.ItemTask, Address: address(), Text: "r", TaskID: "t1"}
	_, err := e.Tasks().Complete(t.Context(), "t1", session.Completion{State: session.TaskDone, Item: item})
	return err
}

// drained reports whether the channel is drained within a moment.
func drained(t *testing.T, e *engine.Engine) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := e.Inbox().Drained(ctx, channels.Address{Channel: "test"})
	return err == nil
}

// TestTaskThatEndsDuringALook: the look saw neither the task nor its result, which waits.
func TestTaskThatEndsDuringALook(t *testing.T) {
	t.Parallel()
	e, store, turns, commit, done := open(t)
	if err := start(t, <-turns); err != nil {
		t.Fatal(err)
	}
	commit <- struct{}{}
	<-done
	if drained(t, e) {
		t.Fatal("drained while a task runs")
	}
	store.next(beside(t, func() error { return complete(t, e) }))
	if drained(t, e) {
		t.Error("drained while the result of a task waits")
	}
	<-turns
	commit <- struct{}{}
	<-done
	if !drained(t, e) {
		t.Error("not drained after the result was read")
	}
}

// TestTaskThatBeginsDuringALook: the look did not see the task, which runs all the same.
func TestTaskThatBeginsDuringALook(t *testing.T) {
	t.Parallel()
	e, store, turns, commit, done := open(t)
	turn := <-turns
	store.next(beside(t, func() error { return start(t, turn) }))
	if drained(t, e) {
		t.Fatal("drained during a turn")
	}
	commit <- struct{}{}
	<-done
	if drained(t, e) {
		t.Error("drained while a task runs")
	}
}

// TestTaskThatBeginsJustBeforeALook: the tasks were listed when it had not begun, and the
// queues read when its turn had ended.
func TestTaskThatBeginsJustBeforeALook(t *testing.T) {
	t.Parallel()
	e, store, turns, commit, done := open(t)
	turn := <-turns
	store.first(beside(t, func() error {
		err := start(t, turn)
		commit <- struct{}{}
		<-done
		return err
	}))
	if drained(t, e) {
		t.Error("drained while a task runs")
	}
}

// TestStoreThatCannotBeRead: the caller is told that the queues are unknown.
func TestStoreThatCannotBeRead(t *testing.T) {
	t.Parallel()
	e, store, turns, commit, done := open(t)
	<-turns
	broken := errors.New("broken")
	store.breaks(broken)
	if _, err := e.Inbox().Drained(t.Context(), channels.Address{Channel: "test"}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	store.breaks(nil)
	commit <- struct{}{}
	<-done
}

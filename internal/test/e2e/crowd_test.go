package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/fakemodel"
	"parley/internal/test/loopchat"
	"parley/internal/test/rig"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// large says that the populations are those of `make large`.
//
//nolint:forbidigo // it is asked for from outside, as with any test's settings
func large() bool { return os.Getenv("PARLEY_LARGE") != "" }

// TestAStartWithManyLostTasksAndDueJobs starts on a store in which each of many chats has
// a task that did not survive, and others have jobs that fell due meanwhile. While the
// model is held up by both, a newcomer is answered; each chat is told once, each job
// runs once, and no more turns ask the model at once than there are places.
func TestAStartWithManyLostTasksAndDueJobs(t *testing.T) {
	t.Parallel()
	lost, due, times := 220, 210, time.Duration(1)
	if large() {
		lost, due, times = 10_000, 1_000, 10
	}
	release := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(release) })
	t.Cleanup(goOn)
	var asking, most, jobs atomic.Int64
	w := prepare(t, func(req fakemodel.Request) fakemodel.Answer {
		_, text, late := strings.Cut(lastUser(req), "]\n") // a job that is late says so first
		if !late || !strings.HasPrefix(text, "[schedule]") {
			text = lastUser(req)
		}
		switch {
		case strings.HasPrefix(text, "[background task]"), strings.HasPrefix(text, "[schedule]"):
			n := asking.Add(1)
			defer asking.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			<-release
			if strings.HasPrefix(text, "[schedule]") {
				jobs.Add(1)
				return fakemodel.Say("the report")
			}
			return fakemodel.Say("NO_REPLY")
		default:
			return fakemodel.Say("heard " + text)
		}
	}, rig.Config{})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), patience*times)
	t.Cleanup(cancel)
	w.ctx = ctx
	loseTasks(t, w, lost, due)

	t.Log("the store is full")
	began := time.Now()
	w.start()
	t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
	})
	w.looks("a first poll", func() bool { return w.chat.Report().Polls > 0 })
	t.Logf("first poll after %v", time.Since(began))
	w.looks("turns that hold the model", func() bool { return most.Load() >= 2*208 })
	t.Logf("that was after %v", time.Since(began))
	came := time.Now()
	w.say("newcomer", "hello")
	w.expect("newcomer", 1, "heard hello")
	t.Logf("the newcomer waited %v, with %d turns at the model; peak %d MB", time.Since(came), asking.Load(), w.peak())
	goOn()
	w.looks("every chat told", func() bool { return w.chat.Report().Messages >= 1+lost+due })
	t.Logf("all was told after %v; peak %d MB", time.Since(began), w.peak())
	told := map[string]int{}
	all := w.chat.Messages("")
	for i := range all {
		told[all[i].Chat]++
	}
	for i := range lost + due {
		if n := told[fmt.Sprint("u", i)]; n != 1 {
			t.Errorf("chat %d was told %d times", i, n)
		}
	}
	if n := most.Load(); n > 3*208 { // some may be asked again before the model hears that it was given up
		t.Errorf("%d turns asked the model at once", n)
	}
	if n := jobs.Load(); n != int64(due) {
		t.Errorf("%d runs of %d jobs", n, due)
	}
	if mb := w.peak(); raceFlags == "" && mb > 300 {
		t.Errorf("%d MB of memory at most", mb)
	}
}

// loseTasks makes a store that a gateway has left behind: each of some chats has a task
// that runs, and the others have a job each, that is due.
func loseTasks(t *testing.T, w *world, lost, due int) {
	t.Helper()
	e, err := local.Open(w.ctx, local.Options{Dir: w.gw.StorePath(), Log: zerolog.Nop(), SnapshotEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	var items []session.Item
	for i := range lost + due {
		a := channels.Address{Channel: loopchat.Name, Account: "bot", Chat: fmt.Sprint("u", i)}
		id := fmt.Sprint("fill/", i)
		items = append(items, session.Item{ID: id, Kind: session.ItemMessage, Address: a, Time: now, Inbound: &channels.Inbound{
			ID: id, Kind: channels.KindMessage, Address: a, Sender: channels.Sender{ID: a.Chat}, Text: fmt.Sprint(i), Direct: true, Time: now,
		}})
	}
	if err := e.Inbox().Append(w.ctx, items, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(w.ctx)
	defer cancel(nil)
	var left atomic.Int64
	left.Store(int64(lost + due))
	err = e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		err := begin(ctx, e, turn, lost)
		if err != nil || left.Add(-1) == 0 {
			cancel(err)
		}
		return err
	})
	if cause := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) || !errors.Is(cause, context.Canceled) {
		t.Fatal(err, cause)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

// begin commits a turn of a chat: the first ones start a task, the others make a job.
func begin(ctx context.Context, e *local.Engine, turn session.Turn, lost int) error {
	info := turn.Info()
	in, now := info.Items[0].Inbound, time.Now()
	var n int
	if _, err := fmt.Sscan(in.Text, &n); err != nil {
		return err
	}
	if n < lost {
		if err := turn.Record(ctx, session.Step{Kind: session.StepBegun, Tasks: []session.Task{{
			ID: info.ID + "/1/0", Chat: info.Chat, Session: info.Session, Address: info.Address, Turn: info.ID,
			Principal: session.Principal{Sender: in.Sender, Direct: true, Level: "write"}, Tool: "work",
			Arguments: json.RawMessage(`{"text":"` + strings.Repeat("word ", 2000) + `"}`),
			State:     session.TaskRunning, Started: now, Deadline: now.Add(time.Hour),
		}}}); err != nil {
			return err
		}
	}
	if err := turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered}); err != nil || n < lost {
		return err
	}
	return e.Jobs().PutJob(ctx, session.Job{
		ID: fmt.Sprint("job", n), Chat: info.Chat, Address: info.Address,
		Principal: session.Principal{Sender: in.Sender, Direct: true, Level: "write"}, Created: now,
		Spec: json.RawMessage(fmt.Sprintf(`{"at":%q}`, now.Add(-time.Minute).Format(time.RFC3339))),
		Text: "Report.", Prompt: true, Due: now.Add(-time.Minute),
	})
}

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/bolt/bolttest"
	"parley/pkg/session/engine"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
	"parley/pkg/session/local"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// commit answers the one message that it puts in a chat.
func commit(t *testing.T, e *local.Engine, it session.Item, c session.Commit, tasks ...session.Task) (info session.TurnInfo) {
	t.Helper()
	put(t, e, it)
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		info = turn.Info()
		for i := range tasks {
			tasks[i].Chat, tasks[i].Session, tasks[i].Address = info.Chat, info.Session, info.Address
		}
		if len(tasks) > 0 {
			must(t, turn.Record(ctx, session.Step{Kind: session.StepBegun, Tasks: tasks, Await: true}))
		}
		c.Outcome = session.OutcomeAnswered
		return true, turn.Commit(ctx, c)
	})
	return info
}

func running(id string) session.Task {
	return session.Task{ID: id, Agent: true, State: session.TaskRunning, Started: time.Unix(1, 0)}
}

// agentSays answers the first item of a task's agent.
func agentSays(t *testing.T, e *local.Engine, id string, tasks ...session.Task) session.TurnInfo {
	t.Helper()
	it := session.Item{ID: "spawn/" + id, Kind: session.ItemSpawn, Address: session.AgentAddress(id), TaskID: id, Solo: true}
	msgs := []providers.Message{{Role: providers.RoleAssistant, Content: "thought"}}
	return commit(t, e, it, session.Commit{Messages: msgs}, tasks...)
}

// TestPruningOfTasks: 48 hours after its end a task is forgotten, and with it the
// conversations of its agent and of those that the agent started.
func TestPruningOfTasks(t *testing.T) {
	t.Parallel()
	now := time.Now()
	o := options(t, t.TempDir())
	o.Now = func() time.Time { return now }
	e, err := local.Open(t.Context(), o)
	must(t, err)
	t.Cleanup(func() {
		must(t, e.Close())
		checkStore(t, o.Dir)
	})
	home := commit(t, e, message("a", "1", ""), session.Commit{}, running("t"), running("runs"))
	agent := agentSays(t, e, "t", running("t/n"))
	nested := agentSays(t, e, "t/n")
	other := agentSays(t, e, "runs")
	for _, id := range []string{"t/n", "t"} {
		_, err := e.Tasks().Complete(t.Context(), id, session.Completion{State: session.TaskDone, Result: "x"})
		must(t, err)
	}
	wants := func(there bool) {
		t.Helper()
		engine.Prune(e.Engine)
		for _, s := range []string{agent.Session, nested.Session} {
			if _, err := e.Sessions().Get(t.Context(), s); there != (err == nil) {
				t.Errorf("the conversation is there: %t, want %t, %v", err == nil, there, err)
			}
			n := 0
			if err := e.Sessions().All(t.Context(), s, func(session.Entry) error { n++; return nil }); there != (err == nil && n == 1) {
				t.Errorf("%d entries, %v", n, err)
			}
		}
		for _, s := range []string{home.Session, other.Session} {
			if _, err := e.Sessions().Get(t.Context(), s); err != nil {
				t.Error(err)
			}
		}
	}
	now = now.Add(48 * time.Hour)
	wants(true)
	now = now.Add(time.Second)
	wants(false)
	if list, err := e.Tasks().TaskList(t.Context(), ""); err != nil || len(list) != 1 || list[0].ID != "runs" {
		t.Errorf("%+v, %v", list, err)
	}
	if all, err := e.Sessions().List(t.Context(), "", 100); err != nil || len(all) != 2 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
}

// TestPruningOfSpending: the use of a chat on a day is known for 40 days, and then
// forgotten.
func TestPruningOfSpending(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now := day
	o := options(t, t.TempDir())
	o.Now = func() time.Time { return now }
	e, err := local.Open(t.Context(), o)
	must(t, err)
	t.Cleanup(func() {
		must(t, e.Close())
		checkStore(t, o.Dir)
	})
	use := map[session.Purpose]session.Usage{session.ForPeople: {Turns: 1}}
	info := commit(t, e, message("a", "1", ""),
		session.Commit{Spent: &session.Spent{Day: "2026-03-01", Purpose: session.ForPeople, Usage: use[session.ForPeople]}})
	known := func() map[session.Purpose]session.Usage {
		engine.Prune(e.Engine)
		got, err := e.Chats().Spending(t.Context(), info.Chat, "2026-03-01")
		must(t, err)
		return got
	}
	now = day.AddDate(0, 0, 41)
	if d := cmp.Diff(use, known()); d != "" {
		t.Errorf("after 41 days (-want +got)\n%s", d)
	}
	now = day.AddDate(0, 0, 43)
	if got := known(); len(got) != 0 {
		t.Errorf("after 43 days %+v", got)
	}
}

// TestPruningOfUses: the use of a turn is forgotten with the turn, the share of a person with
// the day, and the sum of a wish with the item's id.
func TestPruningOfUses(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now := day
	o := options(t, t.TempDir())
	o.Now = func() time.Time { return now }
	e, err := local.Open(t.Context(), o)
	must(t, err)
	wished := message("a", "1", "")
	wished.Inbound.Wish = &channels.Wish{Sum: "sum"}
	spent := session.Spent{Day: "2026-03-01", Purpose: session.ForPeople, Person: "7", Usage: session.Usage{Turns: 1}}
	info := commit(t, e, wished, session.Commit{Outcome: session.OutcomeAnswered, Spent: &spent})
	known := func() (turns, persons int) {
		engine.Prune(e.Engine)
		must(t, e.Chats().TurnUses(t.Context(), info.Chat, func(session.TurnUse) bool { turns++; return true }))
		must(t, e.Chats().Shares(t.Context(), info.Chat, "2026-03-01", "2026-03-01", func(s session.Share) {
			if s.Person != "" {
				persons++
			}
		}))
		return turns, persons
	}
	if turns, persons := known(); turns != 1 || persons != 1 {
		t.Errorf("at first %d turns and %d persons", turns, persons)
	}
	now = day.AddDate(0, 0, 41)
	if turns, persons := known(); turns != 0 || persons != 1 {
		t.Errorf("after 41 days %d turns and %d persons", turns, persons)
	}
	now = day.AddDate(0, 0, 43)
	if _, persons := known(); persons != 0 {
		t.Errorf("after 43 days %d persons", persons)
	}
	must(t, e.Close())
	withStore(t, o.Dir, func(s kv.Store) error {
		return s.View(func(r kv.Reader) error {
			for _, b := range []table.Bucket{table.Uses, table.Shares, table.Sums} {
				if k, _ := r.Cursor(b).Seek(nil); k != nil {
					t.Errorf("%s still has %q", b, k)
				}
			}
			return nil
		})
	})
	checkStore(t, o.Dir)
}

// TestDamagedBackground: a damaged record of a task, a job, a zone or a day is set
// aside by the first reader, no index leads to it any more, and its turn goes on.
func TestDamagedBackground(t *testing.T) {
	t.Parallel()
	is := func(err error) error {
		if !errors.Is(err, session.ErrCorrupt) {
			return fmt.Errorf("got %w", err)
		}
		return nil
	}
	spent := &session.Spent{Day: "2026-03-01", Purpose: session.ForJobs, Usage: session.Usage{Turns: 7}}
	tests := map[string]struct {
		bucket string
		meet   func(e *local.Engine, info *session.TurnInfo) error
	}{
		"task": {"tasks", func(e *local.Engine, _ *session.TurnInfo) error {
			_, err := e.Tasks().Task(t.Context(), "t")
			return is(err)
		}},
		"task list": {"tasks", func(e *local.Engine, _ *session.TurnInfo) error {
			_, err := e.Tasks().TaskList(t.Context(), "")
			return err
		}},
		"tasks of chat": {"tasks", func(e *local.Engine, i *session.TurnInfo) error {
			_, err := e.Tasks().TaskList(t.Context(), i.Chat)
			return err
		}},
		"open tasks": {"tasks", func(e *local.Engine, _ *session.TurnInfo) error {
			_, err := e.Tasks().OpenTasks(t.Context())
			return err
		}},
		"completion": {"tasks", func(e *local.Engine, _ *session.TurnInfo) error {
			_, err := e.Tasks().Complete(t.Context(), "t", session.Completion{State: session.TaskDone})
			return is(err)
		}},
		"task is forgotten": {"tasks", func(e *local.Engine, i *session.TurnInfo) error { return e.Sessions().Forget(t.Context(), i.Session) }},
		"task moves onto": {"tasks", func(e *local.Engine, _ *session.TurnInfo) error {
			put(t, e, message("b", "2", ""))
			return e.Chats().Move(t.Context(), message("b", "", "").Address, message("a", "", "").Address)
		}},
		"task is pruned": {"tasks", func(e *local.Engine, _ *session.TurnInfo) error { engine.Prune(e.Engine); return nil }},
		"job": {"jobs", func(e *local.Engine, _ *session.TurnInfo) error {
			_, err := e.Jobs().Job(t.Context(), "j")
			return is(err)
		}},
		"job list": {"jobs", func(e *local.Engine, _ *session.TurnInfo) error {
			_, err := e.Jobs().JobList(t.Context(), "")
			return err
		}},
		"jobs of chat": {"jobs", func(e *local.Engine, i *session.TurnInfo) error {
			_, err := e.Jobs().JobList(t.Context(), i.Chat)
			return err
		}},
		"due jobs": {"jobs", func(e *local.Engine, _ *session.TurnInfo) error {
			_, err := e.Jobs().DueJobs(t.Context(), time.Unix(9, 0), 9)
			return err
		}},
		"job fires": {"jobs", func(e *local.Engine, _ *session.TurnInfo) error {
			_, err := e.Jobs().Fire(t.Context(), "j", time.Unix(1, 0), time.Time{}, message("a", "f", ""))
			return is(err)
		}},
		"job ran": {"jobs", func(e *local.Engine, _ *session.TurnInfo) error {
			commit(t, e, message("a", "2", ""), session.Commit{Ran: &session.JobRun{ID: "j"}})
			return nil
		}},
		"job is put": {"jobs", func(e *local.Engine, i *session.TurnInfo) error {
			return e.Jobs().PutJob(t.Context(), session.Job{ID: "j", Chat: i.Chat})
		}},
		"job moves": {"jobs", func(e *local.Engine, _ *session.TurnInfo) error {
			return e.Chats().Move(t.Context(), message("a", "", "").Address, message("c", "", "").Address)
		}},
		"job forgotten": {"jobs", func(e *local.Engine, i *session.TurnInfo) error { return e.Sessions().Forget(t.Context(), i.Session) }},
		"zone": {"zones", func(e *local.Engine, i *session.TurnInfo) error {
			zone, err := e.Chats().Zone(t.Context(), i.Chat)
			if zone != "" {
				t.Errorf("the zone is %q", zone)
			}
			return err
		}},
		"spending": {"spent", func(e *local.Engine, i *session.TurnInfo) error {
			_, err := e.Chats().Spending(t.Context(), i.Chat, spent.Day)
			return err
		}},
		"more is spent": {"spent", func(e *local.Engine, i *session.TurnInfo) error {
			commit(t, e, message("a", "2", ""), session.Commit{Spent: spent})
			got, err := e.Chats().Spending(t.Context(), i.Chat, spent.Day)
			if d := cmp.Diff(map[session.Purpose]session.Usage{session.ForJobs: spent.Usage}, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			return err
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var info session.TurnInfo
			closing(t, dir, func(e *local.Engine) {
				info = commit(t, e, message("a", "1", ""), session.Commit{Spent: spent}, running("t"))
				must(t, e.Jobs().PutJob(t.Context(), session.Job{ID: "j", Chat: info.Chat, Due: time.Unix(1, 0), Spec: []byte(`1`)}))
				must(t, e.Chats().SetZone(t.Context(), info.Chat, "Asia/Tokyo"))
			})
			spoil(t, dir, tt.bucket, 0)
			e := open(t, dir)
			must(t, tt.meet(e, &info))
			oneCorrupt(t, e)
			st, err := e.Status(t.Context())
			must(t, err)
			if want := map[bool]int{false: 1}[tt.bucket == "tasks" || name == "job forgotten"]; st.OpenTasks != want {
				t.Errorf("%d open tasks, want %d", st.OpenTasks, want)
			}
		})
	}
}

// TestBackgroundOfAnEarlierBuild: a store with tasks and jobs that no index lists by
// chat is checked and used as it is, and they are listed from then on.
func TestBackgroundOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var info session.TurnInfo
	closing(t, dir, func(e *local.Engine) {
		info = commit(t, e, message("a", "1", ""), session.Commit{}, running("t"))
		must(t, e.Jobs().PutJob(t.Context(), session.Job{ID: "j", Chat: info.Chat, Spec: []byte(`1`)}))
	})
	must(t, bolttest.DropBuckets(dir, "zones", "spent", "tasks_of", "jobs_of"))
	checkStore(t, dir)
	snap, err := bolt.SnapshotFile(t.Context(), dir, 3)
	must(t, err)
	listed := func(dir string) {
		e := open(t, dir)
		tasks, err := e.Tasks().TaskList(t.Context(), info.Chat)
		jobs, err2 := e.Jobs().JobList(t.Context(), info.Chat)
		if len(tasks) != 1 || len(jobs) != 1 {
			t.Errorf("%d tasks, %d jobs, %v", len(tasks), len(jobs), errors.Join(err, err2))
		}
		must(t, e.Close())
	}
	listed(dir)
	again := t.TempDir()
	must(t, bolt.Restore(t.Context(), again, snap, nil))
	listed(again)
}

// TestNothingFiresInAHeldStore: a store that was restored fires its jobs once the
// operator has released it.
func TestNothingFiresInAHeldStore(t *testing.T) {
	t.Parallel()
	dir, again := t.TempDir(), t.TempDir()
	closing(t, dir, func(e *local.Engine) {
		must(t, e.Jobs().PutJob(t.Context(), session.Job{ID: "j", Due: time.Unix(1, 0), Address: channels.Address{Channel: "test", Chat: "a"}}))
	})
	snap, err := bolt.SnapshotFile(t.Context(), dir, 3)
	must(t, err)
	must(t, bolt.Restore(t.Context(), again, snap, nil))
	e := open(t, again)
	for _, want := range []bool{false, true} {
		due, err := e.Jobs().DueJobs(t.Context(), time.Unix(2, 0), 10)
		_, next, err2 := e.Jobs().NextJob(t.Context())
		if (len(due) == 1) != want || next != want {
			t.Errorf("%d are due, one is next: %t, want %t, %v", len(due), next, want, errors.Join(err, err2))
		}
		if !want {
			must(t, e.ReleaseHold(t.Context()))
		}
	}
}

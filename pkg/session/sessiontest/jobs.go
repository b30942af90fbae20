package sessiontest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func jobTests() []test {
	return []test{
		{"a job fires once", testFire},
		{"a job that is fired by many fires once", testFireRace},
		{"jobs are listed and found when due", testDue},
		{"a job fires to where its chat is now", testFireMoved},
		{"the jobs of a chat that another one takes in are its own", testJobsMoveOnto},
		{"jobs of a suspended chat wait and crowd nobody out", testJobsWait},
		{"a job that comes due while its chat is suspended does not fire", testJobWaits},
		{"jobs of a forgotten chat are gone for good", testJobsForgotten},
		{"a job belongs to one chat", testJobOwner},
		{"jobs of a chat are listed by id", testJobList},
		{"what came of a run is kept with its turn", testRan},
		{"a run of a job that is gone changes nothing", func(b *bench) {
			b.say("a", "1", session.Commit{Ran: &session.JobRun{ID: "gone", Reason: "x", Pause: "y"}})
			b.crash()
			b.equal(0, len(b.jobs("")))
		}},
		{"jobs in any order of events", testJobsInAnyOrder},
	}
}

// putJob stores a job of the chat at an address, due at a second of the epoch.
func (b *bench) putJob(chat, id string, due int64) session.Job {
	b.Helper()
	info, err := b.e.Sessions().Lookup(b.Context(), addr(chat))
	b.must(err)
	j := session.Job{ID: id, Chat: info.Chat, Address: addr(chat), Spec: json.RawMessage(`"x"`), Text: "tick", Due: time.Unix(due, 0)}
	b.must(b.e.Jobs().PutJob(b.Context(), j))
	return j
}

// fire fires a job with an item that names its address of then.
func (b *bench) fire(j *session.Job, next time.Time) bool {
	b.Helper()
	first, err := b.e.Jobs().Fire(b.Context(), j.ID, j.Due, next, tick(j))
	b.must(err)
	return first
}

func tick(j *session.Job) session.Item {
	return session.Item{
		ID: fmt.Sprint("schedule/", j.ID, "/", j.Due.UnixNano()), Kind: session.ItemSchedule, Address: j.Address,
		Text: j.Text, Job: j, Solo: true,
	}
}

func (b *bench) jobs(chat string) []session.Job {
	b.Helper()
	list, err := b.e.Jobs().JobList(b.Context(), chat)
	b.must(err)
	return list
}

// due are the ids of the jobs that are due.
func (b *bench) due(now time.Time, limit int) []string {
	b.Helper()
	list, err := b.e.Jobs().DueJobs(b.Context(), now, limit)
	b.must(err)
	return jobIDs(list)
}

func jobIDs(list []session.Job) []string {
	out := []string{}
	for i := range list {
		out = append(out, list[i].ID)
	}
	return out
}

// nextJob is the second at which a job is due next, or 0.
func (b *bench) nextJob() int64 {
	b.Helper()
	at, ok, err := b.e.Jobs().NextJob(b.Context())
	b.must(err)
	if !ok {
		return 0
	}
	return at.Unix()
}

// suspend lets the platform say that a chat cannot be reached.
func (b *bench) suspend(chat, id string) {
	b.Helper()
	b.say(chat, id, session.Commit{Outbox: []channels.Outbound{outbound(chat, id)}})
	w := b.deliveries()
	h := w.next()
	b.must(h.what.Settle(b.Context(), channels.Outcome{State: channels.Refused, Reason: "blocked", Suspend: true}))
	h.end <- nil
	b.must(w.stop())
}

func testFire(b *bench) {
	info := b.say("a", "1", session.Commit{})
	j := b.putJob("a", "j", 1000)
	again := j
	again.Due = time.Unix(2000, 0)
	b.equal(false, b.fire(&again, again.Due))
	b.equal(true, b.fire(&j, again.Due))
	b.equal(false, b.fire(&j, again.Due))
	b.crash()
	b.equal(false, b.fire(&j, again.Due))
	jobs := b.jobs(info.Chat)
	b.equal(1, len(jobs))
	b.equal(true, jobs[0].Due.Equal(again.Due))
	b.equal(int64(2000), b.nextJob())
	b.equal(true, b.fire(&again, time.Time{}))
	b.equal(0, len(b.jobs("")))
	b.equal(int64(0), b.nextJob())
	b.equal(false, b.fire(&again, time.Time{}))
	b.equal(2, b.status().Waiting)
	// Storing the job as it was before does not bring it back: a call that is made
	// again after a crash makes no second one.
	b.wantErr(b.e.Jobs().PutJob(b.Context(), j), session.ErrEnded)
	b.crash()
	b.wantErr(b.e.Jobs().PutJob(b.Context(), j), session.ErrEnded)
	b.equal(0, len(b.jobs("")))
	b.equal(2, b.status().Waiting)
}

func testFireRace(b *bench) {
	b.say("a", "1", session.Commit{})
	j := b.putJob("a", "j", 1000)
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			first, err := b.e.Jobs().Fire(b.Context(), j.ID, j.Due, time.Unix(2000, 0), tick(&j))
			if err != nil {
				b.Error(err)
			}
			if first {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	b.equal(int32(1), won.Load())
	b.equal(1, b.status().Waiting)
}

func testDue(b *bench) {
	far := time.Date(9999, 12, 31, 23, 59, 59, 999, time.UTC)
	early := time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)
	b.equal(int64(0), b.nextJob())
	for id, due := range map[string]time.Time{
		"b":     time.Unix(20, 0),
		"a":     time.Unix(20, 0),
		"c":     time.Unix(10, 5),
		"far":   far,
		"early": early,
		"never": {},
	} {
		b.must(b.e.Jobs().PutJob(b.Context(), session.Job{ID: id, Due: due}))
	}
	b.must(b.e.Jobs().PutJob(b.Context(), session.Job{ID: "paused", Due: time.Unix(1, 0), Paused: true}))
	b.equal([]string{"early", "c", "a", "b"}, b.due(time.Unix(20, 0), 10))
	b.equal([]string{"early", "c"}, b.due(time.Unix(20, 0), 2))
	b.equal([]string{"early"}, b.due(time.Unix(10, 4), 10))
	b.equal(early.Unix(), b.nextJob())
	b.must(b.e.Jobs().PutJob(b.Context(), session.Job{ID: "c", Due: time.Unix(30, 0)}))
	b.must(b.e.Jobs().DeleteJob(b.Context(), "early"))
	b.wantErr(b.e.Jobs().DeleteJob(b.Context(), "early"), session.ErrNotFound)
	b.crash()
	b.equal([]string{"a", "b", "c", "far"}, b.due(far, 10))
	b.equal(int64(20), b.nextJob())
	b.equal(0, len(b.due(far, 0)))
	for _, id := range []string{"paused", "never"} {
		first, err := b.e.Jobs().Fire(b.Context(), id, time.Unix(1, 0), far, item("a", id))
		b.must(err)
		b.equal(false, first)
	}
}

func testFireMoved(b *bench) {
	info := b.say("old", "1", session.Commit{})
	j := b.putJob("old", "j", 1000)
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	b.crash()
	b.equal(addr("new"), b.jobs(info.Chat)[0].Address)
	b.equal(true, b.fire(&j, time.Unix(2000, 0)))
	turn := b.turns().next().what.Info()
	b.equal(info.Chat, turn.Chat)
	b.equal([]channels.Address{addr("new"), addr("new")}, []channels.Address{turn.Items[0].Address, turn.Items[0].Job.Address})
	// A writer that knows the old address alone stores the present one.
	b.must(b.e.Jobs().PutJob(b.Context(), j))
	got, err := b.e.Jobs().Job(b.Context(), "j")
	b.must(err)
	b.equal(addr("new"), got.Address)
	_, err = b.e.Sessions().Lookup(b.Context(), addr("elsewhere"))
	b.wantErr(err, session.ErrNotFound)
}

func testJobsMoveOnto(b *bench) {
	here, there := b.say("old", "1", session.Commit{}), b.say("new", "2", session.Commit{})
	b.putJob("old", "h", 1000)
	j := b.putJob("new", "t", 2000)
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	b.crash()
	b.equal(0, len(b.jobs(there.Chat)))
	b.equal([]string{"h", "t"}, jobIDs(b.jobs(here.Chat)))
	b.equal([]string{"h", "t"}, b.due(time.Unix(2000, 0), 10))
	b.equal(true, b.fire(&j, time.Time{}))
	b.equal(here.Chat, b.turns().next().what.Info().Chat)
	b.must(b.e.Sessions().Forget(b.Context(), here.Session))
	b.equal(0, len(b.jobs("")))
}

func testJobsWait(b *bench) {
	b.say("b", "1", session.Commit{})
	b.suspend("a", "2")
	b.say("a2", "3", session.Commit{})
	const many = 150
	for i := range many {
		b.putJob("a", fmt.Sprintf("a%03d", i), 10)
		b.putJob("a2", fmt.Sprintf("b%03d", i), 10)
	}
	b.suspend("a2", "4")
	b.putJob("b", "b", 20)
	for range 2 {
		b.equal([]string{"b"}, b.due(time.Unix(30, 0), 3))
		b.equal(int64(20), b.nextJob())
		b.crash()
	}
	// A sender can be reached again, and the jobs that fell due meanwhile are due.
	b.append(item("a", "5"))
	b.equal(many+1, len(b.due(time.Unix(30, 0), 1000)))
	b.equal([]string{"a000", "a001"}, b.due(time.Unix(30, 0), 2))
	b.equal(int64(10), b.nextJob())
	b.suspend("a", "6")
	b.reopen()
	b.equal([]string{"b"}, b.due(time.Unix(30, 0), 1000))
}

func testJobWaits(b *bench) {
	b.say("a", "1", session.Commit{})
	j := b.putJob("a", "j", 10)
	b.suspend("a", "2")
	b.equal(false, b.fire(&j, time.Unix(20, 0)))
	b.equal(0, b.status().Waiting)
	// A job that is changed meanwhile, and one that is paused, stay as they are.
	b.putJob("a", "k", 11)
	paused := b.putJob("a", "p", 12)
	paused.Paused = true
	b.must(b.e.Jobs().PutJob(b.Context(), paused))
	b.equal(int64(0), b.nextJob())
	b.say("a", "3", session.Commit{})
	b.equal([]string{"j", "k"}, b.due(time.Unix(30, 0), 10))
	b.equal(true, b.fire(&j, time.Unix(20, 0)))
}

func testJobsForgotten(b *bench) {
	info, other := b.say("a", "1", session.Commit{}), b.say("b", "2", session.Commit{})
	j := b.putJob("a", "j", 10)
	b.putJob("b", "k", 20)
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	b.crash()
	b.equal([]string{"k"}, b.due(time.Unix(30, 0), 10))
	b.equal(false, b.fire(&j, time.Unix(20, 0)))
	b.wantErr(b.e.Jobs().PutJob(b.Context(), j), session.ErrNotFound)
	_, err := b.e.Jobs().Job(b.Context(), "j")
	b.wantErr(err, session.ErrNotFound)
	_, err = b.e.Sessions().Lookup(b.Context(), addr("a"))
	b.wantErr(err, session.ErrNotFound)
	b.equal(0, len(b.jobs(info.Chat)))
	b.equal(1, len(b.jobs(other.Chat)))
}

func testJobOwner(b *bench) {
	b.say("a", "1", session.Commit{})
	other := b.say("b", "2", session.Commit{})
	j := b.putJob("a", "j", 10)
	j.Chat = other.Chat
	b.wantErr(b.e.Jobs().PutJob(b.Context(), j), session.ErrTaken)
	j.Chat = "c1"
	b.wantErr(b.e.Jobs().PutJob(b.Context(), j), session.ErrNotFound)
	j.ID, j.Chat = "", other.Chat
	if b.e.Jobs().PutJob(b.Context(), j) == nil {
		b.Error("a job without an id was stored")
	}
	b.equal(0, len(b.jobs(other.Chat)))
	b.equal(0, len(b.jobs("nonsense")))
}

func testJobList(b *bench) {
	info := b.say("a", "1", session.Commit{})
	b.say("b", "2", session.Commit{})
	for i := range 5 {
		b.putJob("a", fmt.Sprint("j", 9-i), int64(i))
		b.putJob("b", fmt.Sprint("k", i), int64(i))
	}
	b.must(b.e.Jobs().DeleteJob(b.Context(), "j7"))
	b.putJob("a", "j9", 100)
	b.reopen()
	b.equal([]string{"j5", "j6", "j8", "j9"}, jobIDs(b.jobs(info.Chat)))
	b.equal(9, len(b.jobs("")))
}

func testRan(b *bench) {
	b.say("a", "1", session.Commit{})
	j := b.putJob("a", "j", 10)
	run := func(id string, r session.JobRun) session.Job {
		b.Helper()
		r.ID, r.Time = "j", time.Unix(50, 0).UTC()
		b.say("a", id, session.Commit{Ran: &r})
		b.crash()
		got, err := b.e.Jobs().Job(b.Context(), "j")
		b.must(err)
		return got
	}
	for i := range 2 {
		got := run(fmt.Sprint("fails", i), session.JobRun{Reason: "no model"})
		b.equal([]any{i + 1, "no model", false}, []any{got.Runs.Failures, got.Runs.Reason, got.Paused})
	}
	got := run("works", session.JobRun{})
	b.equal([]any{0, "", time.Unix(50, 0).UTC()}, []any{got.Runs.Failures, got.Runs.Reason, got.Runs.Last})
	b.equal([]string{"j"}, b.due(time.Unix(10, 0), 10))
	got = run("stops", session.JobRun{Reason: "again", Pause: "it failed three times"})
	b.equal([]any{1, true, "it failed three times"}, []any{got.Runs.Failures, got.Paused, got.Why})
	b.equal(0, len(b.due(time.Unix(10, 0), 10)))
	b.equal(false, b.fire(&j, time.Time{}))
	// A turn that is fenced does not change the job.
	b.say("b", "2", session.Commit{})
	b.putJob("b", "k", 10)
	b.append(item("a", "fenced"))
	w := b.turns()
	h := w.next()
	b.must(b.e.Sessions().Forget(b.Context(), h.what.Info().Session))
	b.wantErr(h.what.Commit(b.Context(), session.Commit{Outcome: session.OutcomeAnswered, Ran: &session.JobRun{ID: "k", Pause: "x"}}),
		session.ErrFenced)
	h.end <- errors.New("gone")
	b.must(w.stop())
	b.equal([]string{"k"}, b.due(time.Unix(10, 0), 10))
}

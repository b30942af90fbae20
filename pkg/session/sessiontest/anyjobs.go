package sessiontest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/pkg/session"
)

// testJobsInAnyOrder lets jobs of two chats be made, changed, paused, fired and
// removed, and the chats be suspended, written in, moved and forgotten, with crashes
// between, beside a model of the due jobs and of those that have fired.
func testJobsInAnyOrder(b *bench) {
	if _, ok := b.e.(Crasher); !ok {
		b.Skip("the engine cannot crash: it has no method Crash")
	}
	rapid.Check(b.T, func(rt *rapid.T) {
		p := &plan{
			b:     &bench{T: b.T, open: b.open, dir: b.TempDir()},
			jobs:  map[string]*planned{},
			fired: map[string]bool{},
			ended: map[string]bool{},
		}
		p.b.e = p.b.open(b.T, p.b.dir)
		for i := range p.chats {
			p.meet(i)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"": p.check, "put": p.put, "drop": p.drop, "fire": p.fire, "ran": p.ran, "suspend": p.suspend,
			"write": p.write, "move": p.move, "forget": p.forget, "crash": func(*rapid.T) { p.b.crash() },
		})
		p.b.must(p.b.e.Close())
	})
}

// planned is a job in the model.
type planned struct {
	Chat     int
	Due      int64
	Paused   bool
	Failures int
}

// place is a chat in the model.
type place struct {
	at        string
	info      session.TurnInfo
	suspended bool
}

// plan is the model: chats and their jobs, and the items that have been appended.
type plan struct {
	b     *bench
	chats [2]place
	jobs  map[string]*planned
	fired map[string]bool
	ended map[string]bool // ids of jobs that fired for the last time
	n     int
}

func (p *plan) name(prefix string) string {
	p.n++
	return fmt.Sprint(prefix, p.n)
}

// meet begins a chat at a new address.
func (p *plan) meet(i int) {
	at := p.name("chat")
	p.chats[i] = place{at: at, info: p.b.say(at, p.name("m"), session.Commit{})}
}

func (p *plan) chat(rt *rapid.T) int { return rapid.IntRange(0, 1).Draw(rt, "chat") }

func (p *plan) job(rt *rapid.T) (string, *planned) {
	if len(p.jobs) == 0 {
		rt.Skip("there is no job")
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(p.jobs))).Draw(rt, "job")
	return id, p.jobs[id]
}

func (p *plan) put(rt *rapid.T) {
	id, i := fmt.Sprint("j", rapid.IntRange(0, 4).Draw(rt, "id")), p.chat(rt)
	j := &planned{Chat: i, Due: rapid.Int64Range(0, 9).Draw(rt, "due"), Paused: rapid.Bool().Draw(rt, "paused")}
	stored := session.Job{
		ID: id, Chat: p.chats[i].info.Chat, Address: addr(p.chats[i].at), Paused: j.Paused, Spec: []byte(`1`),
	}
	if j.Due > 0 {
		stored.Due = time.Unix(j.Due, 0)
	}
	err := p.b.e.Jobs().PutJob(p.b.Context(), stored)
	if old := p.jobs[id]; old != nil && old.Chat != i {
		p.b.wantErr(err, session.ErrTaken)
		return
	}
	if p.jobs[id] == nil && p.ended[id] {
		p.b.wantErr(err, session.ErrEnded)
		return
	}
	p.b.must(err)
	p.jobs[id] = j
}

func (p *plan) drop(rt *rapid.T) {
	id, _ := p.job(rt)
	p.b.must(p.b.e.Jobs().DeleteJob(p.b.Context(), id))
	delete(p.jobs, id)
}

func (p *plan) fire(rt *rapid.T) {
	id, j := p.job(rt)
	due, next := rapid.Int64Range(1, 9).Draw(rt, "at"), rapid.Int64Range(0, 9).Draw(rt, "next")
	if rapid.Bool().Draw(rt, "in time") && j.Due > 0 {
		due = j.Due
	}
	it := session.Item{ID: fmt.Sprint("schedule/", id, "/", due), Kind: session.ItemSchedule, Address: addr(p.chats[j.Chat].at), Solo: true}
	var after time.Time
	if next > 0 {
		after = time.Unix(next, 0)
	}
	first, err := p.b.e.Jobs().Fire(p.b.Context(), id, time.Unix(due, 0), after, it)
	p.b.must(err)
	want := !j.Paused && j.Due == due && !p.chats[j.Chat].suspended
	p.b.equal(want, first)
	if !want {
		return
	}
	if j.Due = next; next == 0 {
		delete(p.jobs, id)
		p.ended[id] = true
	}
	if !p.fired[it.ID] {
		p.fired[it.ID] = true
		p.answer(j.Chat, session.Commit{})
	}
}

// answer takes the one item that waits.
func (p *plan) answer(i int, c session.Commit) {
	p.b.equal(1, p.b.status().Waiting)
	w := p.b.turns()
	h := w.next()
	p.b.equal(p.chats[i].info.Chat, h.what.Info().Chat)
	p.b.equal(addr(p.chats[i].at), h.what.Info().Items[0].Address)
	p.b.answer(h, c)
	p.b.must(w.stop())
}

func (p *plan) ran(rt *rapid.T) {
	id, j := p.job(rt)
	run := &session.JobRun{ID: id, Time: time.Unix(1, 0)}
	if j.Failures++; rapid.Bool().Draw(rt, "well") {
		j.Failures = 0
	} else {
		run.Reason = "failed"
	}
	if rapid.Bool().Draw(rt, "pause") {
		run.Pause, j.Paused = "enough", true
	}
	p.talk(p.chat(rt), session.Commit{Ran: run})
}

// talk lets somebody write in a chat and be answered.
func (p *plan) talk(i int, c session.Commit) {
	p.b.append(item(p.chats[i].at, p.name("m")))
	p.chats[i].suspended = false
	p.answer(i, c)
}

func (p *plan) write(rt *rapid.T) { p.talk(p.chat(rt), session.Commit{}) }

func (p *plan) suspend(rt *rapid.T) {
	i := p.chat(rt)
	p.b.suspend(p.chats[i].at, p.name("s"))
	p.chats[i].suspended = true
}

func (p *plan) move(rt *rapid.T) {
	i, to := p.chat(rt), p.name("chat")
	p.b.must(p.b.e.Chats().Move(p.b.Context(), addr(p.chats[i].at), addr(to)))
	p.chats[i].at = to
}

func (p *plan) forget(rt *rapid.T) {
	i := p.chat(rt)
	p.b.must(p.b.e.Sessions().Forget(p.b.Context(), p.chats[i].info.Session))
	maps.DeleteFunc(p.jobs, func(_ string, j *planned) bool { return j.Chat == i })
	p.meet(i)
}

// check compares the stored jobs, and the due ones, with the model.
func (p *plan) check(rt *rapid.T) {
	var due int64
	for i := range p.chats {
		want, got := map[string]planned{}, map[string]planned{}
		for id, j := range p.jobs {
			if j.Chat != i {
				continue
			}
			want[id] = *j
			if j.Due > 0 && !j.Paused && !p.chats[i].suspended && (due == 0 || j.Due < due) {
				due = j.Due
			}
		}
		stored := p.b.jobs(p.chats[i].info.Chat)
		for k := range stored {
			j := &stored[k]
			p.b.equal(addr(p.chats[i].at), j.Address)
			at := max(j.Due.Unix(), 0)
			got[j.ID] = planned{Chat: i, Due: at, Paused: j.Paused, Failures: j.Runs.Failures}
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatalf("the jobs of a chat (-want +got)\n%s", d)
		}
	}
	p.b.equal(due, p.b.nextJob())
	p.b.equal(due > 0, len(p.b.due(time.Unix(9, 0), 1)) == 1)
}

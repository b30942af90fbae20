package sessiontest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

func turnTests() []test {
	return []test{
		{"a commit stores everything at once", testCommit},
		{"a job that was skipped has not failed", testSkipped},
		{"only the first commit counts", func(b *bench) {
			b.append(item("a", "1"))
			w := b.turns()
			h := w.next()
			b.must(h.what.Commit(b.Context(), session.Commit{Outcome: session.OutcomeAnswered, Messages: user("one")}))
			b.wantErr(h.what.Commit(b.Context(), session.Commit{Outcome: session.OutcomeAnswered, Messages: user("two")}), session.ErrFenced)
			b.wantErr(h.what.Record(b.Context(), session.Step{Kind: session.StepBegun, Await: true}), session.ErrFenced)
			h.end <- nil
			b.equal([]string{"one"}, b.page("a", 0, 10))
		}},
		{"an attempt that ended is fenced", testFenced},
		{"a turn without a commit is handed out again", func(b *bench) {
			b.append(item("a", "1"))
			w := b.turns()
			h := w.next()
			first := h.what.Info()
			h.end <- errors.New("no answer today")
			b.append(item("a", "2"))
			again := w.next().what.Info()
			b.equal(first.ID, again.ID)
			b.equal(0, again.Lost)
		}},
		{"steps are kept, in order, with the items that began the turn", testSteps},
		{"join takes what waits", testJoin},
		{"join has the limits of a turn", testJoinLimits},
		{"a step that cannot be stored is refused at once", testRefusedStep},
		{"a commit that fails touches nothing and spoils no neighbour", testNeighbours},
		{"arrivals are signalled", testArrivals},
		{"a failed item is listed", testFailed},
		{"a step's messages leave at once", func(b *bench) {
			b.append(item("a", "1"))
			h := b.turns().next()
			d := b.deliveries()
			b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepEnded, Outbox: []channels.Outbound{outbound("a", "o1")}}))
			got := d.next()
			b.equal("o1", got.what.Info().Outbound.ID)
			b.settle(got, "m")
			b.must(h.what.Record(b.Context(),
				session.Step{Kind: session.StepEnded, Outbox: []channels.Outbound{outbound("a", "o1"), outbound("a", "o2")}}))
			b.equal("o2", d.next().what.Info().Outbound.ID)
		}},
		{"many async steps come before the awaited one", func(b *bench) {
			b.append(item("a", "1"))
			w := b.turns()
			h := w.next()
			for i := range 300 {
				b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepEnded, Round: i, Await: i == 299}))
			}
			h.end <- errors.New("again")
			steps := w.next().what.Info().Steps
			b.equal(300, len(steps))
			for i := range steps {
				b.equal(i, steps[i].Round)
			}
		}},
	}
}

func user(texts ...string) []providers.Message {
	out := make([]providers.Message, len(texts))
	for i, s := range texts {
		out[i] = providers.Message{Role: providers.RoleUser, Content: s}
	}
	return out
}

// page reads the texts of a chat's present session.
func (b *bench) page(chat string, before uint64, limit int) []string {
	b.Helper()
	info, err := b.e.Sessions().Lookup(b.Context(), addr(chat))
	b.must(err)
	return b.pageOf(info.Session, before, limit)
}

func (b *bench) pageOf(id string, before uint64, limit int) []string {
	b.Helper()
	entries := b.entries(id, before, limit)
	out := make([]string, len(entries))
	for i := range entries {
		out[i] = entries[i].Message.Content
	}
	return out
}

// entries reads up to limit entries before one, oldest first.
func (b *bench) entries(id string, before uint64, limit int) []session.Entry {
	b.Helper()
	var out []session.Entry
	b.must(b.e.Sessions().Tail(b.Context(), id, before, func(e session.Entry) bool {
		out = append(out, e)
		return len(out) < limit
	}))
	slices.Reverse(out)
	return out
}

func testCommit(b *bench) {
	b.append(items("a", 2)...)
	w := b.turns()
	h := w.next()
	info := h.what.Info()
	ran, due := time.Unix(1_000_000, 5), time.Unix(2_000_000, 0)
	b.must(b.e.Jobs().PutJob(b.Context(), session.Job{
		ID: "j", Chat: info.Chat, Address: addr("a"), Spec: json.RawMessage(`1`), Due: due, Runs: session.JobRuns{Failures: 1},
	}))
	b.answer(h, session.Commit{
		Messages: user("hello", "there"),
		Outbox:   []channels.Outbound{outbound("a", "o1"), outbound("a", "o2"), outbound("a", "o1")},
		Ran:      &session.JobRun{ID: "j", Time: ran, Reason: "no model"},
		Spent:    &session.Spent{Day: "2000-01-02", Purpose: session.ForJobs, Usage: session.Usage{Turns: 1, Input: 5}},
	})
	b.must(w.stop())
	b.reopen()
	b.equal([]string{"hello", "there"}, b.page("a", 0, 10))
	st := b.status()
	b.equal([]int{0, 2}, []int{st.Waiting, st.Sending})
	jobs, err := b.e.Jobs().DueJobs(b.Context(), due, 10)
	b.must(err)
	b.equal(1, len(jobs))
	b.equal([]any{2, true, "no model"}, []any{jobs[0].Runs.Failures, jobs[0].Runs.Last.Equal(ran), jobs[0].Runs.Reason})
	spent, err := b.e.Chats().Spending(b.Context(), info.Chat, "2000-01-02")
	b.must(err)
	b.equal(map[session.Purpose]session.Usage{session.ForJobs: {Turns: 1, Input: 5}}, spent)
	entries := b.entries(info.Session, 0, 10)
	for i := range entries {
		b.equal(uint64(i+1), entries[i].Seq)
		b.equal(info.ID, entries[i].Turn)
	}
}

func testSkipped(b *bench) {
	b.append(item("a", "1"))
	w := b.turns()
	h := w.next()
	b.must(b.e.Jobs().PutJob(b.Context(), session.Job{
		ID: "j", Chat: h.what.Info().Chat, Address: addr("a"), Spec: json.RawMessage(`1`), Runs: session.JobRuns{Failures: 2},
	}))
	b.answer(h, session.Commit{Ran: &session.JobRun{ID: "j", Time: time.Unix(5, 0), Reason: "budget", Skipped: true}})
	b.must(w.stop())
	b.reopen()
	j, err := b.e.Jobs().Job(b.Context(), "j")
	b.must(err)
	b.equal([]any{2, "budget", int64(5)}, []any{j.Runs.Failures, j.Runs.Reason, j.Runs.Last.Unix()})
}

func testFenced(b *bench) {
	b.append(item("a", "1"))
	w := b.turns()
	old := w.next()
	old.end <- errors.New("gave up")
	h := w.next()
	b.wantErr(old.what.Record(b.Context(), session.Step{Kind: session.StepAnswer, Await: true}), session.ErrFenced)
	b.wantErr(old.what.Record(b.Context(), session.Step{Kind: session.StepAnswer}), session.ErrFenced)
	b.wantErr(old.what.Commit(b.Context(), session.Commit{
		Outcome: session.OutcomeAnswered, Messages: user("stale"), Outbox: []channels.Outbound{outbound("a", "stale")},
	}), session.ErrFenced)
	if _, err := old.what.Join(b.Context(), func(session.Item) bool { return true }); !errors.Is(err, session.ErrFenced) {
		b.Fatalf("join of an old attempt: %v", err)
	}
	b.equal(0, len(h.what.Info().Steps))
	b.answer(h, session.Commit{Messages: user("fresh")})
	b.equal([]string{"fresh"}, b.page("a", 0, 10))
	b.equal(0, b.status().Sending)
}

func testSteps(b *bench) {
	b.append(items("a", 2)...)
	w := b.turns()
	h := w.next()
	steps := []session.Step{
		{Kind: session.StepAnswer, Round: 1, Answer: &providers.LLMResponse{Content: "thinking"}},
		{Kind: session.StepBegun, Round: 1, Call: &session.CallRecord{ID: "c1", Tool: "t"}, Await: true},
		{
			Kind:   session.StepEnded,
			Round:  1,
			Call:   &session.CallRecord{ID: "c1", Tool: "t", Result: "r"},
			Outbox: []channels.Outbound{outbound("a", "o")},
		},
		{Kind: session.StepEnded, Round: 2, Await: true},
	}
	for i := range steps {
		b.must(h.what.Record(b.Context(), steps[i]))
		steps[i].Await = false
	}
	first := h.what.Info()
	b.append(item("a", "late"))
	h.end <- errors.New("again")
	b.must(w.stop())
	b.reopen()

	w = b.turns()
	h = w.next()
	info := h.what.Info()
	b.equal(first.ID, info.ID)
	b.equal(ids(first.Items), ids(info.Items))
	b.equal(steps, info.Steps)
	waiting, err := h.what.Waiting(b.Context())
	b.must(err)
	b.equal([]string{"test/bot/late"}, ids(waiting))
	b.answer(h, session.Commit{})
	h = w.next()
	b.equal(0, len(h.what.Info().Steps))
	b.equal([]string{"test/bot/late"}, ids(h.what.Info().Items))
}

func testJoin(b *bench) {
	b.append(item("a", "1"))
	w := b.turns()
	h := w.next()
	b.append(item("a", "2"), item("a", "3"), item("a", "4"))
	waiting, err := h.what.Waiting(b.Context())
	b.must(err)
	b.equal([]string{"test/bot/2", "test/bot/3", "test/bot/4"}, ids(waiting))
	joined, err := h.what.Join(b.Context(), func(i session.Item) bool { return i.ID != "test/bot/4" })
	b.must(err)
	b.equal([]string{"test/bot/2", "test/bot/3"}, ids(joined))
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepAnswer, Await: true}))
	h.end <- errors.New("again")

	// The next attempt knows the joined items, and waiting ones still wait.
	h = w.next()
	info := h.what.Info()
	b.equal([]string{"test/bot/1"}, ids(info.Items))
	b.equal(2, len(info.Steps))
	b.equal(session.StepJoined, info.Steps[0].Kind)
	b.equal([]string{"test/bot/2", "test/bot/3"}, ids(info.Steps[0].Items))
	again, err := h.what.Join(b.Context(), func(session.Item) bool { return false })
	b.must(err)
	b.equal(0, len(again))
	b.answer(h, session.Commit{})
	b.equal([]string{"test/bot/4"}, ids(w.next().what.Info().Items))
}

func testJoinLimits(b *bench) {
	b.append(item("a", "1"), textItem("b", "b1", "x"))
	w := b.turns()
	open := map[string]handed[session.Turn]{}
	for range 2 {
		h := w.next()
		open[h.what.Info().Address.Chat] = h
	}
	list := items("a", 30)
	list[25].Solo = true
	b.append(list...)
	all := func(session.Item) bool { return true }
	joined, err := open["a"].what.Join(b.Context(), all)
	b.must(err)
	b.equal(session.MaxTurnItems-1, len(joined))
	joined, err = open["a"].what.Join(b.Context(), all)
	b.must(err)
	b.equal(0, len(joined))

	b.append(textItem("b", "b2", strings.Repeat("x", 20<<10)), textItem("b", "b3", strings.Repeat("x", 20<<10)))
	joined, err = open["b"].what.Join(b.Context(), all)
	b.must(err)
	b.equal([]string{"test/bot/b2"}, ids(joined))
	b.answer(open["a"], session.Commit{})
	b.equal(ids(list[19:25]), ids(w.next().what.Info().Items))
}

func testRefusedStep(b *bench) {
	b.append(item("a", "1"))
	w := b.turns()
	h := w.next()
	bad := session.Step{Kind: session.StepBegun, Tasks: []session.Task{{ID: "t", Arguments: json.RawMessage("{")}}}
	if err := h.what.Record(b.Context(), bad); err == nil {
		b.Fatal("a step that cannot be stored was accepted")
	}
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepAnswer, Await: true}))
	h.end <- errors.New("again")
	h = w.next()
	b.equal([]session.Step{{Kind: session.StepAnswer}}, h.what.Info().Steps)
	b.answer(h, session.Commit{})
}

func testNeighbours(b *bench) {
	const chats = 24
	for i := range chats {
		b.append(item(fmt.Sprint(i), fmt.Sprint(i)))
	}
	w := b.turns()
	open := make([]handed[session.Turn], chats)
	for i := range open {
		open[i] = w.next()
	}
	var wg sync.WaitGroup
	for i, h := range open {
		wg.Go(func() {
			info := h.what.Info()
			c := session.Commit{
				Outcome: session.OutcomeAnswered, Messages: user("x"),
				Outbox: []channels.Outbound{{ID: info.ID, Address: info.Address}},
			}
			bad := c
			bad.Approvals = []session.Approval{{ID: info.ID, Expires: time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC)}}
			if i%2 == 0 {
				if err := h.what.Commit(b.Context(), bad); err == nil {
					b.Error("a commit that cannot be stored was accepted")
				}
			}
			// The same attempt may commit something else instead.
			if err := h.what.Commit(b.Context(), c); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	for _, h := range open {
		h.end <- nil
	}
	st := b.status()
	b.equal([]int{0, chats}, []int{st.Waiting, st.Sending})
	for i := range chats {
		b.equal([]string{"x"}, b.page(fmt.Sprint(i), 0, 10))
	}
	all, err := b.e.Approvals().ApprovalList(b.Context(), "")
	b.must(err)
	b.equal(0, len(all))
}

func testArrivals(b *bench) {
	b.append(item("a", "1"))
	h := b.turns().next()
	arrivals := h.what.Info().Arrivals
	for i := range 5 {
		b.append(item("a", fmt.Sprint("more", i)), item("b", fmt.Sprint("other", i)))
		select {
		case <-arrivals:
		case <-time.After(patience):
			b.Fatal("the arrival was not signalled")
		}
		select {
		case <-arrivals:
			b.Fatal("signalled without an arrival")
		default:
		}
	}
}

func testFailed(b *bench) {
	w := b.turns()
	for i := range 25 {
		b.append(item("a", fmt.Sprint(i)))
		b.answer(w.next(), session.Commit{Outcome: session.OutcomeFailed, Reason: fmt.Sprint("reason ", i)})
	}
	b.append(item("a", "q"))
	b.answer(w.next(), session.Commit{Outcome: session.OutcomeQuarantined, Reason: "poison"})
	b.must(w.stop())
	b.reopen()
	info, err := b.e.Sessions().Lookup(b.Context(), addr("a"))
	b.must(err)
	b.equal(20, len(info.Failed))
	b.equal("test/bot/6", info.Failed[0].ID)
	last := info.Failed[19]
	last.Time = time.Time{}
	b.equal(session.FailedItem{ID: "test/bot/q", Outcome: session.OutcomeQuarantined, Reason: "poison"}, last)
	b.equal(uint64(1), b.status().Quarantined)
}

package sessiontest

import (
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

func agentTests() []test {
	return []test{
		{"tasks are listed by chat, the oldest first", testTaskList},
		{"an agent has a conversation of its own", testAgent},
		{"an agent without a task has no conversation", testNoAgent},
		{"forget takes tasks and the conversations of their agents, nested ones too", testForgetAgents},
		{"forget of a session that was left behind takes its own tasks alone", testForgetOldTasks},
		{"forget fences the turn of an agent that runs", testForgetRunningAgent},
		{"what an agent used counts against the chat that started it", testAgentSpending},
		{"tasks go with their chat, also onto another one", testTasksMove},
	}
}

// spawn lets a turn of the chat at an address start a task, and begins the
// conversation of its agent, which is not taken.
func (b *bench) spawn(at channels.Address, id string) session.TurnInfo {
	b.Helper()
	b.append(session.Item{ID: "ask " + id, Kind: session.ItemTask, Address: at, Text: "go"})
	w := b.turns()
	h := w.next()
	info := h.what.Info()
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepBegun, Await: true, Tasks: []session.Task{{
		ID: id, Chat: info.Chat, Session: info.Session, Address: info.Address, Turn: info.ID,
		Tool: "spawn", Agent: true, State: session.TaskRunning, Started: time.Unix(int64(len(id)), 0),
	}}}))
	b.answer(h, session.Commit{Messages: user("spawned " + id)})
	b.must(w.stop())
	return info
}

// begin appends the first item of an agent.
func (b *bench) begin(id string) {
	b.Helper()
	b.append(spawned(id))
}

func spawned(id string) session.Item {
	return session.Item{
		ID: "spawn/" + id, Kind: session.ItemSpawn, Address: session.AgentAddress(id), Text: "do it", TaskID: id, Solo: true,
	}
}

// work answers the first item of an agent.
func (b *bench) work(id string, c session.Commit) session.TurnInfo {
	b.Helper()
	b.begin(id)
	w := b.turns()
	h := w.next()
	info := h.what.Info()
	b.equal(session.AgentAddress(id), info.Address)
	b.answer(h, c)
	b.must(w.stop())
	return info
}

func (b *bench) tasks(chat string) []string {
	b.Helper()
	list, err := b.e.Tasks().TaskList(b.Context(), chat)
	b.must(err)
	out := []string{}
	for i := range list {
		out = append(out, list[i].ID)
	}
	return out
}

// sessions are the ids of all sessions.
func (b *bench) sessions() []string {
	b.Helper()
	list, err := b.e.Sessions().List(b.Context(), "", 1000)
	b.must(err)
	out := []string{}
	for i := range list {
		out = append(out, list[i].Session)
	}
	return out
}

func testTaskList(b *bench) {
	var chats []string
	for _, chat := range []string{"a", "b"} {
		for i := range 3 {
			info := b.spawn(addr(chat), fmt.Sprint(chat, "123"[i:]))
			if i == 0 {
				chats = append(chats, info.Chat)
			}
		}
	}
	_, err := b.e.Tasks().Complete(b.Context(), "a23", session.Completion{State: session.TaskDone})
	b.must(err)
	b.crash()
	b.equal([]string{"a3", "a23", "a123"}, b.tasks(chats[0]))
	b.equal([]string{"b3", "b23", "b123"}, b.tasks(chats[1]))
	b.equal(6, len(b.tasks("")))
	b.equal(0, len(b.tasks("nonsense")))
	b.equal(5, b.status().OpenTasks)
}

func testAgent(b *bench) {
	home := b.spawn(addr("a"), "t")
	agent := b.work("t", session.Commit{Messages: user("thinking")})
	if agent.Chat == home.Chat {
		b.Fatal("the agent speaks in the chat")
	}
	b.must(b.e.Chats().SetZone(b.Context(), agent.Chat, "Asia/Tokyo"))
	b.crash()
	b.equal("Asia/Tokyo", b.zone(home.Chat))
	b.equal("Asia/Tokyo", b.zone(agent.Chat))
	b.equal([]string{"thinking"}, b.pageOf(agent.Session, 0, 10))
	b.equal([]string{"spawned t"}, b.page("a", 0, 10))
	// It began once.
	b.begin("t")
	b.equal(0, b.status().Waiting)
}

func testNoAgent(b *bench) {
	for range 2 {
		b.wantErr(b.e.Inbox().Append(b.Context(), []session.Item{item("a", "1"), spawned("t")}, nil), session.ErrNotFound)
		b.equal(0, b.status().Waiting)
		b.equal(0, len(b.sessions()))
		b.crash()
	}
	info := b.spawn(addr("a"), "t")
	b.must(b.e.Sessions().Forget(b.Context(), info.Session))
	b.wantErr(b.e.Inbox().Append(b.Context(), []session.Item{spawned("t")}, nil), session.ErrNotFound)
}

func testForgetAgents(b *bench) {
	home, other := b.spawn(addr("a"), "t1"), b.spawn(addr("b"), "o1")
	kept := b.work("o1", session.Commit{Messages: user("mine")})
	agent := b.work("t1", session.Commit{
		Messages:  user("secret"),
		Outbox:    []channels.Outbound{outbound("a", "q1")},
		Approvals: []session.Approval{{ID: "ask", Chat: home.Chat}},
	})
	nested := b.spawn(session.AgentAddress("t1"), "t1/n")
	b.equal(agent.Chat, nested.Chat)
	deep := b.work("t1/n", session.Commit{Messages: user("deep secret"), Approvals: []session.Approval{{ID: "deep"}}})
	b.append(session.Item{
		ID:       "later",
		Kind:     session.ItemDecision,
		Address:  session.AgentAddress("t1/n"),
		Decision: &session.Decision{Approval: "deep"},
	})
	b.spawn(addr("a"), "t2") // it has not begun
	b.must(b.e.Jobs().PutJob(b.Context(), session.Job{ID: "j", Chat: agent.Chat}))
	done := session.Item{ID: "task/t1", Kind: session.ItemTask, Address: addr("a"), TaskID: "t1"}
	b.must(b.e.Sessions().Forget(b.Context(), home.Session))
	for range 2 {
		for _, s := range []string{home.Session, agent.Session, deep.Session} {
			_, err := b.e.Sessions().Get(b.Context(), s)
			b.wantErr(err, session.ErrNotFound)
			b.wantErr(b.e.Sessions().All(b.Context(), s, func(session.Entry) error { return nil }), session.ErrNotFound)
		}
		b.equal([]string{"o1"}, b.tasks(""))
		b.equal([]int{0, 1}, []int{b.status().Waiting, b.status().OpenTasks})
		b.equal(2, len(b.sessions()))
		b.equal(0, len(b.jobs("")))
		for _, id := range []string{"t1", "t1/n", "t2"} {
			_, err := b.e.Tasks().Complete(b.Context(), id, session.Completion{
				State: session.TaskDone, Item: &done, Outbox: []channels.Outbound{outbound("a", "o"+id)},
			})
			b.wantErr(err, session.ErrNotFound)
		}
		_, err := b.e.Sessions().Lookup(b.Context(), addr("a"))
		b.wantErr(err, session.ErrNotFound)
		b.crash()
	}
	b.equal([]string{"mine"}, b.pageOf(kept.Session, 0, 10))
	b.equal([]string{"o1"}, b.tasks(other.Chat))
	asked, err := b.e.Approvals().ApprovalList(b.Context(), home.Chat)
	b.must(err)
	b.equal(0, len(asked))
}

func testForgetOldTasks(b *bench) {
	old := b.spawn(addr("a"), "old")
	gone := b.work("old", session.Commit{Messages: user("old")})
	b.say("a", "1", session.Commit{NewSession: true})
	b.spawn(addr("a"), "new")
	kept := b.work("new", session.Commit{Messages: user("new")})
	b.must(b.e.Sessions().Forget(b.Context(), old.Session))
	b.crash()
	b.equal([]string{"new"}, b.tasks(old.Chat))
	_, err := b.e.Sessions().Get(b.Context(), gone.Session)
	b.wantErr(err, session.ErrNotFound)
	b.equal([]string{"new"}, b.pageOf(kept.Session, 0, 10))
}

func testForgetRunningAgent(b *bench) {
	home := b.spawn(addr("a"), "t")
	b.begin("t")
	w := b.turns()
	h := w.next()
	b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepAnswer, Await: true}))
	b.must(b.e.Sessions().Forget(b.Context(), home.Session))
	ask := session.Step{Kind: session.StepBegun, Await: true, Outbox: []channels.Outbound{outbound("a", "q")}}
	b.wantErr(h.what.Record(b.Context(), ask), session.ErrFenced)
	h.end <- errors.New("gone")
	b.must(w.stop())
	b.crash()
	st := b.status()
	b.equal([]int{0, 0, 0}, []int{st.Waiting, st.Sending, st.OpenTasks})
	b.equal(0, len(b.sessions()))
}

func testAgentSpending(b *bench) {
	home := b.spawn(addr("a"), "t")
	agent := b.work("t", spent(session.ForBackground, 1, 1))
	b.spawn(session.AgentAddress("t"), "t/n")
	nested := b.work("t/n", spent(session.ForBackground, 2, 2))
	_, err := b.e.Tasks().Complete(b.Context(), "t/n", session.Completion{
		State: session.TaskDone, Spent: spent(session.ForBackground, 4, 4).Spent,
	})
	b.must(err)
	b.crash()
	want := map[session.Purpose]session.Usage{session.ForBackground: {Turns: 3, Input: 7, Output: 7, Money: 7}}
	for _, chat := range []string{home.Chat, agent.Chat, nested.Chat} {
		b.equal(want, b.spending(chat))
	}
}

func testTasksMove(b *bench) {
	here, there := b.spawn(addr("old"), "h"), b.spawn(addr("new"), "tt")
	agent := b.work("tt", session.Commit{Messages: []providers.Message{{Role: providers.RoleUser, Content: "x"}}})
	b.must(b.e.Chats().Move(b.Context(), addr("old"), addr("new")))
	b.crash()
	b.equal([]string{"h", "tt"}, b.tasks(here.Chat))
	b.equal(0, len(b.tasks(there.Chat)))
	for _, id := range []string{"h", "tt"} {
		task, err := b.e.Tasks().Task(b.Context(), id)
		b.must(err)
		b.equal([]any{here.Chat, addr("new")}, []any{task.Chat, task.Address})
		it := session.Item{ID: "task/" + id, Kind: session.ItemTask, Address: addr("old"), TaskID: id}
		first, err := b.e.Tasks().Complete(b.Context(), id, session.Completion{State: session.TaskDone, Item: &it})
		b.must(err)
		b.equal(true, first)
	}
	b.equal(0, b.status().OpenTasks)
	turn := b.turns().next().what.Info()
	b.equal([]any{here.Chat, []string{"task/h", "task/tt"}}, []any{turn.Chat, ids(turn.Items)})
	b.must(b.e.Sessions().Forget(b.Context(), here.Session))
	_, err := b.e.Sessions().Get(b.Context(), agent.Session)
	b.wantErr(err, session.ErrNotFound)
}

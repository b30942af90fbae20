package engine_test

import (
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// oldNow is the time of everything in the store.
func oldNow() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

func oldAddr(chat string) channels.Address {
	return channels.Address{Channel: "test", Account: "bot", Chat: chat}
}

func ada() channels.Sender { return channels.Sender{ID: "7", Name: "Ada"} }

// oldMessage is a message of Ada's that a platform has numbered.
func oldMessage(chat, id, text string) session.Item {
	it := message(chat, id, text)
	it.Time, it.Inbound.Time = oldNow(), oldNow()
	it.Inbound.MessageID, it.Inbound.Sender = "m-"+id, ada()
	return it
}

func oldTask(id string) session.Task {
	return session.Task{
		ID: id, Turn: "c1-1", Call: "call-1", Address: oldAddr("tasks"),
		Principal: session.Principal{Sender: ada(), Level: "owner", Direct: true}, Tool: "subagent",
		Arguments: []byte(`{"task":"look"}`), State: session.TaskRunning, Started: oldNow(), Deadline: oldNow().Add(time.Hour),
	}
}

func oldApproval(id string) session.Approval {
	return session.Approval{
		ID: id, Address: oldAddr("approvals"),
		Call: session.HeldCall{Turn: "c1-1", ID: "call-1", Tool: "write_file", Arguments: `{"path":"a.md"}`},
		Text: "write_file a.md", Question: id + "/ask",
		Principal: session.Principal{Sender: ada(), Direct: true, Level: "owner"}, Grantable: true,
		Asked: oldNow(), Expires: oldNow().Add(24 * time.Hour), State: session.ApprovalOpen,
	}
}

func oldJob(id string) session.Job {
	return session.Job{
		ID: id, Address: oldAddr("jobs"), Name: "job " + id,
		Principal: session.Principal{Sender: ada(), Direct: true, Level: "owner"}, Created: oldNow(),
		Spec: []byte(`{"every":"1h"}`), Text: "stretch", Due: oldNow().Add(time.Hour),
	}
}

// oldApprovalOf is a question of a chat.
func oldApprovalOf(id, chat, sessionID string) session.Approval {
	a := oldApproval(id)
	a.Chat, a.Session = chat, sessionID
	if id == "allowed" {
		a.State, a.Answer.By, a.Answer.At, a.Answer.Turn = session.ApprovalAllowed, ada(), oldNow(), "c1-2"
	}
	return a
}

func oldGrantOf(chat string) session.Grant {
	return session.Grant{
		ID: "grant", Chat: chat, Address: oldAddr("approvals"), Tool: "write_file", Person: ada(), Approval: "allowed",
		Since: oldNow(), Expires: oldNow().Add(24 * time.Hour),
	}
}

// oldSpent is the use of a turn of Ada's.
func oldSpent() *session.Spent {
	s := &session.Spent{Day: "2026-11-22", Purpose: session.ForPeople, Person: ada().ID, Usage: session.Usage{Turns: 1}}
	s.Add("main", session.Usage{Input: 10, Cached: 8, Output: 5, Reasoning: 3, Money: 42})
	return s
}

// oldSteps are those of the interrupted turn.
func oldSteps() []session.Step {
	return []session.Step{
		{Kind: session.StepAnswer, Round: 1, Answer: &providers.LLMResponse{Content: "I look"}},
		{Kind: session.StepBegun, Round: 1, Call: &session.CallRecord{ID: "call-1", Tool: "write_file"}},
	}
}

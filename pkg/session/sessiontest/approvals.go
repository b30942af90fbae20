package sessiontest

import (
	"slices"
	"strconv"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func approvalTests() []test {
	return []test{
		{"a question is stored with its step and its message", testQuestion},
		{"a question that was answered in a crash stays answered", func(b *bench) {
			info := b.question("q1", time.Unix(100, 0))
			b.decide("q1", info)
			b.crash()
			got, err := b.e.Approvals().Approval(b.Context(), "q1")
			b.must(err)
			b.equal(session.ApprovalAllowed, got.State)
			grants, err := b.e.Approvals().Grants(b.Context(), info.Chat)
			b.must(err)
			b.equal(1, len(grants))
			b.equal("write_file", grants[0].Tool)
		}},
		{"questions and grants are listed by chat, the oldest first", func(b *bench) {
			for i, id := range []string{"q2", "q1"} {
				b.question(id, time.Unix(int64(10*i), 0))
			}
			all, err := b.e.Approvals().ApprovalList(b.Context(), "")
			b.must(err)
			b.equal([]string{"q2", "q1"}, []string{all[0].ID, all[1].ID})
			own, err := b.e.Approvals().ApprovalList(b.Context(), all[0].Chat)
			b.must(err)
			b.equal(2, len(own))
			other, err := b.e.Approvals().ApprovalList(b.Context(), "c999")
			b.must(err)
			b.equal(0, len(other))
		}},
		{"a grant is revoked once", func(b *bench) {
			info := b.question("q1", time.Unix(100, 0))
			b.decide("q1", info)
			g, err := b.e.Approvals().RevokeGrant(b.Context(), "q1")
			b.must(err)
			b.equal("q1", g.Approval)
			_, err = b.e.Approvals().RevokeGrant(b.Context(), "q1")
			b.wantErr(err, session.ErrNotFound)
			b.reopen()
			left, err := b.e.Approvals().Grants(b.Context(), "")
			b.must(err)
			b.equal(0, len(left))
		}},
		{"a commit ends grants of its own chat", testRevokeByCommit},
		{"a question that is not there is not found", func(b *bench) {
			_, err := b.e.Approvals().Approval(b.Context(), "none")
			b.wantErr(err, session.ErrNotFound)
		}},
		{"a forgotten chat leaves no question and no grant", func(b *bench) {
			info := b.question("q1", time.Unix(100, 0))
			b.decide("q1", info)
			b.must(b.e.Sessions().Forget(b.Context(), info.Session))
			_, err := b.e.Approvals().Approval(b.Context(), "q1")
			b.wantErr(err, session.ErrNotFound)
			grants, err := b.e.Approvals().Grants(b.Context(), "")
			b.must(err)
			b.equal(0, len(grants))
		}},
		{"an attempt that is over writes no question", func(b *bench) {
			b.append(item("a", "1"))
			w := b.turns()
			h := w.next()
			b.answer(h, session.Commit{Outcome: session.OutcomeAnswered})
			b.must(w.stop())
			err := h.what.Record(b.Context(), session.Step{
				Kind: session.StepEnded, Await: true, Approvals: []session.Approval{{ID: "late", State: session.ApprovalOpen}},
			})
			b.wantErr(err, session.ErrFenced)
			_, err = b.e.Approvals().Approval(b.Context(), "late")
			b.wantErr(err, session.ErrNotFound)
		}},
	}
}

// question runs a turn that puts a question.
func (b *bench) question(id string, at time.Time) session.TurnInfo {
	b.Helper()
	b.append(item("a", "ask-"+id))
	w := b.turns()
	h := w.next()
	info := h.what.Info()
	b.must(h.what.Record(b.Context(), session.Step{
		Kind: session.StepEnded, Await: true, Round: 1,
		Call: &session.CallRecord{ID: "call", Tool: "write_file", Result: "waiting", Approval: id},
		Approvals: []session.Approval{{
			ID: id, Chat: info.Chat, Session: info.Session, Address: info.Address,
			Call: session.HeldCall{Turn: info.ID, Round: 1, ID: "call", Tool: "write_file", Arguments: "{\n \"path\": \"x\"}"},
			Text: "write x", Question: "out-" + id,
			Principal: session.Principal{Sender: channels.Sender{ID: "7"}, Level: "write"},
			Asked:     at, Expires: at.Add(time.Hour), State: session.ApprovalOpen,
		}},
		Outbox: []channels.Outbound{{ID: "out-" + id, Address: info.Address, Text: "May I?"}},
	}))
	b.answer(h, session.Commit{Outcome: session.OutcomeAnswered})
	b.must(w.stop())
	return info
}

// decide runs a turn that allows it, here and from now on.
func (b *bench) decide(id string, asked session.TurnInfo) {
	b.Helper()
	q, err := b.e.Approvals().Approval(b.Context(), id)
	b.must(err)
	q.State, q.Answer.Turn = session.ApprovalAllowed, "t"
	b.append(item("a", "decide-"+id))
	w := b.turns()
	h := w.next()
	b.must(h.what.Record(b.Context(), session.Step{
		Kind: session.StepAnswer, Round: 1, Await: true, Approvals: []session.Approval{q},
		Grants: []session.Grant{{ID: id, Chat: asked.Chat, Tool: q.Call.Tool, Approval: id, Since: q.Asked, Expires: q.Expires}},
	}))
	b.answer(h, session.Commit{Outcome: session.OutcomeAnswered})
	b.must(w.stop())
}

func testQuestion(b *bench) {
	info := b.question("q1", time.Unix(100, 0))
	b.crash()
	got, err := b.e.Approvals().Approval(b.Context(), "q1")
	b.must(err)
	b.equal(info.ID, got.Call.Turn)
	b.equal("{\n \"path\": \"x\"}", got.Call.Arguments)
	b.equal(session.ApprovalOpen, got.State)
	b.equal(1, b.status().Sending)

	// A commit closes one, too.
	got.State = session.ApprovalDenied
	b.append(item("a", "no"))
	w := b.turns()
	b.answer(w.next(), session.Commit{Outcome: session.OutcomeAnswered, Approvals: []session.Approval{got}})
	b.must(w.stop())
	b.reopen()
	got, err = b.e.Approvals().Approval(b.Context(), "q1")
	b.must(err)
	b.equal(session.ApprovalDenied, got.State)
}

func testRevokeByCommit(b *bench) {
	info := b.question("q1", time.Unix(100, 0))
	b.decide("q1", info)
	b.question("q2", time.Unix(200, 0))
	b.decide("q2", info)
	for i, chat := range []string{"b", "a", "a"} {
		b.append(item(chat, "revoke"+strconv.Itoa(i)))
		w := b.turns()
		b.answer(w.next(), session.Commit{Outcome: session.OutcomeAnswered, Revoked: []string{"q1", "none"}})
		b.must(w.stop())
		b.crash()
		left, err := b.e.Approvals().Grants(b.Context(), "")
		b.must(err)
		b.equal(chat == "b", slices.ContainsFunc(left, func(g session.Grant) bool { return g.ID == "q1" }))
		b.equal(true, slices.ContainsFunc(left, func(g session.Grant) bool { return g.ID == "q2" }))
	}
}

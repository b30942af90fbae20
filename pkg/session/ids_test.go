package session_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// TestIDs: the forms of ids are stored, so they stay as they are.
func TestIDs(t *testing.T) {
	t.Parallel()
	at := channels.Address{Channel: "telegram", Account: "bot", Chat: "7"}
	when := time.Unix(1, 5)
	key := session.CallKey(2, 1)
	got := []string{
		session.InboundItemID(at, "in"), session.DecisionItemID("a"), session.HandedOnID("x"),
		session.FiringID(&session.Job{ID: "j", Due: when}), session.FiringID(&session.Job{ID: "j", Due: when, Leaps: 2}),
		session.ManualFiringID("j", when), key, session.CallID("t", key), session.CallMessageID("t", key, 3),
		session.CallFileID("t", key), session.QuestionID("t", key), session.AgentTaskID("t", key, "d"),
		session.StopAnswerID("i"), session.SpawnItemID("k"), session.TaskItemID("k"), session.TaskReportID("k"), session.TaskStatusID("k"),
		session.PairCodeID(at, "in"), session.PairWelcomeID("CODE"), session.PairNoteID(at, "in"),
	}
	want := []string{
		"telegram/bot/in", "decision/a", "agent/x",
		"schedule/j/1000000005", "schedule/j/1000000005/leap-2",
		"schedule/j/by-hand/1000000005", "2/1", "t/2/1", "t/2/1/3",
		"t/2/1/file", "t/2/1/ask", "t/2/1/d",
		"i/stopped", "spawn/k", "task/k", "task/k/0", "task/k/status",
		"pair/telegram/bot/in", "pair/CODE", "pair-note/telegram/bot/in",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/forgets"
	"parley/pkg/session/local"
)

// TestForgettingOneConversationTakesItsMessages: of a conversation that was forgotten alone no question and no
// answer is left in the store, and in a snapshot and a backup of the time when it was the present one none of the
// messages that waited. A message for its chat stays in the store.
func TestForgettingOneConversationTakesItsMessages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	must(t, e.Inbox().Append(t.Context(), []session.Item{message("goes", "g1", "hello")}, nil))
	var at session.TurnInfo
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		at = turn.Info()
		return true, turn.Commit(ctx, session.Commit{
			Outcome: session.OutcomeAnswered, Messages: []providers.Message{{Role: providers.RoleUser, Content: forgottenWord}},
			Outbox: []channels.Outbound{{ID: at.ID + "/final/0", Address: at.Address, Text: forgottenWord}},
			Approvals: []session.Approval{{
				ID: "a1", Chat: at.Chat, Session: at.Session, Address: at.Address, State: session.ApprovalOpen, Text: forgottenWord,
				Asked: time.Now(), Expires: time.Now().Add(time.Hour),
			}},
		})
	})
	must(t, e.Chats().SetZone(t.Context(), at.Chat, "Asia/Tokyo"))
	put(t, e, message("goes", "g2", forgottenWord))
	put(t, e, message("stays", "s1", "kept kept"))
	snap, backup := backUp(t, e)

	newConversation(t, e, "stays", "s2", "")
	newConversation(t, e, "goes", "g3", "")
	put(t, e, message("goes", "g4", "kept kept"))
	f, entry := local.ForgetterOf(e), forgets.Entry{
		ID: "f1", Time: time.Now(), Chat: at.Chat, Session: at.Session, Left: []forgets.Step{forgets.StepPages, forgets.StepCopies},
	}
	must(t, f.Ledger().Add(entry))
	must(t, f.Forget(t.Context(), at.Chat, at.Session))
	must(t, f.Erase(t.Context()))
	_, err := f.CleanCopies(t.Context(), true)
	must(t, err)
	if got := holders(t, dir, forgottenWord); len(got) > 0 {
		t.Errorf("the word is in %v", got)
	}
	_, err = e.Inbox().Waits(t.Context(), "g4")
	must(t, err)
	if _, err := e.Approvals().Approval(t.Context(), "a1"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("the question: %v", err)
	}
	must(t, e.Close())
	checkStore(t, dir)
	for _, copied := range []string{snap, backup} {
		again := t.TempDir()
		b, err := os.ReadFile(filepath.Join(dir, forgets.File))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(again, forgets.File), b, 0o600))
		must(t, local.Restore(t.Context(), again, copied))
		b, err = os.ReadFile(filepath.Join(again, "parley.db"))
		must(t, err)
		if bytes.Contains(b, []byte(forgottenWord)) || !bytes.Contains(b, []byte("kept kept")) {
			t.Errorf("%s has the word, or lost that of another chat", copied)
		}
		checkStore(t, again)
		must(t, holdsChat(t, again, session.Info{Chat: at.Chat, Session: at.Session}).Close())
	}
}

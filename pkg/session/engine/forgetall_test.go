package engine_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
	"parley/pkg/session/local"
)

// TestForgetTakesEachConversationOfTheChat: with the present one go those that the chat left behind,
// one that it took up again, and those of a chat that became part of it, with marks and all. No record of any bucket has
// a word or a number of them, and the conversations of another chat stay.
func TestForgetTakesEachConversationOfTheChat(t *testing.T) {
	t.Parallel()
	const canary, kept = "canary", "kept"
	dir := t.TempDir()
	e, err := local.Open(t.Context(), oldOptions(t, dir, oldNow()))
	if err != nil {
		t.Fatal(err)
	}
	w := storeWriter{t: t, e: e, ctx: t.Context()}
	said := func(word string) session.Commit {
		m := providers.Message{Role: providers.RoleUser, Content: word, Original: &providers.Original{Text: "original " + word}}
		return session.Commit{
			Messages: []providers.Message{m, {Role: providers.RoleAssistant, Content: "to " + word}}, Outside: true,
			Start: session.StartSchedule, Spent: oldSpent(), Summary: &session.Summary{Message: m}, Undo: &session.Span{From: 2, To: 2},
		}
	}
	var ids, chats []string
	var numbers []uint64
	talk := func(chat, word string) {
		first := w.answer(oldMessage(chat, chat+"1", word), said(word))
		w.answer(oldMessage(chat, chat+"2", "/new"), session.Commit{NewSession: true})
		second := w.answer(oldMessage(chat, chat+"3", word), said(word))
		w.answer(oldMessage(chat, chat+"4", "/new"), session.Commit{NewSession: true})
		third := w.answer(oldMessage(chat, chat+"5", word), said(word))
		w.answer(oldMessage(chat, chat+"6", "/resume"), session.Commit{Resume: first.Session})
		w.answer(oldMessage(chat, chat+"7", word), said(word))
		ids = append(ids, first.Session, second.Session, third.Session)
		chats = append(chats, first.Chat)
	}
	talk("leaves", canary)
	w.turn(oldMessage("early", "early0", canary), func(turn session.Turn) error { // a chat that becomes part of it
		info := turn.Info()
		open, grant := oldApprovalOf("open", info.Chat, info.Session), oldGrantOf(info.Chat)
		open.Text, grant.Tool = canary, canary
		w.must(turn.Record(w.ctx, session.Step{
			Kind: session.StepEnded, Await: true, Grants: []session.Grant{grant}, Approvals: []session.Approval{open},
		}))
		return turn.Commit(w.ctx, session.Commit{Outcome: session.OutcomeAnswered})
	})
	for _, id := range []string{"early1", "early2"} {
		info := w.answer(oldMessage("early", id, canary), said(canary))
		w.answer(oldMessage("early", id+"new", "/new"), session.Commit{NewSession: id == "early1"})
		ids = append(ids, info.Session)
		if id == "early1" {
			early, err := table.ParseID("c", info.Chat)
			w.must(err)
			numbers = append(numbers, early)
		}
	}
	w.must(e.Chats().Move(t.Context(), oldAddr("leaves"), oldAddr("early")))
	before, err := e.Sessions().Left(t.Context(), chats[0], 9)
	w.must(err)
	if len(before) != 4 {
		t.Errorf("the chat that moved has %d earlier conversations", len(before))
	}
	gone := slices.Clone(ids)
	talk("stays", kept)
	for _, id := range gone {
		n, err := table.SessionNum(id)
		w.must(err)
		numbers = append(numbers, n)
	}
	chat, err := table.ParseID("c", chats[0])
	w.must(err)
	numbers = append(numbers, chat)

	w.must(e.Sessions().Forget(t.Context(), gone[0]))
	left, err := e.Sessions().Left(t.Context(), chats[1], 9)
	w.must(err)
	if len(left) != 2 {
		t.Errorf("the other chat has %d earlier conversations", len(left))
	}
	list, err := e.Sessions().List(t.Context(), "", 99)
	w.must(err)
	if len(list) != 3 {
		t.Errorf("%d conversations are listed", len(list))
	}
	w.must(e.Close())
	checkStore(t, dir)
	remembered := []table.Bucket{table.Seen, table.Sent, table.Sums} // ids, until they are old
	withStore(t, dir, func(s kv.Store) error {
		return s.View(func(k kv.Reader) error {
			for _, b := range table.Buckets() {
				c := k.Cursor(b)
				for key, v := c.Seek(nil); key != nil; key, v = c.Next() {
					switch {
					case bytes.Contains(v, []byte(canary)):
						t.Errorf("%s has words of a forgotten conversation under %x", b, key)
					case b == table.Sessions && slices.Contains(gone, string(key)):
						t.Errorf("%s has the forgotten conversation %s", b, key)
					case b != table.Sessions && !slices.Contains(remembered, b) && slices.Contains(numbers, table.Num(key, 0)):
						t.Errorf("%s has the number of a forgotten conversation, or of its chat: %x", b, key)
					case strings.Contains(string(key), "leaves") && !slices.Contains(remembered, b):
						t.Errorf("%s has the key %q", b, key)
					}
				}
			}
			return nil
		})
	})
}

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/forgets"
	"parley/pkg/session/local"
)

const forgottenWord = "xylophagous"

// exchange gives a chat an exchange with a word in it, and returns its conversation.
func exchange(t *testing.T, e *local.Engine, chat, id, word string) session.Info {
	t.Helper()
	put(t, e, message(chat, id, word))
	var at session.Info
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		long := strings.Repeat(word+" ", 2000)
		err := turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Messages: []providers.Message{
			{Role: providers.RoleUser, Content: word}, {Role: providers.RoleAssistant, Content: long},
		}})
		at.Session, at.Chat = turn.Info().Session, turn.Info().Chat
		return true, err
	})
	return at
}

// holders are the files below a folder that have a word.
func holders(t *testing.T, dir, word string) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(word)) {
			names = append(names, filepath.Base(path))
		}
		return err
	}))
	return names
}

// entryOf is an entry of the ledger for a whole chat.
func entryOf(at session.Info) forgets.Entry {
	return forgets.Entry{ID: "f1", Time: time.Now(), Chat: at.Chat, Left: forgets.Steps()}
}

// TestErasingLeavesNoByteOfAForgottenChat: the words of a chat are in no byte of the state folder once it is
// forgotten, the free pages are erased and the copies cleaned, while other chats are written and read; and
// these keep every word.
func TestErasingLeavesNoByteOfAForgottenChat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	at := exchange(t, e, "goes", "g1", forgottenWord)
	exchange(t, e, "stays", "s1", "kept")
	_, err := e.Snapshot(t.Context())
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "parley.db.damaged-x"), []byte("no store: "+forgottenWord), 0o600))
	must(t, local.ForgetterOf(e).Ledger().Add(entryOf(at)))
	must(t, e.Sessions().Forget(t.Context(), at.Session))
	_, err = e.Snapshot(t.Context()) // it has the word in free pages alone
	must(t, err)
	if got := holders(t, dir, forgottenWord); len(got) != 4 {
		t.Fatalf("before it is erased the word is in %v: the test shows nothing", got)
	}

	ctx, stop := context.WithCancel(t.Context())
	rest := context.WithoutCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			must(t, e.Inbox().Append(rest, []session.Item{message("busy", fmt.Sprint("b", i), "a word")}, nil))
			_, err := e.Sessions().Lookup(rest, message("busy", "", "").Address)
			must(t, err)
		}
	})
	err = local.ForgetterOf(e).Erase(t.Context())
	if err == nil {
		_, err = local.ForgetterOf(e).CleanCopies(t.Context(), true)
	}
	stop()
	beside.Wait()
	must(t, err)
	if got := holders(t, dir, forgottenWord); len(got) > 0 {
		t.Errorf("the word is still in %v", got)
	}
	if got := holders(t, dir, "kept kept kept"); len(got) != 3 {
		t.Errorf("the words of the other chat are in %v, not in the store and both snapshots", got)
	}
	must(t, e.Close())
	checkStore(t, dir)
	copies, err := filepath.Glob(filepath.Join(dir, "snapshots", "parley-*.db"))
	must(t, err)
	again := t.TempDir()
	must(t, local.Restore(t.Context(), again, copies[0]))
	checkStore(t, again)
}

// TestARestoreBringsNoForgottenChatBack: a snapshot that was made before a chat was forgotten is restored
// without it, by the operator, at a start that finds the store damaged, and when somebody copies it into
// the place of the store. No byte of the chat is in the store then, and the rest of the snapshot is.
func TestARestoreBringsNoForgottenChatBack(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, dir, snap string){
		"by the operator": func(t *testing.T, dir, snap string) {
			t.Helper()
			must(t, local.Restore(t.Context(), dir, snap))
			if got := holders(t, dir, forgottenWord); len(got) != 1 || !strings.HasSuffix(got[0], "Z.db") { // the snapshot of before
				t.Errorf("right after the restore the word is in %v", got)
			}
		},
		"of a damaged store": func(t *testing.T, dir, snap string) {
			t.Helper()
			b, err := os.ReadFile(snap)
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, "snapshots", "parley-20990101T000000.000000000Z.db"), b, 0o600))
			must(t, os.WriteFile(filepath.Join(dir, "parley.db"), []byte("no store"), 0o600))
		},
		"by hand": func(t *testing.T, dir, snap string) {
			t.Helper()
			b, err := os.ReadFile(snap)
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, "parley.db"), b, 0o600))
		},
	}
	for name, bringBack := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, backups := t.TempDir(), t.TempDir()
			e := open(t, dir)
			at := exchange(t, e, "goes", "g1", forgottenWord)
			exchange(t, e, "stays", "s1", "kept")
			snap, err := e.Snapshot(t.Context())
			must(t, err)
			b, err := os.ReadFile(snap)
			must(t, err)
			backup := filepath.Join(backups, "backup.db")
			must(t, os.WriteFile(backup, b, 0o600))
			must(t, local.ForgetterOf(e).Ledger().Add(entryOf(at)))
			must(t, e.Sessions().Forget(t.Context(), at.Session))
			must(t, local.ForgetterOf(e).Erase(t.Context()))
			must(t, e.Close())
			bringBack(t, dir, backup)
			e = open(t, dir)
			if _, err := local.ForgetterOf(e).CleanCopies(t.Context(), false); err != nil {
				t.Error(err)
			}
			all, err := e.Sessions().List(t.Context(), "", 9)
			must(t, err)
			if len(all) != 1 || all[0].Address.Chat != "stays" {
				t.Errorf("the restored store has %v", all)
			}
			must(t, e.Close())
			checkStore(t, dir)
			if got := holders(t, dir, forgottenWord); len(got) > 0 {
				t.Errorf("the word is back in %v", got)
			}
		})
	}
}

// TestARestoreFromBeforeAMove: a chat became a part of another one, and that was forgotten; a snapshot in which
// it is a chat of its own is restored without it. A conversation that was forgotten alone does not come back
// either, and the rest of its chat does.
func TestARestoreFromBeforeAMove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	exchange(t, e, "early", "e1", forgottenWord)
	exchange(t, e, "late", "l1", forgottenWord)
	left := exchange(t, e, "other", "o1", forgottenWord+" left")
	put(t, e, message("other", "o2", "/new"))
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		return true, turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, NewSession: true})
	})
	exchange(t, e, "other", "o3", "kept")
	snap, err := e.Snapshot(t.Context())
	must(t, err)
	b, err := os.ReadFile(snap)
	must(t, err)
	backup := filepath.Join(t.TempDir(), "backup.db")
	must(t, os.WriteFile(backup, b, 0o600))
	must(t, e.Chats().Move(t.Context(), message("early", "", "").Address, message("late", "", "").Address))
	whole, err := e.Sessions().Lookup(t.Context(), message("late", "", "").Address)
	must(t, err)
	f := local.ForgetterOf(e)
	all, last, err := f.Addresses(whole.Chat)
	must(t, err)
	if len(all) != 2 || all[0].Chat != "late" {
		t.Errorf("the addresses are %v", all)
	}
	must(t, f.Ledger().Add(forgets.Entry{ID: "f1", Time: time.Now(), Chat: whole.Chat, Moved: all, Until: last}))
	must(t, f.Ledger().Add(forgets.Entry{ID: "f2", Time: time.Now(), Chat: left.Chat, Session: left.Session}))
	must(t, e.Close())
	must(t, local.Restore(t.Context(), dir, backup))
	b, err = os.ReadFile(filepath.Join(dir, "parley.db"))
	must(t, err)
	if bytes.Contains(b, []byte(forgottenWord)) || !bytes.Contains(b, []byte("kept kept")) {
		t.Error("the restored store has the word, or lost the words of the other conversation")
	}
	checkStore(t, dir)

	e = open(t, dir) // held, and it takes messages in
	put(t, e, message("late", "l9", "fresh"))
	must(t, e.Close())
	e = open(t, dir)
	_, err = e.Inbox().Waits(t.Context(), "l9")
	must(t, err) // a chat that begins at such an address later is another one
	must(t, e.Close())
}

// newConversation lets a chat begin a new conversation, or take up an earlier one.
func newConversation(t *testing.T, e *local.Engine, chat, id, resume string) {
	t.Helper()
	put(t, e, message(chat, id, "/new"))
	run(t, e, func(ctx context.Context, turn session.Turn) (bool, error) {
		return true, turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, NewSession: resume == "", Resume: resume})
	})
}

// backUp takes a snapshot, and copies it elsewhere.
func backUp(t *testing.T, e *local.Engine) (snap, backup string) {
	t.Helper()
	snap, err := e.Snapshot(t.Context())
	must(t, err)
	b, err := os.ReadFile(snap)
	must(t, err)
	backup = filepath.Join(t.TempDir(), "backup.db")
	must(t, os.WriteFile(backup, b, 0o600))
	return snap, backup
}

// TestForgettingOneConversationKeepsItsChat: a conversation was forgotten alone, and a file of the time before
// has it as the present one of its chat. The file loses the conversation and keeps the chat, which has a new one:
// a snapshot, a restored backup, and the store itself where the chat had taken the conversation up again.
func TestForgettingOneConversationKeepsItsChat(t *testing.T) {
	t.Parallel()
	for name, restored := range map[string]bool{"in a backup": true, "in the store": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			e := open(t, dir)
			at := exchange(t, e, "goes", "g1", forgottenWord)
			must(t, e.Chats().SetZone(t.Context(), at.Chat, "Asia/Tokyo"))
			snap, backup := backUp(t, e)
			newConversation(t, e, "goes", "g2", "")
			kept := exchange(t, e, "goes", "g3", "kept")
			if !restored {
				newConversation(t, e, "goes", "g4", at.Session)
			}
			entry := forgets.Entry{ID: "f1", Time: time.Now(), Chat: at.Chat, Session: at.Session, Left: forgets.Steps()}
			must(t, local.ForgetterOf(e).Ledger().Add(entry))
			_, err := local.ForgetterOf(e).CleanCopies(t.Context(), true)
			must(t, err)
			must(t, e.Close())
			again := t.TempDir()
			must(t, local.Restore(t.Context(), again, snap)) // the snapshot that was cleaned
			holdsChat(t, again, at)
			if restored {
				must(t, local.Restore(t.Context(), dir, backup))
			}
			e = holdsChat(t, dir, at)
			if !restored {
				_, err := e.Sessions().Get(t.Context(), kept.Session)
				must(t, err)
			}
		})
	}
}

// holdsChat opens a store that has the chat of a conversation, but not the conversation.
func holdsChat(t *testing.T, dir string, at session.Info) *local.Engine {
	t.Helper()
	e := open(t, dir)
	info, err := e.Sessions().Lookup(t.Context(), message("goes", "", "").Address)
	must(t, err)
	zone, err := e.Chats().Zone(t.Context(), at.Chat)
	must(t, err)
	if info.Chat != at.Chat || info.Session == at.Session || info.Entries != 0 || zone != "Asia/Tokyo" {
		t.Errorf("the chat is %+v in the zone %q", info, zone)
	}
	if _, err := e.Sessions().Get(t.Context(), at.Session); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("the forgotten conversation: %v", err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "parley.db"))
	must(t, err)
	if bytes.Contains(b, []byte(forgottenWord)) {
		t.Error("the store has the word")
	}
	return e
}

// TestALaterChatIsNoForgottenOne: a file of the time before a chat that moved and was forgotten is copied into
// place. A chat that begins at an address of that one gets a higher number, and stays at the next start.
func TestALaterChatIsNoForgottenOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	exchange(t, e, "other", "o1", "kept")
	snap, err := e.Snapshot(t.Context())
	must(t, err)
	b, err := os.ReadFile(snap)
	must(t, err)
	at := exchange(t, e, "early", "e1", forgottenWord)
	must(t, e.Chats().Move(t.Context(), message("early", "", "").Address, message("late", "", "").Address))
	f := local.ForgetterOf(e)
	all, last, err := f.Addresses(at.Chat)
	must(t, err)
	must(t, f.Ledger().Add(forgets.Entry{ID: "f1", Time: time.Now(), Chat: at.Chat, Moved: all, Until: last}))
	must(t, e.Close())
	must(t, os.WriteFile(filepath.Join(dir, "parley.db"), b, 0o600))
	for _, id := range []string{"", "l9"} {
		e = open(t, dir)
		if id == "" {
			put(t, e, message("late", "l9", "fresh"))
			must(t, e.Close())
			continue
		}
		if _, err = e.Inbox().Waits(t.Context(), id); err != nil {
			t.Errorf("the message of the later chat: %v", err)
		}
	}
}

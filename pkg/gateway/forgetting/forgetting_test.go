package forgetting_test

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/gateway/files"
	"parley/pkg/gateway/forgetting"
	"parley/pkg/history"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// chats is how many there are, and each is forgotten beside others that stay.
const chats = 40

// gateway is the parts of one that forgetting touches.
type gateway struct {
	t      *testing.T
	dir    string
	store  *local.Engine
	past   *history.History
	spaces files.Spaces
	broken error // of a cleaner that comes after the records
	early  error // of a cleaner that comes before them
	// brokenFor is the one chat for which it is broken; "" is each.
	brokenFor string
	// rest is called before that cleaner, if it is set.
	rest func()
	// endWork is called before the steps of each attempt.
	endWork func() error
	*forgetting.Forgetting
}

func open(t *testing.T, dir string) *gateway {
	t.Helper()
	g := &gateway{t: t, dir: dir, spaces: files.NewSpaces(filepath.Join(dir, "workspace"))}
	var err error
	g.store, err = local.Open(t.Context(), local.Options{Dir: dir, SnapshotEvery: -1})
	g.must(err)
	g.past = history.New(history.Options{Path: filepath.Join(dir, "index", "history"), Store: g.store.Sessions()})
	g.Forgetting = forgetting.New(forgetting.Options{
		Engine: g.store, Store: local.ForgetterOf(g.store), Now: time.Now, Log: zerolog.Nop(),
		Indexes: []forgetting.Cleaner{func(ctx context.Context, c forgetting.Chat) error { return g.past.Forget(ctx, c.ID) }},
		EndWork: func(context.Context, string, string) (func(bool), error) {
			if g.endWork != nil {
				return func(bool) {}, g.endWork()
			}
			return func(bool) {}, nil
		},
		Files: []forgetting.Cleaner{
			func(ctx context.Context, c forgetting.Chat) error { return g.spaces.Forget(ctx, c.At) },
			func(context.Context, forgetting.Chat) error { return g.early },
		},
		Rest: []forgetting.Cleaner{
			func(_ context.Context, c forgetting.Chat) error {
				if g.rest != nil {
					g.rest()
				}
				if g.brokenFor != "" && g.brokenFor != c.ID {
					return nil
				}
				return g.broken
			},
		},
	})
	return g
}

func (g *gateway) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *gateway) close() {
	g.t.Helper()
	g.must(errors.Join(g.past.Close(), g.store.Close()))
}

func at(i int) channels.Address {
	return channels.Address{Channel: "telegram", Account: "b", Chat: fmt.Sprint(i)}
}

func canary(i int) string { return fmt.Sprintf("canary%02dword", i) }

// says appends a message of a person in a chat, which is a turn of its own.
func (g *gateway) says(i int, id, text string) {
	g.t.Helper()
	g.must(g.store.Inbox().Append(g.t.Context(), []session.Item{{
		ID: id, Kind: session.ItemMessage, Address: at(i), Solo: true, Time: time.Now(),
		Inbound: &channels.Inbound{ID: id, Kind: channels.KindMessage, Address: at(i), Text: text, Time: time.Now()},
	}}, nil))
}

// answer ends the next turn so.
func (g *gateway) answer(c session.Commit) {
	g.t.Helper()
	ctx, stop := context.WithCancel(g.t.Context())
	defer stop()
	err := g.store.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		defer stop()
		c.Outcome = session.OutcomeAnswered
		return turn.Commit(ctx, c)
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		g.t.Fatal(err)
	}
}

// talk gives a chat words in its conversation, in the index of it and in a file.
func (g *gateway) talk(i int) {
	g.t.Helper()
	g.says(i, fmt.Sprint("m", i), canary(i))
	g.answer(session.Commit{Messages: []providers.Message{
		{Role: providers.RoleUser, Content: "I say " + canary(i)}, {Role: providers.RoleAssistant, Content: "you said " + canary(i)},
	}})
	if g.finds(i) == 0 {
		g.t.Fatalf("chat %d does not find its own word", i)
	}
	folder := g.spaces.Of(at(i), false)
	g.must(os.MkdirAll(folder, 0o700))
	g.must(os.WriteFile(filepath.Join(folder, "note"), []byte(canary(i)), 0o600))
}

func (g *gateway) info(i int) session.Info {
	g.t.Helper()
	info, err := g.store.Sessions().Lookup(g.t.Context(), at(i))
	g.must(err)
	return info
}

// finds is how many entries of its own a chat finds by its word.
func (g *gateway) finds(i int) int {
	g.t.Helper()
	id := g.info(i).Session
	found, err := g.past.Search(g.t.Context(), history.Query{Session: id, Owner: id, Text: canary(i), Limit: 10})
	g.must(err)
	return len(found.Hits)
}

// has says which files below the state folder have the word of a chat, packed texts unpacked.
func (g *gateway) has(word string) (names []string) {
	g.t.Helper()
	g.must(filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(word)) || filepath.Base(filepath.Dir(path)) == "index" && unpacked(b, word) {
			names = append(names, path)
		}
		return err
	}))
	return names
}

// unpacked says whether a text that is packed somewhere in the bytes has a word.
func unpacked(b []byte, word string) bool {
	for i := range b {
		if b[i] != 1 { // it stands before a packed text
			continue
		}
		plain, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[i+1:])), 1<<16)) // many places hold none
		if bytes.Contains(plain, []byte(word)) {
			return true
		}
	}
	return false
}

// TestFortyChats: of forty chats with words of their own, one after the other is forgotten while the rest goes
// on. No file has its word afterwards, the index of the past among them, nor after a restore of a backup made
// before; and all others have theirs.
func TestFortyChats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := open(t, dir)
	for i := range chats {
		g.talk(i)
	}
	snap, err := g.store.Snapshot(t.Context())
	g.must(err)
	backup := filepath.Join(t.TempDir(), "backup.db")
	b, err := os.ReadFile(snap)
	g.must(err)
	g.must(os.WriteFile(backup, b, 0o600))
	gone := []int{0, 7, chats - 1}
	if names := g.has(canary(7)); len(names) < 4 {
		t.Fatalf("only %v have the word: the test shows nothing", names)
	}
	work, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		g.Run(work)
	}()
	for _, i := range gone {
		id, err := g.Forget(t.Context(), forgetting.Ask{Of: g.info(i)})
		g.must(err)
		g.must(g.Wait(t.Context(), id))
		if names := g.has(canary(i)); len(names) > 0 {
			t.Errorf("the word of chat %d is in %v", i, names)
		}
	}
	stop()
	<-ended
	if left := g.UnderWay(); len(left) > 0 {
		t.Errorf("%v are under way", left)
	}
	g.close()
	g.must(local.Restore(t.Context(), dir, backup))
	g = open(t, dir)
	for _, i := range gone {
		if names := g.has(canary(i)); len(names) > 0 {
			t.Errorf("after a restore the word of chat %d is in %v", i, names)
		}
	}
	for i := 1; i < 7; i++ {
		if n := g.finds(i); n == 0 {
			t.Errorf("chat %d finds its words no more", i)
		}
		if _, err := os.Stat(filepath.Join(g.spaces.Of(at(i), false), "note")); err != nil {
			t.Error(err)
		}
	}
	g.close()
}

// TestAStepThatFails is left: the forget stays under way, with the reason, and a later attempt finishes it. A
// chat that began anew meanwhile loses no record to it.
func TestAStepThatFails(t *testing.T) {
	t.Parallel()
	g := open(t, t.TempDir())
	defer func() { g.close() }()
	g.talk(1)
	g.broken = errors.New("the disk is full")
	if _, err := g.Forget(t.Context(), forgetting.Ask{Of: g.info(1)}); !errors.Is(err, g.broken) {
		t.Errorf("Forget: %v", err)
	}
	if _, err := g.Finish(t.Context()); !errors.Is(err, g.broken) || len(g.UnderWay()) != 1 {
		t.Errorf("Finish: %v, %v", err, g.UnderWay())
	}
	fresh := g.write("new")
	if _, err := g.Finish(t.Context()); !errors.Is(err, g.broken) {
		t.Errorf("Finish: %v", err)
	}
	g.broken = nil
	if _, err := g.Finish(t.Context()); err != nil || len(g.UnderWay()) != 0 {
		t.Errorf("Finish: %v, %v", err, g.UnderWay())
	}
	if _, err := g.store.Inbox().Waits(t.Context(), "new"); err != nil {
		t.Errorf("the message of the new chat: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the file of the new chat: %v", err)
	}
	if names := g.has(canary(1)); len(names) > 0 {
		t.Errorf("the word is in %v", names)
	}
}

// write gives chat 1, or the one that is at its address now, a message and a file.
func (g *gateway) write(id string) (file string) {
	g.t.Helper()
	g.says(1, id, "fresh")
	file = filepath.Join(g.spaces.Of(at(1), false), id)
	g.must(errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("fresh"), 0o600)))
	return file
}

// TestAForgetThatFailsHoldsUpNoOther: the forget of one chat fails again and again, and that of another one is
// finished, with no error.
func TestAForgetThatFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	g := open(t, t.TempDir())
	defer func() { g.close() }()
	g.talk(1)
	g.talk(2)
	stuck := g.info(1)
	g.broken, g.brokenFor = errors.New("the folder is held"), stuck.Chat
	first, err := g.Forget(t.Context(), forgetting.Ask{Of: stuck})
	if !errors.Is(err, g.broken) {
		t.Fatalf("Forget: %v", err)
	}
	other, err := g.Forget(t.Context(), forgetting.Ask{Of: g.info(2)})
	g.must(err)
	work, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		g.Run(work)
	}()
	if err := g.Wait(t.Context(), other); err != nil {
		t.Errorf("the wait for the other one: %v", err)
	}
	stop()
	<-ended
	if left := g.UnderWay(); len(left) != 1 || left[0].ID != first {
		t.Errorf("%v are under way", left)
	}
	if names := g.has(canary(2)); len(names) > 0 {
		t.Errorf("the word of the other chat is in %v", names)
	}
	if _, err := g.Finish(t.Context()); !errors.Is(err, g.broken) {
		t.Errorf("Finish: %v", err)
	}
}

// TestAForgetThatIsAskedAgain: a turn whose forget failed is run again, with the same question. That goes on with
// the forget that it began.
func TestAForgetThatIsAskedAgain(t *testing.T) {
	t.Parallel()
	g := open(t, t.TempDir())
	defer func() { g.close() }()
	g.talk(1)
	a := forgetting.Ask{Of: g.info(1), Question: "q"}
	ledger := local.ForgetterOf(g.store).Ledger()
	g.broken = errors.New("the disk is full")
	first, err := g.Forget(t.Context(), a)
	if !errors.Is(err, g.broken) {
		t.Fatalf("Forget: %v", err)
	}
	g.broken = nil
	again, err := g.Forget(t.Context(), a)
	g.must(err)
	if again != first || len(ledger.All()) != 1 {
		t.Errorf("forget %s is followed by %s; the ledger has %v", first, again, ledger.All())
	}
}

// TestForgettingKeepsTheBudget: a chat that its person has forgotten begins anew with the use of the day.
func TestForgettingKeepsTheBudget(t *testing.T) {
	t.Parallel()
	g := open(t, t.TempDir())
	defer func() { g.close() }()
	g.talk(1)
	g.says(1, "again", "more")
	g.answer(session.Commit{Spent: &session.Spent{
		Day: "2026-11-26", Purpose: session.ForPeople, Usage: session.Usage{Input: 400, Output: 20},
	}})
	before := g.info(1)
	_, err := g.Forget(t.Context(), forgetting.Ask{Of: before, Question: "q"})
	g.must(err)
	after := g.info(1)
	spent, err := g.store.Chats().Spending(t.Context(), after.Chat, "2026-11-26")
	g.must(err)
	if after.Chat == before.Chat || spent[session.ForPeople].Input != 400 {
		t.Errorf("chat %s became %s, with the use %v", before.Chat, after.Chat, spent)
	}
}

// converse gives chat 1 a turn that ends so.
func (g *gateway) converse(id string, c session.Commit) {
	g.t.Helper()
	g.says(1, id, id)
	g.answer(c)
}

// TestForgettingMeetsANewConversation: while the operator forgets a conversation, its chat begins another one
// or goes back to an earlier one. The gateway deletes the chat or the conversation that the ledger names, and no
// other, also in a later attempt and at the next start.
func TestForgettingMeetsANewConversation(t *testing.T) {
	t.Parallel()
	said := session.Commit{Messages: []providers.Message{{Role: providers.RoleUser, Content: "kept"}}}
	for name, whole := range map[string]bool{"the whole chat": true, "one conversation": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			g := open(t, dir)
			defer func() { g.close() }()
			g.talk(1)
			first := g.info(1)
			g.converse("new", session.Commit{NewSession: true})
			g.converse("kept", said)
			second := g.info(1)
			asked := first // it was the present one when it was looked up
			if !whole {
				var err error
				asked, err = g.store.Sessions().Get(t.Context(), first.Session)
				g.must(err)
				g.converse("resume", session.Commit{Resume: first.Session})
			}
			_, err := g.Forget(t.Context(), forgetting.Ask{Of: asked})
			g.must(err)
			for range 2 { // once more at the next start
				_, err = g.store.Sessions().Get(t.Context(), second.Session)
				_, gone := g.store.Sessions().Get(t.Context(), first.Session)
				now, look := g.store.Sessions().Lookup(t.Context(), at(1))
				if !errors.Is(gone, session.ErrNotFound) || errors.Is(err, session.ErrNotFound) != whole {
					t.Errorf("the first conversation: %v, the second one: %v", gone, err)
				}
				if whole && !errors.Is(look, session.ErrNotFound) || !whole && (look != nil || now.Chat != first.Chat) {
					t.Errorf("the chat is %+v, %v", now, look)
				}
				g.close()
				g = open(t, dir)
			}
		})
	}
}

package forgetting_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/pkg/gateway/forgetting"
	"parley/pkg/session/forgets"
)

// lock lets no entry of the ledger be written until unlock is called, as a disk without room would.
func (g *gateway) lock() {
	g.t.Helper()
	path := filepath.Join(g.dir, forgets.File)
	g.must(errors.Join(os.Rename(path, path+".kept"), os.Mkdir(path, 0o700)))
}

func (g *gateway) unlock() {
	g.t.Helper()
	path := filepath.Join(g.dir, forgets.File)
	g.must(errors.Join(os.Remove(path), os.Rename(path+".kept", path)))
}

// TestALedgerWithoutRoom: a forget that the ledger cannot note is left, and finished by the next process. A chat
// begins anew only where the ledger has it that its files are gone, so it loses none of its own to that.
func TestALedgerWithoutRoom(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"before the records go": false, "after that": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			g := open(t, dir)
			g.talk(1)
			before := g.info(1)
			g.rest = g.lock
			if !late {
				g.rest, g.endWork = nil, func() error { g.lock(); return nil }
			}
			if _, err := g.Forget(t.Context(), forgetting.Ask{Of: before, Question: "q"}); err == nil {
				t.Fatal("a forget that the ledger cannot note succeeds")
			}
			if anew := g.info(1).Chat != before.Chat; anew != late {
				t.Errorf("the chat has begun anew: %v", anew)
			}
			file := g.write("fresh")
			g.unlock()
			g.close() // as a kill: the file of the ledger is as it was
			g = open(t, dir)
			defer func() { g.close() }()
			g.Resume(t.Context())
			_, err := g.Finish(t.Context())
			g.must(err)
			if _, err := os.Stat(file); (err == nil) != late {
				t.Errorf("the file that came meanwhile: %v", err)
			}
			if names := g.has(canary(1)); len(names) > 0 || len(g.UnderWay()) > 0 {
				t.Errorf("the word is in %v; under way are %v", names, g.UnderWay())
			}
		})
	}
}

// TestWorkThatGoesOn: the records and files of a chat stay as long as something works for it, and a later attempt
// finishes the forget.
func TestWorkThatGoesOn(t *testing.T) {
	t.Parallel()
	g := open(t, t.TempDir())
	defer func() { g.close() }()
	g.talk(1)
	goesOn := errors.New("a call goes on")
	g.endWork = func() error { return goesOn }
	id, err := g.Forget(t.Context(), forgetting.Ask{Of: g.info(1)})
	if !errors.Is(err, goesOn) || id == "" || !g.Left(id) || g.finds(1) == 0 {
		t.Errorf("Forget: %q, %v", id, err)
	}
	if _, err := g.Finish(t.Context()); !errors.Is(err, goesOn) || !g.Left(id) {
		t.Errorf("Finish: %v", err)
	}
	g.endWork = nil
	if _, err := g.Finish(t.Context()); err != nil || g.Left(id) {
		t.Errorf("Finish: %v", err)
	}
	if names := g.has(canary(1)); len(names) > 0 {
		t.Errorf("the word is in %v", names)
	}
}

// TestAChatThatBecomesPartOfAnother while its work is ended: the one that took it over is forgotten, with its
// older states in the copies of the store. So it is where an earlier process has died before that.
func TestAChatThatBecomesPartOfAnother(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"", "q"} {
		t.Run("question "+question, func(t *testing.T) {
			t.Parallel()
			g := open(t, t.TempDir())
			defer func() { g.close() }()
			g.talk(1)
			g.talk(2)
			g.talk(3)
			_, err := g.store.Snapshot(t.Context())
			g.must(err)
			g.endWork = func() error { // the group 1 becomes the supergroup 2, where a chat has begun already
				g.endWork = nil
				return g.store.Chats().Move(t.Context(), at(1), at(2))
			}
			id, err := g.Forget(t.Context(), forgetting.Ask{Of: g.info(2), Question: question})
			g.must(err)
			_, err = g.Finish(t.Context())
			g.must(err)
			if names := slices.Concat(g.has(canary(1)), g.has(canary(2))); len(names) > 0 || g.Left(id) {
				t.Errorf("the words are in %v", names)
			}
			if g.finds(3) == 0 {
				t.Error("another chat has lost its word")
			}
		})
	}
}

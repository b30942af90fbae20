package engine_test

import (
	"errors"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/bolt/bolttest"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

func isPaired(e *local.Engine, id string) bool {
	paired, _ := e.Pairs().Paired("test", "bot", id)
	return paired
}

// pair asks for and approves one person.
func pair(t *testing.T, e *local.Engine, id string) {
	t.Helper()
	now := time.Unix(1_700_000_000, 0)
	at := channels.Address{Channel: "test", Account: "bot", Chat: id}
	ask(t, e, id, now)
	if _, err := e.Pairs().ApprovePair(t.Context(), "code "+id, session.PairApproval{
		Now: now,
		Notice: func(session.PairRequest) channels.Outbound {
			return channels.Outbound{ID: "welcome " + id, Address: at}
		},
	}); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, e *local.Engine, id string, now time.Time) {
	t.Helper()
	at := channels.Address{Channel: "test", Account: "bot", Chat: id}
	answer, err := e.Pairs().AskPair(t.Context(), session.PairRequest{
		Code: "code " + id, Address: at, Sender: channels.Sender{ID: id}, Asked: now, Expires: now.Add(time.Hour),
	}, channels.Outbound{ID: "ask " + id, Address: at}, session.PairBounds{Open: 10})
	if err != nil || answer != session.PairAsked {
		t.Fatalf("%q, %v", answer, err)
	}
}

// makeOlder takes from a closed store the records that an earlier build did not have.
func makeOlder(t *testing.T, dir string) {
	t.Helper()
	if err := bolttest.DropBuckets(dir, "asks", "pairs", "moves"); err != nil {
		t.Fatal(err)
	}
}

// TestStoreOfAnEarlierBuild: a store without the additions of this build is checked,
// saved, restored and used as it is.
func TestStoreOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	makeOlder(t, dir)
	checkStore(t, dir)
	snap, err := bolt.SnapshotFile(t.Context(), dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	use := func() {
		e := open(t, dir)
		pair(t, e, "a")
		if !isPaired(e, "a") {
			t.Error("nobody is paired")
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if n := len(asides(t, dir)); n > 0 {
			t.Errorf("%d files were moved aside", n)
		}
	}
	use()
	if err := bolt.Restore(t.Context(), t.TempDir(), snap, nil); err != nil {
		t.Errorf("the snapshot of the earlier build: %v", err)
	}
}

// TestDamagedPair: a damaged record lets no person in, and the others stay.
func TestDamagedPair(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	pair(t, e, "a")
	pair(t, e, "b")
	ask(t, e, "c", time.Now())
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pairs", "asks"} {
		spoil(t, dir, name, 0)
	}
	e = open(t, dir)
	if isPaired(e, "a") || !isPaired(e, "b") {
		t.Error("the damaged pair counts, or the other one does not")
	}
	pairs, asks, err := e.Pairs().PairList(t.Context())
	if err != nil || len(pairs) != 1 || len(asks) != 0 {
		t.Errorf("%v, %v, %v", pairs, asks, err)
	}
	engine.Barrier(t.Context(), e.Engine)
	if st, err := e.Status(t.Context()); err != nil || st.Corrupt != 2 {
		t.Errorf("%d damaged, %v", st.Corrupt, err)
	}
	pair(t, e, "d")
}

// TestPairsWhileTheStoreCannotBeWritten: a change that failed does not count.
func TestPairsWhileTheStoreCannotBeWritten(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	pair(t, e, "a")
	now := time.Unix(1_700_000_000, 0)
	ask(t, e, "b", now)
	engine.BreakWrites(e.Engine, errors.New("the disk is full"))
	if _, err := e.Pairs().ApprovePair(t.Context(), "code b", session.PairApproval{
		Now: now,
		Notice: func(session.PairRequest) channels.Outbound {
			return channels.Outbound{ID: "welcome b", Address: channels.Address{Channel: "test", Chat: "b"}}
		},
	}); !errors.Is(err, session.ErrStore) {
		t.Errorf("approve: %v", err)
	}
	if _, err := e.Pairs().RevokePairs(t.Context(), "test", "", "a"); !errors.Is(err, session.ErrStore) {
		t.Errorf("revoke: %v", err)
	}
	if !isPaired(e, "a") || isPaired(e, "b") {
		t.Error("a change that failed counts")
	}
	engine.BreakWrites(e.Engine, nil)
	if _, err := e.Pairs().RevokePairs(t.Context(), "test", "", "a"); err != nil || isPaired(e, "a") {
		t.Errorf("revoke: %v", err)
	}
}

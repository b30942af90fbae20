package engine_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine"
	"parley/pkg/session/local"
)

// FuzzRecord opens anything as a record: it is the sealed one, or it is damaged.
func FuzzRecord(f *testing.F) {
	f.Add([]byte("key"), []byte(`{"id":"1"}`), []byte{1, 0, 0, 0, 0, '{', '}'}, 3)
	f.Add([]byte{}, []byte{}, []byte{}, 0)
	f.Fuzz(func(t *testing.T, key, payload, junk []byte, flip int) {
		rec := engine.Seal(key, payload)
		got, err := engine.Unseal(key, rec)
		if err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("sealed %q, got %q, %v", payload, got, err)
		}
		bits := len(rec) * 8
		at := (flip%bits + bits) % bits
		rec[at/8] ^= 1 << (at % 8)
		if _, err := engine.Unseal(key, rec); !errors.Is(err, session.ErrCorrupt) {
			t.Errorf("a flipped bit at %d went unnoticed: %v", at, err)
		}
		rec[at/8] ^= 1 << (at % 8)
		if _, err := engine.Unseal(append(key, 'x'), rec); !errors.Is(err, session.ErrCorrupt) {
			t.Errorf("a record at another key went unnoticed: %v", err)
		}
		if got, err := engine.Unseal(key, junk); err == nil && !bytes.Equal(engine.Seal(key, got), junk) {
			t.Errorf("junk %x was read as %q", junk, got)
		}
	})
}

// FuzzKeys: keys of times sort as the times do, and different names have different keys.
func FuzzKeys(f *testing.F) {
	f.Add(int64(0), int64(0), int64(1), int64(5), "a", "b")
	f.Add(int64(-62135596800), int64(1), int64(253402300799), int64(999999999), "ab", "")
	f.Fuzz(func(t *testing.T, s1, n1, s2, n2 int64, a, b string) {
		t1, t2 := time.Unix(s1, (n1%1e9+1e9)%1e9), time.Unix(s2, (n2%1e9+1e9)%1e9)
		k1, k2 := engine.TimeKey(t1), engine.TimeKey(t2)
		if got, ok := engine.KeyTime(append(k1, a...)); !ok || !got.Equal(t1) {
			t.Errorf("%s became %s", t1, got)
		}
		if t1.Compare(t2) != bytes.Compare(k1, k2) {
			t.Errorf("%s and %s sort otherwise than their keys", t1, t2)
		}
		if (a == b) != bytes.Equal(engine.IDKey(a), engine.IDKey(b)) {
			t.Errorf("ids %q and %q share a key", a, b)
		}
		x := channels.Address{Channel: a, Chat: b}
		for _, y := range []channels.Address{{Channel: a + b}, {Channel: b, Chat: a}, {Channel: a, Account: b}, {Channel: a, Thread: b}} {
			if x != y && bytes.Equal(engine.AddrKey(x), engine.AddrKey(y)) {
				t.Errorf("addresses %+v and %+v share a key", x, y)
			}
		}
	})
}

// TestPruning: ids, receipts and ended turns are forgotten after their time, and
// waiting items stay.
func TestPruning(t *testing.T) {
	t.Parallel()
	now := time.Now()
	o := options(t, t.TempDir())
	o.Now = func() time.Time { return now }
	e, err := local.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		checkStore(t, o.Dir)
	})
	again := func(want int) {
		t.Helper()
		engine.Prune(e.Engine)
		if err := e.Inbox().Append(t.Context(), []session.Item{message("a", "1", ""), message("a", "2", "")}, nil); err != nil {
			t.Fatal(err)
		}
		if st, err := e.Status(t.Context()); err != nil || st.Waiting != want {
			t.Fatalf("%d items wait, want %d, %v", st.Waiting, want, err)
		}
	}
	again(2)
	now = now.Add(100 * time.Hour)
	again(2) // they wait: their ids are kept
	drain(t, e)
	now = now.Add(time.Hour)
	again(0)
	now = now.Add(100 * time.Hour)
	again(2)
}

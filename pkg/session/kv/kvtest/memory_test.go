package kvtest_test

import (
	"errors"
	"sync"
	"testing"

	"parley/pkg/session/kv"
	"parley/pkg/session/kv/kvtest"
)

// TestMemory: the store in memory passes the suite of stores.
func TestMemory(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	by := map[string]*kvtest.Memory{}
	kvtest.Run(t, [2]kv.Bucket{"one", "two"}, func(_ testing.TB, dir string) kv.Store {
		mu.Lock()
		defer mu.Unlock()
		m := kvtest.NewMemory()
		if by[dir] != nil {
			m = by[dir].Reopened()
		}
		by[dir] = m
		return m
	})
}

// TestCrash: a transaction that a crash finds unfinished is lost, and those before are not.
func TestCrash(t *testing.T) {
	t.Parallel()
	m := kvtest.NewMemory()
	put := func(key string, meanwhile func()) error {
		return m.Update(func(x kv.Tx) error {
			meanwhile()
			return x.Put("b", []byte(key), []byte{1})
		})
	}
	if err := put("done", func() {}); err != nil {
		t.Fatal(err)
	}
	var after *kvtest.Memory
	if err := put("lost", func() { after = m.Reopened() }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := after.View(func(r kv.Reader) error {
		if r.Get("b", []byte("done")) == nil || r.Get("b", []byte("lost")) != nil {
			return errors.New("the crash took the wrong one")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

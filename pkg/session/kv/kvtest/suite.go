package kvtest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/pkg/session/kv"
)

// Opener opens the store of a directory, for the first time or again after a Close.
type Opener func(tb testing.TB, dir string) kv.Store

// Run runs the suite on the stores that open makes. They have at least two buckets.
func Run(t *testing.T, buckets [2]kv.Bucket, open Opener) {
	t.Helper()
	tests := []struct {
		name string
		run  func(*bench)
	}{
		{"keys are ordered, in both directions", testOrder},
		{"a transaction reads its own writes", testOwnWrites},
		{"an error drops the whole transaction", testDropped},
		{"a reader sees one state while others write", testOneState},
		{"writes last over a close", testLasts},
		{"random transactions leave what a memory has", testRandom},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{T: t, a: buckets[0], b: buckets[1], dir: t.TempDir(), open: open}
			b.s = open(t, b.dir)
			t.Cleanup(func() { b.must(b.s.Close()) })
			tt.run(b)
		})
	}
}

type bench struct {
	*testing.T
	a, b kv.Bucket
	dir  string
	open Opener
	s    kv.Store
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) put(to kv.Bucket, keys ...string) {
	b.Helper()
	b.must(b.s.Update(func(t kv.Tx) error {
		var errs []error
		for _, k := range keys {
			errs = append(errs, t.Put(to, []byte(k), []byte("value of "+k)))
		}
		return errors.Join(errs...)
	}))
}

// keys are those of a bucket in order, without any that a store began with.
func keys(r kv.Reader, of kv.Bucket) (all []string) {
	c := r.Cursor(of)
	for k, v := c.Seek(nil); k != nil; k, v = c.Next() {
		if string(v) == "value of "+string(k) {
			all = append(all, string(k))
		}
	}
	return all
}

func (b *bench) want(of kv.Bucket, want ...string) {
	b.Helper()
	b.must(b.s.View(func(r kv.Reader) error {
		if got := keys(r, of); fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("%s has %q, want %q", of, got, want)
		}
		return nil
	}))
}

func testOrder(b *bench) {
	b.put(b.b, "b", "c", "a", "aa", "\xff")
	b.want(b.b, "a", "aa", "b", "c", "\xff")
	b.must(b.s.View(func(r kv.Reader) error {
		c := r.Cursor(b.b)
		at := func(k, _ []byte) string { return string(k) }
		got := []string{
			at(c.Seek([]byte("ab"))), at(c.Prev()), at(c.SeekBefore([]byte("b"))), at(c.Next()), at(c.SeekBefore(nil)),
			at(c.SeekBefore([]byte("a"))), at(c.SeekBefore([]byte("zz"))),
		}
		if want := []string{"b", "aa", "aa", "b", "\xff", "", "c"}; fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("got %q, want %q", got, want)
		}
		if k, _ := c.Seek([]byte("\xff\x00")); k != nil {
			return fmt.Errorf("%q is behind the last key", k)
		}
		return nil
	}))
}

func testOwnWrites(b *bench) {
	b.put(b.b, "old", "gone")
	b.must(b.s.Update(func(t kv.Tx) error {
		err := errors.Join(t.Put(b.b, []byte("new"), []byte("value of new")), t.Delete(b.b, []byte("gone")), t.Delete(b.b, []byte("never")))
		if got := fmt.Sprint(keys(t, b.b)); got != "[new old]" {
			err = errors.Join(err, errors.New(got))
		}
		if t.Get(b.b, []byte("gone")) != nil || t.Get(b.a, []byte("new")) != nil || string(t.Get(b.b, []byte("new"))) != "value of new" {
			err = errors.Join(err, errors.New("a transaction does not read its own writes"))
		}
		return err
	}))
	b.want(b.b, "new", "old")
}

func testDropped(b *bench) {
	b.put(b.b, "kept")
	stop := errors.New("stop")
	err := b.s.Update(func(t kv.Tx) error {
		return errors.Join(t.Put(b.b, []byte("lost"), []byte("value of lost")), t.Delete(b.b, []byte("kept")), stop)
	})
	if !errors.Is(err, stop) {
		b.Errorf("got %v", err)
	}
	b.want(b.b, "kept")
}

func testOneState(b *bench) {
	b.put(b.b, "before")
	b.must(b.s.View(func(r kv.Reader) error {
		written := make(chan error)
		go func() {
			written <- b.s.Update(func(t kv.Tx) error {
				return t.Put(b.b, []byte("meanwhile"), []byte("value of meanwhile"))
			})
		}()
		if err := <-written; err != nil {
			return err
		}
		if got := fmt.Sprint(keys(r, b.b)); got != "[before]" {
			return errors.New(got)
		}
		return nil
	}))
	b.want(b.b, "before", "meanwhile")
}

func testLasts(b *bench) {
	b.put(b.b, "one")
	b.put(b.a, "two")
	b.must(b.s.Close())
	b.must(b.s.Close())
	b.s = b.open(b.T, b.dir)
	b.want(b.b, "one")
	b.want(b.a, "two")
}

// testRandom compares a store with a memory over transactions of which some are dropped.
func testRandom(b *bench) {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	other := NewMemory()
	rnd := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test repeats its numbers
	dropped := errors.New("dropped")
	for range 200 {
		var set []Write
		for range 1 + rnd.IntN(8) {
			w := Write{Bucket: b.b, Key: []byte{letters[rnd.IntN(len(letters))]}}
			if rnd.IntN(3) > 0 {
				w.Value = append([]byte("value of "), w.Key...)
			}
			set = append(set, w)
		}
		drop := rnd.IntN(4) == 0
		for _, s := range []kv.Store{b.s, other} {
			err := s.Update(func(t kv.Tx) error {
				for _, w := range set {
					if err := apply(t, w); err != nil {
						return err
					}
				}
				if drop {
					return dropped
				}
				return nil
			})
			if err != nil && !errors.Is(err, dropped) {
				b.Fatal(err)
			}
		}
	}
	var all [2]bytes.Buffer
	for i, s := range []kv.Store{b.s, other} {
		b.must(s.View(func(r kv.Reader) error {
			_, err := fmt.Fprintf(&all[i], "%q", keys(r, b.b))
			return err
		}))
	}
	if all[0].String() != all[1].String() {
		b.Errorf("got %s, want %s", &all[0], &all[1])
	}
}

package writer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/session/bolt"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// started is a writer over a store of its own, whose loop ends with the test.
func started(t *testing.T, dir string) *writer.Writer {
	t.Helper()
	store, err := bolt.Open(t.Context(), bolt.Options{Dir: dir, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	w := writer.New(store, writer.Options{
		Log: zerolog.Nop(), Now: time.Now, Prelude: func(*table.Tx) error { return nil },
		Begun: func() {}, Committed: func() {}, Resync: func() {}, Trouble: func(error) {},
	})
	go w.Run()
	t.Cleanup(func() {
		w.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// TestABusyWriterLetsWritesGather: after a transaction of several writes the next one
// waits for a millisecond, and takes all that have come; after one of few it does not.
func TestABusyWriterLetsWritesGather(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := started(t, dir)
		done := make(chan time.Time, 16)
		put := func(wait <-chan struct{}) {
			err := w.Submit(t.Context(), &writer.Write{
				Run: func(tx *table.Tx) error {
					<-wait
					return tx.PutRaw(table.Chats, []byte("key"), []byte("value"))
				},
				Done: func(err error) {
					if err != nil {
						t.Error(err)
					}
					done <- time.Now()
				},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		held, free := make(chan struct{}), make(chan struct{})
		close(free)
		put(held)
		synctest.Wait()
		for range 5 {
			put(free)
		}
		close(held)
		for range 6 {
			<-done
		}
		synctest.Wait()
		before, _ := w.State.Commits()
		start := time.Now()
		go func() { // one that waits for its outcome, and that no other write has come before
			err := w.Do(t.Context(), func(tx *table.Tx) error { return tx.PutRaw(table.Chats, []byte("key"), []byte("value")) })
			if err != nil {
				t.Error(err)
			}
			done <- time.Now()
		}()
		<-time.After(500 * time.Microsecond)
		put(free)
		for range 2 {
			if waited := (<-done).Sub(start); waited != time.Millisecond {
				t.Errorf("a write behind a transaction of several took %v, want 1ms", waited)
			}
		}
		synctest.Wait()
		if after, _ := w.State.Commits(); after != before+1 {
			t.Errorf("two writes of one millisecond took %d transactions, want one", after-before)
		}
		start = time.Now()
		put(free)
		if waited := (<-done).Sub(start); waited != 0 {
			t.Errorf("a write behind a transaction of two waited for %v", waited)
		}
	})
}

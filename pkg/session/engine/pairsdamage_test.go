package engine_test

import (
	"bytes"
	"fmt"
	"testing"

	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
	"parley/pkg/session/local"
)

// TestDamagedBooks: a damaged page of the pairing book, the moves or the tokens, which only a start
// reads, is damage of the store as any other: the newest snapshot is restored, held.
func TestDamagedBooks(t *testing.T) {
	t.Parallel()
	for _, book := range []kv.Bucket{table.Pairs, table.Moves, table.Tokens} {
		t.Run(string(book), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			filled(t, dir)
			mark := []byte("BOOKMARK")
			withStore(t, dir, func(s kv.Store) error {
				return s.Update(func(k kv.Tx) error {
					for i := range 100 {
						key := fmt.Appendf(nil, "k%04d", i)
						if err := k.Put(book, key, table.Seal(book, key, bytes.Repeat(mark, 60))); err != nil {
							return err
						}
					}
					return nil
				})
			})
			file := readDB(t, dir)
			for at := 2 * pageSize; at+pageSize <= len(file); at += pageSize {
				if bytes.Contains(file[at:at+pageSize], mark) {
					clear(file[at : at+16])
				}
			}
			writeDB(t, dir, file)
			e, err := local.Open(t.Context(), options(t, dir))
			if err != nil {
				t.Fatalf("the start fails: %v", err)
			}
			defer e.Close()
			if st, err := e.Status(t.Context()); err != nil || st.Held == "" {
				t.Errorf("status %+v, %v: want a held store", st, err)
			}
		})
	}
}
